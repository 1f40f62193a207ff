// Which format it is, and where its pixels go.
#include "codecs/codecs.h"

#include <cstring>

namespace sardonyx {

void Canvas::begin(std::string_view image_format, uint64_t width, uint64_t height, int orientation) {
  if (width == 0 || height == 0 || width > INT32_MAX || height > most_pixels_ / width) {
    bad_image(image_format,
              cat("it has ", width, " x ", height, " pixels; from 1 to ", most_pixels_, " can be decoded"));
  }
  width_ = static_cast<int64_t>(width);
  height_ = static_cast<int64_t>(height);
  const bool turned = orientation >= 5;
  const int64_t columns = turned ? height_ : width_, rows = turned ? width_ : height_;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const int64_t column = from_right ? -1 : 1, row = from_bottom ? -columns : columns;
  first_ = (from_right ? columns - 1 : 0) + (from_bottom ? (rows - 1) * columns : 0);
  right_ = turned ? row : column;
  down_ = turned ? column : row;
  pixels_ = target_.allocate(rows, columns);
}

void Canvas::store(uint8_t* to, uint32_t r, uint32_t g, uint32_t b) const {
  if (format_ == PixelFormat::gray) {
    // ITU-R BT.601 in 16 bits, as Pillow computes it.
    to[0] = static_cast<uint8_t>((r * 19595u + g * 38470u + b * 7471u + 0x8000u) >> 16);
  } else {
    to[0] = static_cast<uint8_t>(format_ == PixelFormat::rgb ? r : b);
    to[1] = static_cast<uint8_t>(g);
    to[2] = static_cast<uint8_t>(format_ == PixelFormat::rgb ? b : r);
  }
}

void Canvas::put_gray(int64_t x, int64_t y, const uint8_t* from, int64_t count, int64_t step) {
  const int64_t stride = right_ * channels();
  uint8_t* to = place(x, y);
  for (int64_t i = 0; i < count; ++i, from += step, to += stride) {
    to[0] = *from;
    if (format_ != PixelFormat::gray) to[1] = to[2] = *from;
  }
}

void Canvas::put_rgb(int64_t x, int64_t y, const uint8_t* from, int64_t count, int64_t step) {
  const int64_t stride = right_ * channels();
  uint8_t* to = place(x, y);
  for (int64_t i = 0; i < count; ++i, from += step, to += stride) store(to, from[0], from[1], from[2]);
}

void Canvas::put_cmyk(int64_t x, int64_t y, const uint8_t* from, int64_t count, int64_t step) {
  const int64_t stride = right_ * channels();
  uint8_t* to = place(x, y);
  for (int64_t i = 0; i < count; ++i, from += step, to += stride) {
    const uint32_t light = 255u - from[3];
    const auto part = [light](uint32_t ink) {
      const uint32_t product = ink * light + 128;  // of two parts of 255, rounded
      return light - ((product + (product >> 8)) >> 8);
    };
    store(to, part(from[0]), part(from[1]), part(from[2]));
  }
}

void decode_any(ImageBytes b, Canvas& canvas) {
  const auto begins = [&](std::string_view magic, size_t at = 0) {
    return b.size() >= at + magic.size() && std::memcmp(b.data() + at, magic.data(), magic.size()) == 0;
  };
  if (begins("\xff\xd8\xff")) return decode_jpeg(b, canvas);
  if (begins("\x89PNG\r\n\x1a\n")) return decode_png(b, canvas);
  if (begins("RIFF") && begins("WEBP", 8)) return decode_webp(b, canvas);
  if (begins("jP  \r\n\x87\n", 4) || begins("\xff\x4f\xff\x51")) return decode_jpeg2000(b, canvas);
  if (begins("BM")) return decode_bmp(b, canvas);
  for (const char* magic : {"II*\0", "MM\0*", "II+\0", "MM\0+"}) {
    if (begins(std::string_view(magic, 4))) return decode_tiff(b, canvas);
  }
  if (b.size() > 2 && b[0] == 'P' && b[1] >= '1' && b[1] <= '6') return decode_pnm(b, canvas);
  fail(ErrorCode::runtime_error,
       "the bytes are of no known image format (BMP, JPEG, JPEG 2000, PNG, PNM, TIFF and WebP are)");
}

}  // namespace sardonyx
