// BMP and PNM: pixels as they are.
#include <algorithm>
#include <array>
#include <vector>

#include "codecs/codecs.h"

namespace sardonyx {
namespace {

ImageBytes part(std::string_view format, ImageBytes bytes, uint64_t at, uint64_t count) {
  if (at > bytes.size() || count > bytes.size() - at) bad_image(format, "it is cut off");
  return bytes.subspan(static_cast<size_t>(at), static_cast<size_t>(count));
}

// The header's fields, and how pixels are found.
class Bmp {
 public:
  explicit Bmp(ImageBytes bytes) : bytes_(bytes) {
    first_ = number(10, 4);
    const uint32_t header = number(14, 4);
    const bool old = header == 12;
    width_ = old ? number(18, 2) : static_cast<int32_t>(number(18, 4));
    const int64_t tall = old ? number(20, 2) : static_cast<int32_t>(number(22, 4));
    upright_ = tall < 0;
    height_ = upright_ ? -tall : tall;
    bits_ = old ? number(24, 2) : number(28, 2);
    const uint32_t packing = old ? 0 : number(30, 4);
    palette_ = 14 + uint64_t{header};
    palette_step_ = old ? 3 : 4;
    const bool masked = packing == 3 && (bits_ == 16 || bits_ == 32);
    const bool known = bits_ == 1 || bits_ == 4 || bits_ == 8 || bits_ == 16 || bits_ == 24 || bits_ == 32;
    if (!known || (packing != 0 && !masked)) {
      bad_image("BMP", cat("it has ", bits_, " bits and compression ", packing, ", which is not known"));
    }
    if (bits_ == 16) masks_ = {0x7c00, 0x3e0, 0x1f};
    for (uint64_t i = 0; masked && i < 3; ++i) masks_[i] = number(54 + 4 * i, 4);
  }

  void run(Canvas& canvas) const {
    if (width_ < 1 || height_ < 1) bad_image("BMP", "it has no pixels");
    const uint64_t step = (static_cast<uint64_t>(width_) * bits_ + 31) / 32 * 4;
    part("BMP", bytes_, first_,
         step * static_cast<uint64_t>(height_ - 1) + (static_cast<uint64_t>(width_) * bits_ + 7) / 8);
    canvas.begin("BMP", static_cast<uint64_t>(width_), static_cast<uint64_t>(height_));
    std::vector<uint8_t> row(static_cast<size_t>(width_) * 3);
    for (int64_t y = 0; y < height_; ++y) {
      const uint64_t at = first_ + static_cast<uint64_t>(upright_ ? y : height_ - 1 - y) * step;
      for (int64_t x = 0; x < width_; ++x) pixel(at, static_cast<uint64_t>(x), row.data() + x * 3);
      canvas.put_rgb(0, y, row.data(), width_, 3);
    }
  }

 private:
  // `count` bytes at `at`, the lowest first.
  uint32_t number(uint64_t at, uint64_t count) const {
    const ImageBytes b = part("BMP", bytes_, at, count);
    uint32_t v = 0;
    for (size_t i = b.size(); i-- > 0;) v = v << 8 | b[i];
    return v;
  }

  void pixel(uint64_t row, uint64_t x, uint8_t* to) const {
    if (bits_ == 16 || (bits_ == 32 && masks_[0] != 0)) {
      const uint32_t v = number(row + x * bits_ / 8, bits_ / 8);
      for (size_t i = 0; i < 3; ++i) {
        const uint32_t shift = masks_[i] ? static_cast<uint32_t>(__builtin_ctz(masks_[i])) : 0,
                       most = masks_[i] >> shift;
        to[i] = static_cast<uint8_t>(most ? uint64_t{(v & masks_[i]) >> shift} * 255 / most : 0);
      }
      return;
    }
    ImageBytes bgr;
    if (bits_ <= 8) {
      const uint32_t byte = number(row + x * bits_ / 8, 1);
      const uint64_t index = byte >> (8 - bits_ - x * bits_ % 8) & ((1u << bits_) - 1);
      bgr = part("BMP", bytes_, palette_ + index * palette_step_, 3);
    } else {
      bgr = bytes_.subspan(static_cast<size_t>(row + x * bits_ / 8), 3);
    }
    for (size_t i = 0; i < 3; ++i) to[i] = bgr[2 - i];
  }

  ImageBytes bytes_;
  int64_t width_ = 0, height_ = 0;
  uint64_t first_ = 0, palette_ = 0, palette_step_ = 0;
  uint32_t bits_ = 0;
  bool upright_ = false;
  std::array<uint32_t, 3> masks_{};  // red, green, blue
};

// Reads numbers in decimal, with white space and comments between.
class PnmText {
 public:
  PnmText(ImageBytes bytes, uint64_t at) : bytes_(bytes), at_(at) {}
  int64_t number() {
    skip();
    int64_t v = 0;
    uint64_t digits = 0;
    for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9'; at_++, digits++) {
      v = v * 10 + (bytes_[at_] - '0');
      if (v > INT32_MAX) bad_image("PNM", "it has a number that is too large");
    }
    if (digits == 0) bad_image("PNM", "it lacks a number");
    return v;
  }
  // A digit of a P1 file needs no space around it.
  int64_t bit() {
    skip();
    return part("PNM", bytes_, at_++, 1)[0] == '1';
  }
  uint64_t position() const { return at_; }

 private:
  void skip() {
    for (; at_ < bytes_.size(); at_++) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') at_++;
      } else if (bytes_[at_] != ' ' && (bytes_[at_] < '\t' || bytes_[at_] > '\r')) {
        return;
      }
    }
  }
  ImageBytes bytes_;
  uint64_t at_;
};

}  // namespace

void decode_bmp(ImageBytes bytes, Canvas& canvas) { Bmp(bytes).run(canvas); }

void decode_pnm(ImageBytes b, Canvas& canvas) {
  const int kind = b[1] - '0';  // 1 to 3 in text, 4 to 6 in bytes: bits, grey, colours
  const bool text = kind <= 3, bits = kind % 3 == 1;
  const int64_t parts = kind % 3 == 0 ? 3 : 1;
  PnmText in(b, 2);
  const int64_t width = in.number(), height = in.number(), most = bits ? 1 : in.number();
  if (most < 1 || most > 65535) bad_image("PNM", cat("its largest value is ", most));
  if (height < 1 || width < 1) bad_image("PNM", "it has no pixels");
  const int64_t bytes = most > 255 ? 2 : 1, values = width * parts;
  const uint64_t first = in.position() + 1;
  const auto step = static_cast<uint64_t>(bits ? (width + 7) / 8 : values * bytes);
  // A number takes at least a byte.
  const uint64_t least = text ? static_cast<uint64_t>(values) : step;
  if (static_cast<uint64_t>(height) > b.size() / least) bad_image("PNM", "it is cut off");
  canvas.begin("PNM", static_cast<uint64_t>(width), static_cast<uint64_t>(height));
  std::vector<uint8_t> row(static_cast<size_t>(values));
  for (int64_t y = 0; y < height; y++) {
    const ImageBytes line = text ? ImageBytes() : part("PNM", b, first + static_cast<uint64_t>(y) * step, step);
    for (int64_t i = 0; i < values; i++) {
      const auto at = static_cast<size_t>(i);
      int64_t v = 0;
      if (bits) {
        v = 1 - (text ? in.bit() : line[at / 8] >> (7 - i % 8) & 1);
      } else {
        v = text ? in.number() : bytes == 1 ? line[at] : line[2 * at] << 8 | line[2 * at + 1];
      }
      row[at] = static_cast<uint8_t>(std::min<int64_t>((v * 255 + most / 2) / most, 255));
    }
    if (parts == 3) {
      canvas.put_rgb(0, y, row.data(), width, 3);
    } else {
      canvas.put_gray(0, y, row.data(), width, 1);
    }
  }
}

}  // namespace sardonyx
