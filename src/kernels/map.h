// Applies a vector function to spans of float32, four elements at a time; internal to kernels/.
#pragma once

#include "kernels/simd.h"

namespace sardonyx::kernels {

// y[i] = f(x[i]). Reads up to 12 bytes beyond x, writes exactly n elements.
template <class F>
inline void map_f32(const float* x, float* y, size_t n, F f) {
  size_t i = 0;
#pragma clang loop unroll(disable)
  for (; i + 4 <= n; i += 4) store(y + i, f(load(x + i)));
  if (i < n) store_lanes(y + i, f(load(x + i)), n - i);
}

}  // namespace sardonyx::kernels
