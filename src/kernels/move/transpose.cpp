// Permutes axes: merges those that stay together, then copies runs or transposes tiles of 2-D slices.
#include "kernels/move/transpose.h"

#include <algorithm>
#include <cstring>

#include "kernels/move/copy.h"
#include "kernels/move/elements.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

// The output's axes after merging: sizes and the strides of x along them, in elements.
struct Axes {
  size_t rank = 0;
  size_t dims[kMaxTransposeRank];
  size_t strides[kMaxTransposeRank];
};

Axes merge(const size_t* dims, const size_t* perm, size_t rank) noexcept {
  size_t strides[kMaxTransposeRank], stride = 1;
  for (size_t i = rank; i-- > 0; stride *= dims[i]) strides[i] = stride;
  Axes out;
  for (size_t i = 0; i < rank; i++) {
    size_t d = dims[perm[i]], s = strides[perm[i]];
    if (d == 1) continue;
    if (out.rank > 0 && out.strides[out.rank - 1] == s * d) {
      out.dims[out.rank - 1] *= d;
      out.strides[out.rank - 1] = s;
    } else {
      out.dims[out.rank] = d;
      out.strides[out.rank++] = s;
    }
  }
  return out;
}

// A short innermost run that stays in place becomes a larger element.
size_t widen(Axes& a, size_t element_size) noexcept {
  while (a.rank > 1 && a.strides[a.rank - 1] == 1) {
    size_t run = a.dims[a.rank - 1], size = run * element_size;
    if (size != 2 && size != 4 && size != 8 && size != 16) break;
    element_size = size;
    a.rank--;
    for (size_t i = 0; i < a.rank; i++) a.strides[i] /= run;
  }
  return element_size;
}

// y[c * y_stride + r] = x[r * x_stride + c] in tiles that stay in the cache.
template <class T>
SARDONYX_NOINLINE void transpose_any(const T* x, size_t x_stride, T* y, size_t y_stride, size_t rows,
                                     size_t cols) noexcept {
  constexpr size_t kTile = 16;
  for (size_t r0 = 0; r0 < rows; r0 += kTile) {
    size_t r1 = std::min(rows, r0 + kTile);
    for (size_t c = 0; c < cols; c++) {
      for (size_t r = r0; r < r1; r++) y[c * y_stride + r] = x[r * x_stride + c];
    }
  }
}

// Four rows, all columns.
SARDONYX_NOINLINE void transpose_rows4(const uint32_t* x, size_t x_stride, uint32_t* y, size_t y_stride,
                                       size_t cols) noexcept {
  size_t c = 0;
  for (; c + 4 <= cols; c += 4, y += 4 * y_stride) {
    V r0 = load(x + c), r1 = load(x + x_stride + c), r2 = load(x + 2 * x_stride + c), r3 = load(x + 3 * x_stride + c);
    transpose4(r0, r1, r2, r3);
    store(y, r0);
    store(y + y_stride, r1);
    store(y + 2 * y_stride, r2);
    store(y + 3 * y_stride, r3);
  }
  for (; c < cols; c++, y += y_stride) {
    for (size_t r = 0; r < 4; r++) y[r] = x[r * x_stride + c];
  }
}

void transpose_slice(const uint8_t* x, size_t x_stride, uint8_t* y, size_t y_stride, size_t rows, size_t cols,
                     size_t element_size) noexcept {
  if (element_size == 4) return transpose_2d_32(x, x_stride, y, y_stride, rows, cols);
  with_element(element_size, [&](auto zero) {
    using T = decltype(zero);
    transpose_any(reinterpret_cast<const T*>(x), x_stride, reinterpret_cast<T*>(y), y_stride, rows, cols);
  });
}

// Loops over all output axes but the last and the one that is x's innermost, and transposes these two.
void transpose_slices(const Axes& a, const uint8_t* x, uint8_t* y, size_t element_size) noexcept {
  size_t last = a.rank - 1, inner = 0, out_strides[kMaxTransposeRank], stride = 1, index[kMaxTransposeRank] = {};
  for (size_t i = a.rank; i-- > 0; stride *= a.dims[i]) {
    out_strides[i] = stride;
    if (a.strides[i] == 1) inner = i;
  }
  for (;;) {
    size_t from = 0, to = 0;
    for (size_t i = 0; i < a.rank; i++) from += index[i] * a.strides[i], to += index[i] * out_strides[i];
    transpose_slice(x + from * element_size, a.strides[last], y + to * element_size, out_strides[inner], a.dims[last],
                    a.dims[inner], element_size);
    size_t axis = last;
    while (axis-- > 0) {
      if (axis == inner) continue;
      if (++index[axis] < a.dims[axis]) break;
      index[axis] = 0;
    }
    if (axis == static_cast<size_t>(-1)) return;
  }
}

}  // namespace

void transpose_2d_32(const void* x, size_t x_stride, void* y, size_t y_stride, size_t rows, size_t cols) noexcept {
  const auto* src = static_cast<const uint32_t*>(x);
  auto* dst = static_cast<uint32_t*>(y);
  size_t r = 0;
  for (; r + 4 <= rows; r += 4) transpose_rows4(src + r * x_stride, x_stride, dst + r, y_stride, cols);
  if (r < rows) transpose_any(src + r * x_stride, x_stride, dst + r, y_stride, rows - r, cols);
}

void transpose(const void* x, void* y, const size_t* dims, const size_t* perm, size_t rank,
               size_t element_size) noexcept {
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) count *= dims[i];
  if (count == 0) return;
  Axes a = merge(dims, perm, rank);
  element_size = widen(a, element_size);
  if (a.rank == 0 || (a.rank == 1 && a.strides[0] == 1)) {
    std::memcpy(y, x, (a.rank ? a.dims[0] : 1) * element_size);
    return;
  }
  const auto* src = static_cast<const uint8_t*>(x);
  auto* dst = static_cast<uint8_t*>(y);
  if (a.strides[a.rank - 1] != 1) return transpose_slices(a, src, dst, element_size);
  ptrdiff_t from[kMaxTransposeRank], to[kMaxTransposeRank], stride = 1;
  for (size_t i = a.rank; i-- > 0; stride *= static_cast<ptrdiff_t>(a.dims[i])) {
    to[i] = stride;
    from[i] = static_cast<ptrdiff_t>(a.strides[i]);
  }
  copy_strided(x, from, y, to, a.dims, a.rank, element_size);
}

}  // namespace sardonyx::kernels
