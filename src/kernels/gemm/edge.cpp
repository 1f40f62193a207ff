// Tiles at the right and bottom edge of C: single columns with vectors along the rows, and clipped tiles.
#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

// One column: the strip's rows are the vector, so a 1-column rest costs 1/4 of a 4-column tile. out: 8 floats.
template <size_t MR>
SARDONYX_NOINLINE void column_tile(size_t k, const float* a, const float* b, size_t ldb, float* out) noexcept {
  V acc[4][2];
  for (auto& pair : acc) pair[0] = pair[1] = splat(0);
#pragma clang loop unroll(disable)
  for (; k >= 4; k -= 4) {
    for (size_t u = 0; u < 4; u++) {
      V bv = load_splat(b + u * ldb);
      acc[u][0] = fmadd(bv, load(a + u * MR), acc[u][0]);
      if (MR > 4) acc[u][1] = fmadd(bv, load(a + u * MR + 4), acc[u][1]);
    }
    a += 4 * MR;
    b += 4 * ldb;
  }
  for (; k > 0; k--, a += MR, b += ldb) {
    V bv = load_splat(b);
    acc[0][0] = fmadd(bv, load(a), acc[0][0]);
    if (MR > 4) acc[0][1] = fmadd(bv, load(a + 4), acc[0][1]);
  }
  for (size_t h = 0; h < (MR > 4 ? 2 : 1); h++) {
    store(out + h * 4, add(add(acc[0][h], acc[1][h]), add(acc[2][h], acc[3][h])));
  }
}

void column_strip(size_t height, size_t k, const float* a, const float* b, size_t ldb, float* out) noexcept {
  switch (height) {
    case 6:
      return column_tile<6>(k, a, b, ldb, out);
    case 4:
      return column_tile<4>(k, a, b, ldb, out);
    case 3:
      return column_tile<3>(k, a, b, ldb, out);
    case 2:
      return column_tile<2>(k, a, b, ldb, out);
    default:
      return column_tile<1>(k, a, b, ldb, out);
  }
}

// NaN stays NaN, as in clamp().
float finish(float v, const float* c, const float* row_bias, const float* col_bias, const Epilogue& e) noexcept {
  if (row_bias) v += *row_bias;
  if (col_bias) v += *col_bias;
  if (e.accumulate) v += *addend_of(e, c);
  if (v < e.lo) v = e.lo;
  if (v > e.hi) v = e.hi;
  return v;
}

}  // namespace

void gemm_edge(size_t height, size_t k, const float* a, const float* b, size_t ldb, float* c, size_t ldc, size_t rows,
               size_t cols, const float* row_bias, const float* col_bias, const Epilogue& e) noexcept {
  float tile[6 * kPanel];
  if (cols <= 2) {
    for (size_t j = 0; j < cols; j++) {
      column_strip(height, k, a, b + j, ldb, tile);
      for (size_t i = 0; i < rows; i++) {
        c[i * ldc + j] =
            finish(tile[i], c + i * ldc + j, row_bias ? row_bias + i : nullptr, col_bias ? col_bias + j : nullptr, e);
      }
    }
    return;
  }
  float rb[6] = {}, cb[kPanel] = {};
  if (row_bias) std::copy_n(row_bias, rows, rb);
  if (col_bias) std::copy_n(col_bias, cols, cb);
  Epilogue inner = e;
  if (e.accumulate) {
    std::fill_n(tile, 6 * kPanel, 0.0f);
    for (size_t i = 0; i < rows; i++) std::copy_n(addend_of(e, c + i * ldc), cols, tile + i * kPanel);
    inner.addend = 0;
  }
  auto* strip = cols > 4 ? gemm_strip<2> : gemm_strip<1>;
  strip(height, k, a, b, ldb, tile, kPanel, row_bias ? rb : nullptr, col_bias ? cb : nullptr, inner);
  for (size_t i = 0; i < rows; i++) {
    store_lanes(c + i * ldc, load(tile + i * kPanel), std::min<size_t>(cols, 4));
    if (cols > 4) store_lanes(c + i * ldc + 4, load(tile + i * kPanel + 4), cols - 4);
  }
}

}  // namespace sardonyx::kernels
