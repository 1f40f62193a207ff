// Encoded images to pixels: what operators ask for, and who answers.
#pragma once
#include <cstdint>
#include <span>

namespace sardonyx {

enum class PixelFormat : uint8_t { rgb, bgr, gray };

// Where the pixels go, once the size is known: [height, width, 3, or 1 for gray], row after row from the top.
class ImageTarget {
 public:
  virtual ~ImageTarget() = default;
  virtual uint8_t* allocate(int64_t height, int64_t width) = 0;
};

// Throws Error (runtime_error) for bytes that are no image, or one that cannot be decoded. Chosen at link: src/codecs
// in native programs; bindings/js_image.cpp in the wasm module, where the codecs are a module of their own.
void decode_image(std::span<const uint8_t> bytes, PixelFormat format, ImageTarget& target);

}  // namespace sardonyx
