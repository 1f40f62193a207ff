// Register tiles of the float32 product and the layout of packed weights; internal to kernels/.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {

constexpr size_t kPanel = 8;       // columns of a packed panel of B
constexpr size_t kPackSlack = 16;  // floats readable behind packed operands

// Fewer than 4 rows are one strip of that height; else rows are padded to a multiple of 4 and cut into strips of
// kStripRows (4 or 6), the rest (4 or 8 rows) in fours: 6x8 needs a third fewer loads of B, padding to 4 wastes less.
inline size_t padded_rows(size_t m) { return m < 4 ? m : (m + 3) & ~size_t{3}; }
inline size_t strip_height(size_t m, size_t row) {
  size_t rest = padded_rows(m) - row;
  return rest < 4 ? rest : (rest == 4 || rest == 8 ? 4 : kStripRows);
}

// One tile: MR rows of 4 * NV columns, c = clamp(bias + addend + a * b), without the activation. a: strip [k][MR]; b: k
// rows of 4 * NV floats, stride ldb. MR + NV + MR * NV near 15 keeps everything in registers; unrolling over k makes
// engines spill.
template <size_t MR, size_t NV>
SARDONYX_NOINLINE void gemm_tile(size_t k, const float* a, const float* b, size_t ldb, float* c, size_t ldc,
                                 const float* row_bias, const float* col_bias, const Epilogue& e) noexcept {
  // Without a fused multiply-add a step is over so soon that a turn of the loop takes a sixth of it.
  constexpr size_t kTurn = MR == 4 && NV == 2 && kStripRows == 4 ? 2 : 1;
  V acc[MR][NV];
  for (size_t i = 0; i < MR; i++) {
    V start = row_bias ? load_splat(row_bias + i) : splat(0);
    for (size_t j = 0; j < NV; j++) acc[i][j] = start;
  }
  if (col_bias) {
    for (size_t i = 0; i < MR; i++)
      for (size_t j = 0; j < NV; j++) acc[i][j] = add(acc[i][j], load(col_bias + j * 4));
  }
  if (e.accumulate) {
    const float* r = addend_of(e, c);
    for (size_t i = 0; i < MR; i++)
      for (size_t j = 0; j < NV; j++) acc[i][j] = add(acc[i][j], load(r + i * ldc + j * 4));
  }
  auto step = [&acc, &b, ldb](const float* x) {
    V bv[NV];
    for (size_t j = 0; j < NV; j++) bv[j] = load(b + j * 4);
    for (size_t i = 0; i < MR; i++) {
      V av = load_splat(x + i);
      for (size_t j = 0; j < NV; j++) acc[i][j] = fmadd(av, bv[j], acc[i][j]);
    }
    b += ldb;
  };
#pragma clang loop unroll(disable)
  for (; k > 0; k -= kTurn, a += kTurn * MR) {
    step(a);
    // A branch between the two, or engines load for both at once and spill.
    if (kTurn == 1) continue;
    if (k == 1) break;
    step(opaque(a + MR));
  }
  V lo = splat(e.lo), hi = splat(e.hi);
  for (size_t i = 0; i < MR; i++)
    for (size_t j = 0; j < NV; j++) store(c + i * ldc + j * 4, clamp(acc[i][j], lo, hi));
}

// The tile for a strip of `height` rows, all columns valid.
template <size_t NV>
inline void gemm_strip(size_t height, size_t k, const float* a, const float* b, size_t ldb, float* c, size_t ldc,
                       const float* row_bias, const float* col_bias, const Epilogue& e) noexcept {
  switch (height) {
    case 6:
      return gemm_tile<6, NV>(k, a, b, ldb, c, ldc, row_bias, col_bias, e);
    case 4:
      return gemm_tile<4, NV>(k, a, b, ldb, c, ldc, row_bias, col_bias, e);
    case 3:
      return gemm_tile<3, NV>(k, a, b, ldb, c, ldc, row_bias, col_bias, e);
    case 2:
      return gemm_tile<2, NV>(k, a, b, ldb, c, ldc, row_bias, col_bias, e);
    default:
      return gemm_tile<1, NV>(k, a, b, ldb, c, ldc, row_bias, col_bias, e);
  }
}

// Two strips of MR rows, one behind the other, against 4 columns: one alone leaves the latency of the adds open. All
// rows and columns are valid.
template <size_t MR>
SARDONYX_NOINLINE void gemm_pair(size_t k, const float* a, const float* b, size_t ldb, float* c, size_t ldc,
                                 const float* row_bias, const float* col_bias, const Epilogue& e) noexcept {
  V acc[2 * MR];
  V start = col_bias ? load(col_bias) : splat(0);
  for (size_t i = 0; i < 2 * MR; i++) acc[i] = row_bias ? add(load_splat(row_bias + i), start) : start;
  if (e.accumulate) {
    const float* r = addend_of(e, c);
    for (size_t i = 0; i < 2 * MR; i++) acc[i] = add(acc[i], load(r + i * ldc));
  }
  const float* second = a + MR * k;
#pragma clang loop unroll(disable)
  for (; k > 0; k--) {
    V bv = load(b);
    for (size_t i = 0; i < MR; i++) acc[i] = fmadd(load_splat(a + i), bv, acc[i]);
    for (size_t i = 0; i < MR; i++) acc[MR + i] = fmadd(load_splat(second + i), bv, acc[MR + i]);
    a += MR;
    second += MR;
    b += ldb;
  }
  V lo = splat(e.lo), hi = splat(e.hi);
  for (size_t i = 0; i < 2 * MR; i++) store(c + i * ldc, clamp(acc[i], lo, hi));
}

// May the strip of `height` rows at `row` be taken together with the next one?
inline bool strips_pair(size_t m, size_t row, size_t height) {
  return height >= 4 && row + 2 * height <= m && strip_height(m, row + height) == height;
}
inline void gemm_strip_pair(size_t height, size_t k, const float* a, const float* b, size_t ldb, float* c, size_t ldc,
                            const float* row_bias, const float* col_bias, const Epilogue& e) noexcept {
  (height == 6 ? gemm_pair<6> : gemm_pair<4>)(k, a, b, ldb, c, ldc, row_bias, col_bias, e);
}

// A strip whose tile hangs over the right or bottom edge of C: only rows x cols elements are read and written.
void gemm_edge(size_t height, size_t k, const float* a, const float* b, size_t ldb, float* c, size_t ldc, size_t rows,
               size_t cols, const float* row_bias, const float* col_bias, const Epilogue& e) noexcept;

// The strip that starts at row `row` (of m) against one panel of `cols` (1..8) columns.
inline void gemm_strip_panel(size_t m, size_t row, size_t k, const float* packed_a, const float* b, size_t ldb,
                             float* c, size_t ldc, size_t cols, const float* row_bias, const float* col_bias,
                             const Epilogue& e) noexcept {
  size_t height = strip_height(m, row);
  const float* a = packed_a + row * k;
  if (cols == kPanel && row + height <= m) return gemm_strip<2>(height, k, a, b, ldb, c, ldc, row_bias, col_bias, e);
  gemm_edge(height, k, a, b, ldb, c, ldc, std::min(height, m - row), cols, row_bias, col_bias, e);
}

// Columns of the product with one row, panel by panel; four panels at a time hide the latency of the adds.
// LOAD: four elements of T as floats.
template <size_t PANELS, auto LOAD, class T>
SARDONYX_NOINLINE void gemm_row_panels(size_t k, const float* x, const T* b, float* out) noexcept {
  V acc[PANELS][2];
  for (auto& pair : acc) pair[0] = pair[1] = splat(0);
#pragma clang loop unroll(disable)
  for (size_t i = 0; i < k; i++, b += kPanel) {
    V xv = load_splat(x + i);
    for (size_t p = 0; p < PANELS; p++) {
      acc[p][0] = fmadd(xv, LOAD(b + p * kPanel * k), acc[p][0]);
      acc[p][1] = fmadd(xv, LOAD(b + p * kPanel * k + 4), acc[p][1]);
    }
  }
  for (size_t p = 0; p < PANELS; p++) {
    store(out + p * kPanel, acc[p][0]);
    store(out + p * kPanel + 4, acc[p][1]);
  }
}

// y[n] for n in [n0, n1) = v[n - n0] * factor with the epilogue but for its activation.
void gemm_finish_row(const float* v, float factor, float* y, size_t n0, size_t n1, const Epilogue& e) noexcept;

// y[n] = factor x b with its epilogue, b packed.
template <auto LOAD, class T>
void gemm_packed_row(size_t k, size_t n, const float* x, const T* b, float factor, float* y,
                     const Epilogue& e) noexcept {
  float out[4 * kPanel];
  for (size_t n0 = 0; n0 < n;) {
    const bool four = n - n0 > 3 * kPanel;
    (four ? gemm_row_panels<4, LOAD, T> : gemm_row_panels<1, LOAD, T>)(k, x, b + n0 * k, out);
    const size_t n1 = std::min(n, n0 + (four ? 4 : 1) * kPanel);
    gemm_finish_row(out, factor, y, n0, n1, e);
    n0 = n1;
  }
  activate(e, y, n, 1, n);
}

}  // namespace sardonyx::kernels
