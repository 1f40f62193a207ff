// BMP and PNM: pixels as they are.
#include "ops/image/image.h"

namespace sardonyx {

Image Image::of(int64_t width, int64_t height) {
  constexpr int64_t kMost = int64_t{1} << 29;
  if (width < 1 || height < 1 || width > kMost / height) {
    bad_image(cat("has ", width, " x ", height, " pixels, which are none or too many"));
  }
  Image image{width, height, {}};
  image.rgb.resize(static_cast<size_t>(width * height) * 3);
  return image;
}

Image decode_bmp(ImageBytes b) {
  const uint32_t first = little(b, 10, 4), header = little(b, 14, 4);
  const bool old = header == 12;
  const int64_t width = old ? little(b, 18, 2) : static_cast<int32_t>(little(b, 18, 4));
  const int64_t tall = old ? little(b, 20, 2) : static_cast<int32_t>(little(b, 22, 4));
  const uint32_t bits = old ? little(b, 24, 2) : little(b, 28, 2), packing = old ? 0 : little(b, 30, 4);
  if (packing != 0 || (bits != 8 && bits != 24 && bits != 32)) {
    bad_image(cat("is a BMP of ", bits, " bits and compression ", packing, "; known are 8, 24 and 32 bits without"));
  }
  const int64_t height = tall < 0 ? -tall : tall;
  if (width < 1 || height < 1) bad_image("has no pixels");
  const uint64_t step = (static_cast<uint64_t>(width) * bits + 31) / 32 * 4;
  part(b, first, step * static_cast<uint64_t>(height - 1));
  Image image = Image::of(width, height);
  const uint64_t palette = 14 + uint64_t{header};
  for (int64_t y = 0; y < height; y++) {
    const auto row = static_cast<uint64_t>(tall < 0 ? y : height - 1 - y);
    const ImageBytes line = part(b, first + row * step, static_cast<uint64_t>(width) * (bits / 8));
    for (int64_t x = 0; x < width; x++) {
      const auto at = static_cast<size_t>(x) * (bits / 8);
      const ImageBytes bgr = bits == 8 ? part(b, palette + uint64_t{line[at]} * (old ? 3 : 4), 3) : line.subspan(at, 3);
      for (size_t i = 0; i < 3; i++) image.at(x, y)[i] = bgr[2 - i];
    }
  }
  return image;
}

namespace {

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
      if (v > INT32_MAX) bad_image("has a number that is too large");
    }
    if (digits == 0) bad_image("lacks a number");
    return v;
  }
  // A digit of a P1 file needs no space around it.
  int64_t bit() {
    skip();
    return part(bytes_, at_++, 1)[0] == '1';
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

Image decode_pnm(ImageBytes b) {
  const int kind = b[1] - '0';  // 1 to 3 in text, 4 to 6 in bytes: bits, grey, colours
  const bool text = kind <= 3, bits = kind % 3 == 1;
  const int64_t parts = kind % 3 == 0 ? 3 : 1;
  PnmText in(b, 2);
  const int64_t width = in.number(), height = in.number(), most = bits ? 1 : in.number();
  if (most < 1 || most > 65535) bad_image(cat("has the largest value ", most));
  const int64_t bytes = most > 255 ? 2 : 1, values = width * parts;
  const uint64_t first = in.position() + 1;
  const auto step = static_cast<uint64_t>(bits ? (width + 7) / 8 : values * bytes);
  if (height < 1 || width < 1) bad_image("has no pixels");
  if (step > b.size() || (!text && static_cast<uint64_t>(height) > b.size() / step)) bad_image("is cut off");
  Image image = Image::of(width, height);
  for (int64_t y = 0; y < height; y++) {
    for (int64_t i = 0; i < values; i++) {
      const uint64_t at = first + static_cast<uint64_t>(y) * step;
      int64_t v = 0;
      if (bits) {
        const auto byte = static_cast<uint64_t>(i / 8);
        v = 1 - (text ? in.bit() : big(b, at + byte, 1) >> (7 - i % 8) & 1);
      } else {
        v = text ? in.number() : big(b, at + static_cast<uint64_t>(i * bytes), static_cast<int>(bytes));
      }
      const auto level = static_cast<uint8_t>(std::min<int64_t>((v * 255 + most / 2) / most, 255));
      uint8_t* to = image.at(i / parts, y);
      if (parts == 3) {
        to[i % 3] = level;
      } else {
        to[0] = to[1] = to[2] = level;
      }
    }
  }
  return image;
}

}  // namespace sardonyx
