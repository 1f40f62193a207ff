// What the wasm module of the codecs exports; web/src/codecs.ts calls it. Memory is malloc's.
#include <cstdlib>
#include <cstring>
#include <new>

#include "codecs/codecs.h"

namespace sardonyx {
namespace {

class Block final : public ImageTarget {
 public:
  uint8_t* allocate(int64_t height, int64_t width) override {
    this->height = height;
    this->width = width;
    const uint64_t bytes = static_cast<uint64_t>(height) * static_cast<uint64_t>(width) * channels;
    pixels = static_cast<uint8_t*>(std::malloc(static_cast<size_t>(bytes)));
    if (!pixels) throw std::bad_alloc();
    return pixels;
  }
  uint64_t channels = 3;
  int64_t height = 0, width = 0;
  uint8_t* pixels = nullptr;
};

char* copied(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) {
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = 0;
  }
  return copy;
}

}  // namespace
}  // namespace sardonyx

// Decodes `size` bytes; `format` is a PixelFormat. answer[0]: the pixels, or 0; answer[1] and answer[2]: height and
// width, or, where there are no pixels, the error's text (0: no memory). The caller frees pixels and text.
extern "C" void decode(const uint8_t* bytes, size_t size, int format, uint32_t* answer) {
  using namespace sardonyx;
  const auto address = [](void* p) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p)); };
  Block block;
  char* problem = nullptr;
  try {
    const auto pixel_format = static_cast<PixelFormat>(format);
    block.channels = pixel_format == PixelFormat::gray ? 1 : 3;
    Canvas canvas(pixel_format, block);
    decode_any({bytes, size}, canvas);
    answer[0] = address(block.pixels);
    answer[1] = static_cast<uint32_t>(block.height);
    answer[2] = static_cast<uint32_t>(block.width);
    return;
  } catch (const Error& e) {
    problem = copied(e.reason);
  } catch (const std::exception&) {
    problem = copied("there is no memory for an image of this size");
  }
  std::free(block.pixels);
  answer[0] = 0;
  answer[1] = address(problem);
}
