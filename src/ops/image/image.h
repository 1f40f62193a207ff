// Encoded images to pixels: what ImageDecoder uses.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace sardonyx {

using ImageBytes = std::span<const uint8_t>;

// RGB, row after row from the top.
struct Image {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> rgb;

  // Black. Throws Error (runtime_error) for sizes that are none.
  static Image of(int64_t width, int64_t height);
  uint8_t* at(int64_t x, int64_t y) { return rgb.data() + (y * width + x) * 3; }
};

[[noreturn]] inline void bad_image(std::string why) { fail(ErrorCode::runtime_error, "the image " + std::move(why)); }

inline ImageBytes part(ImageBytes bytes, uint64_t at, uint64_t count) {
  if (at > bytes.size() || count > bytes.size() - at) bad_image("is cut off");
  return bytes.subspan(static_cast<size_t>(at), static_cast<size_t>(count));
}
// The number of `count` bytes at `at`, the lowest first, or the highest.
inline uint32_t little(ImageBytes bytes, uint64_t at, int count) {
  const ImageBytes b = part(bytes, at, static_cast<uint64_t>(count));
  uint32_t v = 0;
  for (int i = count - 1; i >= 0; i--) v = v << 8 | b[static_cast<size_t>(i)];
  return v;
}
inline uint32_t big(ImageBytes bytes, uint64_t at, int count) {
  uint32_t v = 0;
  for (uint8_t b : part(bytes, at, static_cast<uint64_t>(count))) v = v << 8 | b;
  return v;
}

// Each throws Error (runtime_error) for bytes that are no such image, or of a kind that is not supported.
Image decode_bmp(ImageBytes bytes);
Image decode_pnm(ImageBytes bytes);
Image decode_png(ImageBytes bytes);
Image decode_tiff(ImageBytes bytes);

// The zlib stream's (RFC 1950) content, which must be `size` bytes; more is left out.
std::vector<uint8_t> inflate(ImageBytes zlib, uint64_t size);

}  // namespace sardonyx
