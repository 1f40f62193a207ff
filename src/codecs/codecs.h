// Encoded images to pixels with the formats' own libraries, as Pillow's convert('RGB') and convert('L') give them.
//
// Every function here throws Error (runtime_error) that begins with the name of the format; bytes may be anything.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/image.h"

namespace sardonyx {

using ImageBytes = std::span<const uint8_t>;

// No more pixels than this are decoded: 805 MB of RGB.
constexpr uint64_t kMostPixels = uint64_t{1} << 28;

[[noreturn]] inline void bad_image(std::string_view format, std::string_view why) {
  fail(ErrorCode::runtime_error, cat(format, ": ", why));
}

// Takes rows, or parts of rows, in any order, and puts them where they belong in the wished format.
class Canvas {
 public:
  Canvas(PixelFormat format, ImageTarget& target, uint64_t most_pixels = kMostPixels)
      : format_(format), target_(target), most_pixels_(most_pixels) {}

  // The size of the encoded image, checked before anything is allocated. `orientation`: as TIFF numbers it, 1 to 8.
  void begin(std::string_view image_format, uint64_t width, uint64_t height, int orientation = 1);
  // `count` pixels from (x, y) on, which lie within; `step` bytes lead from a pixel to the next.
  void put_gray(int64_t x, int64_t y, const uint8_t* from, int64_t count, int64_t step);
  void put_rgb(int64_t x, int64_t y, const uint8_t* from, int64_t count, int64_t step);
  // Cyan, magenta, yellow, black: 0 is no ink.
  void put_cmyk(int64_t x, int64_t y, const uint8_t* from, int64_t count, int64_t step);

  int64_t width() const { return width_; }
  int64_t height() const { return height_; }
  uint64_t most_pixels() const { return most_pixels_; }

 private:
  int64_t channels() const { return format_ == PixelFormat::gray ? 1 : 3; }
  uint8_t* place(int64_t x, int64_t y) const { return pixels_ + (first_ + x * right_ + y * down_) * channels(); }
  void store(uint8_t* to, uint32_t r, uint32_t g, uint32_t b) const;

  PixelFormat format_;
  ImageTarget& target_;
  uint64_t most_pixels_;
  uint8_t* pixels_ = nullptr;
  int64_t width_ = 0, height_ = 0;            // before it is turned
  int64_t first_ = 0, right_ = 1, down_ = 0;  // in pixels: where (0, 0) is, and how far its neighbours are
};

// By what the bytes begin with.
void decode_any(ImageBytes bytes, Canvas& canvas);

void decode_bmp(ImageBytes bytes, Canvas& canvas);
void decode_jpeg(ImageBytes bytes, Canvas& canvas);
void decode_jpeg2000(ImageBytes bytes, Canvas& canvas);
void decode_png(ImageBytes bytes, Canvas& canvas);
void decode_pnm(ImageBytes bytes, Canvas& canvas);
void decode_tiff(ImageBytes bytes, Canvas& canvas);
void decode_webp(ImageBytes bytes, Canvas& canvas);

}  // namespace sardonyx
