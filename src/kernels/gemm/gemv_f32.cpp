// Products of a float32 matrix and a vector, bound by the memory that the matrix takes.
#include "kernels/gemm/gemm_f32.h"
#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

// ROWS dot products of length k with the same x, two accumulators each.
template <size_t ROWS>
SARDONYX_NOINLINE void dots(size_t k, const float* a, size_t lda, const float* x, float* out) noexcept {
  V acc[ROWS][2];
  for (auto& pair : acc) pair[0] = pair[1] = splat(0);
  size_t i = 0;
#pragma clang loop unroll(disable)
  for (; i + 8 <= k; i += 8) {
    V x0 = load(x + i), x1 = load(x + i + 4);
    for (size_t r = 0; r < ROWS; r++) {
      acc[r][0] = fmadd(x0, load(a + r * lda + i), acc[r][0]);
      acc[r][1] = fmadd(x1, load(a + r * lda + i + 4), acc[r][1]);
    }
  }
  for (size_t r = 0; r < ROWS; r++) {
    float s = lane_sum(add(acc[r][0], acc[r][1]));
    for (size_t q = i; q < k; q++) s += a[r * lda + q] * x[q];
    out[r] = s;
  }
}

// y[n] += x[0..ROWS) times ROWS rows of b.
template <size_t ROWS>
SARDONYX_NOINLINE void axpys(size_t n, const float* x, const float* b, size_t ldb, float* y) noexcept {
  V xv[ROWS];
  for (size_t r = 0; r < ROWS; r++) xv[r] = load_splat(x + r);
  size_t j = 0;
#pragma clang loop unroll(disable)
  for (; j + 4 <= n; j += 4) {
    V s = load(y + j);
    for (size_t r = 0; r < ROWS; r++) s = fmadd(xv[r], load(b + r * ldb + j), s);
    store(y + j, s);
  }
  if (j < n) {
    V s = load(y + j);
    for (size_t r = 0; r < ROWS; r++) s = fmadd(xv[r], load(b + r * ldb + j), s);
    store_lanes(y + j, s, n - j);
  }
}

}  // namespace

void gemv_f32(size_t m, size_t k, const float* a, size_t lda, const float* x, float* y, const Epilogue& e) noexcept {
  for (size_t row = 0, count; row < m; row += count) {
    float out[4];
    count = m - row >= 4 ? 4 : 1;
    (count == 4 ? dots<4> : dots<1>)(k, a + row * lda, lda, x, out);
    for (size_t i = 0; i < count; i++) {
      float s = out[i] + (e.row_bias ? e.row_bias[row + i] : 0) + (e.accumulate ? *addend_of(e, y + row + i) : 0);
      s = s < e.lo ? e.lo : s;
      y[row + i] = s > e.hi ? e.hi : s;
    }
  }
  activate(e, y, m, 1, m);
}

void gevm_f32(size_t k, size_t n, const float* x, const float* b, size_t ldb, float* y, const Epilogue& e) noexcept {
  float row_bias = e.row_bias ? *e.row_bias : 0;
  for (size_t j = 0; j < n; j++) {
    y[j] = (e.accumulate ? *addend_of(e, y + j) : 0) + row_bias + (e.col_bias ? e.col_bias[j] : 0);
  }
  size_t i = 0;
  for (; i + 4 <= k; i += 4) axpys<4>(n, x + i, b + i * ldb, ldb, y);
  for (; i < k; i++) axpys<1>(n, x + i, b + i * ldb, ldb, y);
  for (size_t j = 0; e.clamps() && j < n; j++) {
    float s = y[j] < e.lo ? e.lo : y[j];
    y[j] = s > e.hi ? e.hi : s;
  }
  activate(e, y, n, 1, n);
}

}  // namespace sardonyx::kernels
