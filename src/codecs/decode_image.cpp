// decode_image() of native programs.
#include "codecs/codecs.h"

namespace sardonyx {

void decode_image(std::span<const uint8_t> bytes, PixelFormat format, ImageTarget& target) {
  Canvas canvas(format, target);
  decode_any(bytes, canvas);
}

}  // namespace sardonyx
