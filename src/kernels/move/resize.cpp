// Separable resampling from the caller's tables.
#include "kernels/move/resize.h"

#include <algorithm>
#include <cstring>

#include "kernels/move/elements.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

// One row: y[i] = sum of weight * x[index].
SARDONYX_NOINLINE void resample_row(const ResizeAxis& a, const float* x, float* y) noexcept {
  const int32_t* index = a.index;
  const float* weight = a.weight;
  if (a.taps == 2) {
    for (size_t i = 0; i < a.out; i++, index += 2, weight += 2) {
      y[i] = weight[0] * x[index[0]] + weight[1] * x[index[1]];
    }
    return;
  }
  for (size_t i = 0; i < a.out; i++, index += a.taps, weight += a.taps) {
    float s = 0;
    for (size_t t = 0; t < a.taps; t++) s += weight[t] * x[index[t]];
    y[i] = s;
  }
}

// y [n] = the weighted sum of rows of x (row length n).
SARDONYX_NOINLINE void blend_rows(const int32_t* index, const float* weight, size_t taps, const float* x, size_t n,
                                  float* y) noexcept {
  for (size_t i = 0; i < n; i += 4) {
    V s = splat(0);
    for (size_t t = 0; t < taps; t++) {
      s = fmadd(load_splat(weight + t), load(x + static_cast<size_t>(index[t]) * n + i), s);
    }
    store_lanes(y + i, s, n - i);
  }
}

}  // namespace

size_t resize_scratch_size(const ResizeAxis& rows, const ResizeAxis& cols) noexcept { return rows.in * cols.out + 16; }

void resize_plane_f32(const ResizeAxis& rows, const ResizeAxis& cols, const float* x, float* y,
                      float* scratch) noexcept {
  for (size_t r = 0; r < rows.in; r++) resample_row(cols, x + r * cols.in, scratch + r * cols.out);
  resize_axis_f32(rows, scratch, y, 1, cols.out);
}

void resize_axis_f32(const ResizeAxis& axis, const float* x, float* y, size_t outer, size_t inner) noexcept {
  for (size_t o = 0; o < outer; o++, x += axis.in * inner) {
    if (inner == 1) {
      resample_row(axis, x, y);
      y += axis.out;
      continue;
    }
    for (size_t i = 0; i < axis.out; i++, y += inner) {
      blend_rows(axis.index + i * axis.taps, axis.weight + i * axis.taps, axis.taps, x, inner, y);
    }
  }
}

void resize_nearest_axis(const int32_t* index, size_t in, size_t out, const void* x, void* y, size_t outer,
                         size_t inner, size_t element_size) noexcept {
  const auto* src = static_cast<const uint8_t*>(x);
  auto* dst = static_cast<uint8_t*>(y);
  size_t block = inner * element_size;
  for (size_t o = 0; o < outer; o++, src += in * block, dst += out * block) {
    if (inner > 1) {
      for (size_t i = 0; i < out; i++) std::memcpy(dst + i * block, src + static_cast<size_t>(index[i]) * block, block);
      continue;
    }
    with_element(element_size, [&](auto zero) {
      using T = decltype(zero);
      const T* from = reinterpret_cast<const T*>(src);
      T* to = reinterpret_cast<T*>(dst);
      for (size_t i = 0; i < out; i++) to[i] = from[index[i]];
    });
  }
}

}  // namespace sardonyx::kernels
