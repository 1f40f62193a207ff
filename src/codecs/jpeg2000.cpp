// JPEG 2000 (files and bare codestreams) by OpenJPEG: grey, RGB and YCC of any depth, reduced to 8 bits.
#include <openjpeg.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "codecs/codecs.h"

namespace sardonyx {
namespace {

constexpr std::string_view kName = "JPEG 2000";
// The library allocates per tile and component before it decodes: a header of some bytes could ask for gigabytes.
constexpr uint64_t kMostComponents = 16, kMostTileParts = 1 << 16;

struct Source {
  ImageBytes bytes;
  size_t at = 0;
};

uint32_t big_endian(ImageBytes b, size_t at, size_t count) {
  uint32_t v = 0;
  for (size_t i = 0; i < count; ++i) v = v << 8 | b[at + i];
  return v;
}

// Reads the codestream's SIZ segment (ISO/IEC 15444-1, A.5.1) ahead of the library.
void check_header(ImageBytes b) {
  constexpr std::array<uint8_t, 4> kStart{0xff, 0x4f, 0xff, 0x51};
  const auto found = std::search(b.begin(), b.end(), kStart.begin(), kStart.end());
  if (b.end() - found < 42) bad_image(kName, "it has no header");
  const ImageBytes siz = b.subspan(static_cast<size_t>(found - b.begin()) + 4);
  const uint64_t right = big_endian(siz, 4, 4), bottom = big_endian(siz, 8, 4);
  const uint64_t tile_width = big_endian(siz, 20, 4), tile_height = big_endian(siz, 24, 4);
  const uint64_t components = big_endian(siz, 36, 2);
  if (tile_width == 0 || tile_height == 0) bad_image(kName, "its tiles have no size");
  const uint64_t tiles = (right / tile_width + 1) * (bottom / tile_height + 1);
  if (components == 0 || components > kMostComponents || tiles > kMostTileParts / components) {
    bad_image(kName, cat("it has ", components, " components in ", tiles, " tiles, which are none or too many"));
  }
}

class Jpeg2000 {
 public:
  explicit Jpeg2000(ImageBytes bytes) : source_{bytes} {
    check_header(bytes);
    const bool bare = bytes[0] == 0xff;
    codec_ = opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    stream_ = opj_stream_create(1 << 16, OPJ_TRUE);
    if (!codec_ || !stream_) {
      close();
      fail(ErrorCode::out_of_memory, "JPEG 2000: no memory for its header");
    }
    // The first message says what is wrong, the later ones what that led to.
    opj_set_error_handler(
        codec_,
        [](const char* text, void* to) {
          auto& problem = *static_cast<std::string*>(to);
          if (problem.empty()) problem = std::string_view(text).substr(0, std::strcspn(text, "\n"));
        },
        &problem_);
    opj_stream_set_user_data(stream_, &source_, nullptr);
    opj_stream_set_user_data_length(stream_, bytes.size());
    opj_stream_set_read_function(stream_, read);
    opj_stream_set_skip_function(stream_, skip);
    opj_stream_set_seek_function(stream_, seek);
  }
  ~Jpeg2000() { close(); }
  Jpeg2000(const Jpeg2000&) = delete;
  Jpeg2000& operator=(const Jpeg2000&) = delete;

  void run(Canvas& canvas) {
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    require(opj_setup_decoder(codec_, &parameters));
    require(opj_read_header(stream_, codec_, &image_) && image_);
    canvas.begin(kName, image_->x1 - image_->x0, image_->y1 - image_->y0);
    require(opj_decode(codec_, stream_, image_) && opj_end_decompress(codec_, stream_));
    write(canvas);
  }

 private:
  static OPJ_SIZE_T read(void* to, OPJ_SIZE_T count, void* data) {
    auto& source = *static_cast<Source*>(data);
    const size_t n = std::min<size_t>(count, source.bytes.size() - source.at);
    if (n == 0) return static_cast<OPJ_SIZE_T>(-1);
    std::memcpy(to, source.bytes.data() + source.at, n);
    source.at += n;
    return n;
  }
  static OPJ_OFF_T skip(OPJ_OFF_T count, void* data) {
    auto& source = *static_cast<Source*>(data);
    const auto left = static_cast<OPJ_OFF_T>(source.bytes.size() - source.at);
    if (count < 0 || left == 0) return -1;
    const OPJ_OFF_T n = std::min(count, left);
    source.at += static_cast<size_t>(n);
    return n;
  }
  static OPJ_BOOL seek(OPJ_OFF_T to, void* data) {
    auto& source = *static_cast<Source*>(data);
    if (to < 0 || static_cast<uint64_t>(to) > source.bytes.size()) return OPJ_FALSE;
    source.at = static_cast<size_t>(to);
    return OPJ_TRUE;
  }
  void require(bool well) const {
    if (!well) bad_image(kName, problem_.empty() ? "it cannot be decoded" : problem_);
  }

  // Component `c` at column x and row y of the image, in 8 bits: the upper ones; of colours rounded, as Pillow does.
  int level(const opj_image_comp_t& c, int64_t x, int64_t y, bool rounded) const {
    const int64_t column = std::min<int64_t>(x / c.dx, c.w - 1), row = std::min<int64_t>(y / c.dy, c.h - 1);
    int64_t v = c.data[row * c.w + column];
    if (c.sgnd) v += int64_t{1} << (c.prec - 1);
    if (c.prec <= 8) return static_cast<int>(std::clamp<int64_t>(v * (1 << (8 - c.prec)), 0, 255));
    if (rounded) v += int64_t{1} << (c.prec - 9);
    return static_cast<int>(std::clamp<int64_t>(v >> (c.prec - 8), 0, 255));
  }

  void write(Canvas& canvas) const {
    const uint32_t count = image_->numcomps, colors = count >= 3 ? 3 : 1;
    for (uint32_t i = 0; i < colors; ++i) {
      const opj_image_comp_t& c = image_->comps[i];
      const bool sound = c.data && c.w > 0 && c.h > 0 && c.dx > 0 && c.dy > 0 && c.prec >= 1 && c.prec <= 31;
      if (!sound) bad_image(kName, cat("component ", i, " has no values"));
    }
    if (image_->color_space == OPJ_CLRSPC_CMYK || image_->color_space == OPJ_CLRSPC_EYCC) {
      bad_image(kName, "of its colour spaces grey, sRGB and sYCC can be decoded");
    }
    const bool ycc = colors == 3 && is_ycc();
    std::vector<uint8_t> row(static_cast<size_t>(canvas.width()) * colors);
    for (int64_t y = 0; y < canvas.height(); ++y) {
      uint8_t* to = row.data();
      for (int64_t x = 0; x < canvas.width(); ++x, to += colors) {
        int part[3] = {};
        for (uint32_t i = 0; i < colors; ++i) part[i] = level(image_->comps[i], x, y, colors == 3);
        if (ycc) ycc_to_rgb(part);
        for (uint32_t i = 0; i < colors; ++i) to[i] = static_cast<uint8_t>(part[i]);
      }
      if (colors == 3) {
        canvas.put_rgb(0, y, row.data(), canvas.width(), 3);
      } else {
        canvas.put_gray(0, y, row.data(), canvas.width(), 1);
      }
    }
  }

  // A bare codestream does not say so, but nobody subsamples the parts of RGB.
  bool is_ycc() const {
    const opj_image_comp_t* c = image_->comps;
    const bool subsampled = c[0].dx == 1 && c[0].dy == 1 && c[1].dx != 1;
    return image_->color_space == OPJ_CLRSPC_SYCC || (image_->color_space != OPJ_CLRSPC_SRGB && subsampled);
  }

  // ITU-R BT.601 with all 256 levels, in 16 bits.
  static void ycc_to_rgb(int (&part)[3]) {
    const int y = part[0] * 65536 + 32768, cb = part[1] - 128, cr = part[2] - 128;
    part[0] = std::clamp((y + 91881 * cr) >> 16, 0, 255);
    part[1] = std::clamp((y - 22554 * cb - 46802 * cr) >> 16, 0, 255);
    part[2] = std::clamp((y + 116130 * cb) >> 16, 0, 255);
  }

  void close() {
    if (image_) opj_image_destroy(image_);
    if (stream_) opj_stream_destroy(stream_);
    if (codec_) opj_destroy_codec(codec_);
  }

  Source source_;
  std::string problem_;
  opj_codec_t* codec_ = nullptr;
  opj_stream_t* stream_ = nullptr;
  opj_image_t* image_ = nullptr;
};

}  // namespace

void decode_jpeg2000(ImageBytes bytes, Canvas& canvas) { Jpeg2000(bytes).run(canvas); }

}  // namespace sardonyx
