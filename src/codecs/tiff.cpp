// TIFF by libtiff: the first picture, in strips or tiles; grey, palettes, RGB and CMYK of 1 to 16 bits.
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "codecs/codecs.h"

namespace sardonyx {
namespace {

constexpr std::string_view kName = "TIFF";
constexpr uint32_t kMostSamples = 16;
// What one strip or tile, and all that the library holds at once, may take: far more than real files need.
constexpr tmsize_t kMostBlockBytes = tmsize_t{1} << 30;

// The file, as the library reads it.
struct Source {
  ImageBytes bytes;
  uint64_t at = 0;

  static Source& of(thandle_t handle) { return *static_cast<Source*>(handle); }
  static tmsize_t read(thandle_t handle, void* to, tmsize_t count) {
    Source& s = of(handle);
    if (count <= 0 || s.at >= s.bytes.size()) return 0;
    const size_t n = std::min(static_cast<size_t>(count), s.bytes.size() - static_cast<size_t>(s.at));
    std::memcpy(to, s.bytes.data() + s.at, n);
    s.at += n;
    return static_cast<tmsize_t>(n);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return -1; }
  static toff_t seek(thandle_t handle, toff_t to, int from) {
    Source& s = of(handle);
    s.at = from == SEEK_SET ? to : from == SEEK_CUR ? s.at + to : s.bytes.size() + to;
    return s.at;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return of(handle).bytes.size(); }
  // Reading through the callbacks is what keeps a damaged file's offsets in bounds.
  static int map(thandle_t, void**, toff_t*) { return 0; }
  static void unmap(thandle_t, void*, toff_t) {}
};

int keep_message(TIFF*, void* to, const char*, const char* format, va_list values) {
  auto& problem = *static_cast<std::string*>(to);
  char text[256];
  if (problem.empty() && std::vsnprintf(text, sizeof text, format, values) > 0) problem = text;
  return 1;
}

class Tiff {
 public:
  explicit Tiff(ImageBytes bytes) : source_{bytes} {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                   &TIFFOpenOptionsFree);
    if (!options) fail(ErrorCode::out_of_memory, "TIFF: no memory for its header");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMostBlockBytes);
    TIFFOpenOptionsSetMaxCumulatedMemAlloc(options.get(), kMostBlockBytes);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_message, &problem_);
    TIFFOpenOptionsSetWarningHandlerExtR(
        options.get(), [](TIFF*, void*, const char*, const char*, va_list) { return 1; }, nullptr);
    tiff_.reset(TIFFClientOpenExt("image", "rm", &source_, Source::read, Source::write, Source::seek, Source::close,
                                  Source::size, Source::map, Source::unmap, options.get()));
    require(tiff_ != nullptr);
  }

  void run(Canvas& canvas) {
    read_fields();
    canvas.begin(kName, width_, height_, orientation_);
    const bool tiled = TIFFIsTiled(tiff_.get()) != 0;
    uint32_t block_width = width_, block_height = height_;
    if (tiled) {
      field(TIFFTAG_TILEWIDTH, block_width);
      field(TIFFTAG_TILELENGTH, block_height);
    } else {
      field(TIFFTAG_ROWSPERSTRIP, block_height);
      block_height = std::min(block_height, height_);
    }
    const tmsize_t size = tiled ? TIFFTileSize(tiff_.get()) : TIFFStripSize(tiff_.get());
    const tmsize_t row_size = tiled ? TIFFTileRowSize(tiff_.get()) : TIFFScanlineSize(tiff_.get());
    const uint64_t in_block = planes_ > 1 ? 1 : samples_;
    const bool sound = block_width > 0 && block_height > 0 && block_height <= canvas.most_pixels() / block_width &&
                       size > 0 && size <= kMostBlockBytes / static_cast<tmsize_t>(planes_) && row_size > 0 &&
                       static_cast<uint64_t>(row_size) * 8 >= uint64_t{block_width} * bits_ * in_block &&
                       static_cast<uint64_t>(size) / static_cast<uint64_t>(row_size) >= block_height;
    if (!sound) bad_image(kName, problem_.empty() ? "its strips or tiles have no sound size" : problem_);
    const uint32_t across = (width_ - 1) / block_width + 1, down = (height_ - 1) / block_height + 1;
    const uint32_t blocks = across * down;
    if (blocks > (tiled ? TIFFNumberOfTiles(tiff_.get()) : TIFFNumberOfStrips(tiff_.get())) / planes_) {
      bad_image(kName, "it lacks strips or tiles");
    }
    std::vector<uint8_t> block(static_cast<size_t>(size) * planes_), row(size_t{width_} * colors());
    for (uint32_t i = 0; i < blocks; ++i) {
      for (uint32_t plane = 0; plane < planes_; ++plane) {
        const uint32_t index = plane * blocks + i;
        uint8_t* to = block.data() + size_t{plane} * static_cast<size_t>(size);
        const tmsize_t got = tiled ? TIFFReadEncodedTile(tiff_.get(), index, to, size)
                                   : TIFFReadEncodedStrip(tiff_.get(), index, to, size);
        const uint32_t rows = tiled ? block_height : std::min(block_height, height_ - i * block_height);
        require(got >= 0 && static_cast<uint64_t>(got) >= uint64_t{rows} * static_cast<uint64_t>(row_size));
      }
      put_block(canvas, {block.data(), size, row_size}, row, i % across * block_width, i / across * block_height,
                block_width, block_height);
    }
  }

 private:
  struct Block {
    const uint8_t* bytes;
    tmsize_t plane_size, row_size;
  };

  template <class T>
  bool field(uint32_t tag, T& value) const {
    return TIFFGetFieldDefaulted(tiff_.get(), tag, &value) == 1;
  }
  void require(bool well) const {
    if (!well) bad_image(kName, problem_.empty() ? "it cannot be decoded" : problem_);
  }

  void read_fields() {
    uint16_t compression = 1, planar = 1, orientation = 1, sample_format = 1;
    if (!field(TIFFTAG_IMAGEWIDTH, width_) || !field(TIFFTAG_IMAGELENGTH, height_)) bad_image(kName, "it has no size");
    field(TIFFTAG_COMPRESSION, compression);
    if (!TIFFIsCODECConfigured(compression)) bad_image(kName, cat("its compression ", compression, " is not known"));
    // Subsampled colours inside JPEG come out as RGB.
    if (!field(TIFFTAG_PHOTOMETRIC, photometric_)) photometric_ = PHOTOMETRIC_MINISBLACK;
    if (compression == COMPRESSION_JPEG && photometric_ == PHOTOMETRIC_YCBCR) {
      TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      photometric_ = PHOTOMETRIC_RGB;
    }
    field(TIFFTAG_BITSPERSAMPLE, bits_);
    field(TIFFTAG_SAMPLESPERPIXEL, samples_);
    field(TIFFTAG_PLANARCONFIG, planar);
    field(TIFFTAG_ORIENTATION, orientation);
    field(TIFFTAG_SAMPLEFORMAT, sample_format);
    orientation_ = orientation >= 1 && orientation <= 8 ? orientation : 1;
    if (samples_ == 0 || samples_ > kMostSamples) bad_image(kName, cat("it has ", samples_, " samples per pixel"));
    const bool narrow = bits_ == 1 || bits_ == 2 || bits_ == 4;
    const bool shallow = photometric_ <= PHOTOMETRIC_MINISBLACK || photometric_ == PHOTOMETRIC_PALETTE;
    const bool depth = bits_ == 8 || bits_ == 16 || (narrow && shallow);
    const uint32_t wanted = colors();
    if (wanted == 0 || !depth || samples_ < wanted || sample_format != SAMPLEFORMAT_UINT) {
      bad_image(kName, cat("its photometric ", photometric_, " with ", samples_, " samples of ", bits_,
                           " bits, format ", sample_format, ", is not known"));
    }
    planes_ = planar == PLANARCONFIG_SEPARATE ? samples_ : 1;
    if (photometric_ == PHOTOMETRIC_PALETTE) read_palette();
  }

  // Samples that make a colour; 0 for kinds that are not known.
  uint32_t colors() const {
    switch (photometric_) {
      case PHOTOMETRIC_MINISWHITE:
      case PHOTOMETRIC_MINISBLACK:
      case PHOTOMETRIC_PALETTE:
        return 1;
      case PHOTOMETRIC_RGB:
        return 3;
      case PHOTOMETRIC_SEPARATED:
        return 4;
      default:
        return 0;
    }
  }

  void read_palette() {
    const uint16_t* parts[3] = {};
    if (bits_ > 8 || TIFFGetField(tiff_.get(), TIFFTAG_COLORMAP, &parts[0], &parts[1], &parts[2]) != 1) {
      bad_image(kName, "it has no palette");
    }
    palette_.resize((size_t{1} << bits_) * 3);
    for (size_t i = 0; i < palette_.size(); ++i) palette_[i] = static_cast<uint8_t>(parts[i % 3][i / 3] >> 8);
  }

  // Sample i of a row, in 8 bits: the upper ones of 16.
  uint8_t sample(const uint8_t* row, uint64_t i) const {
    if (bits_ == 8) return row[i];
    if (bits_ == 16) {
      uint16_t v;
      std::memcpy(&v, row + 2 * i, 2);
      return static_cast<uint8_t>(v >> 8);
    }
    const uint64_t bit = i * bits_;
    return static_cast<uint8_t>(row[bit / 8] >> (8 - bits_ - bit % 8) & ((1 << bits_) - 1));
  }

  // The part of a strip or tile that lies within the image; (left, top) is where it begins.
  void put_block(Canvas& canvas, Block block, std::vector<uint8_t>& row, uint32_t left, uint32_t top, uint32_t width,
                 uint32_t height) const {
    const uint32_t columns = std::min(width, width_ - left), rows = std::min(height, height_ - top);
    const uint32_t wanted = colors(), steps = planes_ > 1 ? 1 : samples_;
    const int most = bits_ < 8 ? (1 << bits_) - 1 : 255;
    for (uint32_t y = 0; y < rows; ++y) {
      for (uint32_t i = 0; i < wanted; ++i) {
        const uint8_t* from = block.bytes + (planes_ > 1 ? static_cast<tmsize_t>(i) * block.plane_size : 0) +
                              static_cast<tmsize_t>(y) * block.row_size;
        for (uint32_t x = 0; x < columns; ++x) {
          uint8_t v = sample(from, uint64_t{x} * steps + (planes_ > 1 ? 0 : i));
          if (photometric_ == PHOTOMETRIC_MINISWHITE) v = static_cast<uint8_t>(most - v);
          if (most < 255 && palette_.empty()) v = static_cast<uint8_t>(v * (255 / most));
          row[size_t{x} * wanted + i] = v;
        }
      }
      put_row(canvas, row, left, int64_t{top} + y, columns);
    }
  }

  void put_row(Canvas& canvas, const std::vector<uint8_t>& row, int64_t left, int64_t y, int64_t columns) const {
    if (!palette_.empty()) {
      for (int64_t x = 0; x < columns; ++x) {
        canvas.put_rgb(left + x, y, palette_.data() + size_t{row[static_cast<size_t>(x)]} * 3, 1, 3);
      }
    } else if (photometric_ == PHOTOMETRIC_RGB) {
      canvas.put_rgb(left, y, row.data(), columns, 3);
    } else if (photometric_ == PHOTOMETRIC_SEPARATED) {
      canvas.put_cmyk(left, y, row.data(), columns, 4);
    } else {
      canvas.put_gray(left, y, row.data(), columns, 1);
    }
  }

  Source source_;
  std::string problem_;
  std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff_{nullptr, &TIFFClose};
  uint32_t width_ = 0, height_ = 0, planes_ = 1;
  uint16_t photometric_ = 0, bits_ = 1, samples_ = 1;
  int orientation_ = 1;
  std::vector<uint8_t> palette_;
};

}  // namespace

void decode_tiff(ImageBytes bytes, Canvas& canvas) { Tiff(bytes).run(canvas); }

}  // namespace sardonyx
