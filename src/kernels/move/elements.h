// Dispatch on the size of an element: moves do not care what the bytes mean. Internal to kernels/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

struct Bytes16 {
  uint64_t lo, hi;
};

// Calls f with a value of a type of that size: 1, 2, 4, 8 or 16 bytes.
template <class F>
inline void with_element(size_t size, F f) {
  switch (size) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Bytes16{});
  }
}

}  // namespace sardonyx::kernels
