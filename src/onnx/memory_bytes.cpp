// The bytes of a model that lie in memory.
#include <algorithm>
#include <cstring>

#include "onnx/loader.h"

namespace sardonyx {

size_t MemoryBytes::read(std::span<std::byte> to) {
  const size_t count = std::min({to.size(), piece_, bytes_.size() - position_});
  if (count > 0) memcpy(to.data(), bytes_.data() + position_, count);
  position_ += count;
  return count;
}

}  // namespace sardonyx
