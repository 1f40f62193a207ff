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

// One row of a bilinear plane from the two rows x0 and x1 with weights w0 and w1, as the sum of four products, each of
// both axes' weights first: the order of onnxruntime. A model that quantises what it resized amplifies any other
// rounding.
SARDONYX_NOINLINE void bilinear_row(const ResizeAxis& a, const float* x0, const float* x1, float w0, float w1,
                                    float* y) noexcept {
  const V v0 = splat(w0), v1 = splat(w1);
  for (size_t i = 0; i < a.out; i += 4) {
    const size_t n = std::min<size_t>(4, a.out - i);
    float left[2][4] = {}, right[2][4] = {}, near[4] = {}, far[4] = {};
    for (size_t j = 0; j < n; j++) {
      const int32_t* index = a.index + 2 * (i + j);
      left[0][j] = x0[index[0]], right[0][j] = x0[index[1]];
      left[1][j] = x1[index[0]], right[1][j] = x1[index[1]];
      near[j] = a.weight[2 * (i + j)], far[j] = a.weight[2 * (i + j) + 1];
    }
    V sum = mul(mul(load(near), v0), load(left[0]));
    sum = add(sum, mul(mul(load(far), v0), load(right[0])));
    sum = add(sum, mul(mul(load(near), v1), load(left[1])));
    sum = add(sum, mul(mul(load(far), v1), load(right[1])));
    store_lanes(y + i, sum, n);
  }
}

}  // namespace

size_t resize_scratch_size(const ResizeAxis& rows, const ResizeAxis& cols) noexcept { return rows.in * cols.out + 16; }

void resize_plane_f32(const ResizeAxis& rows, const ResizeAxis& cols, const float* x, float* y,
                      float* scratch) noexcept {
  if (rows.taps == 2 && cols.taps == 2) {
    for (size_t r = 0; r < rows.out; r++) {
      const int32_t* index = rows.index + 2 * r;
      bilinear_row(cols, x + static_cast<size_t>(index[0]) * cols.in, x + static_cast<size_t>(index[1]) * cols.in,
                   rows.weight[2 * r], rows.weight[2 * r + 1], y + r * cols.out);
    }
    return;
  }
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
