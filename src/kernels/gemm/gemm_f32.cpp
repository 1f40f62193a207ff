// The loops of the float32 product around its tiles.
#include "kernels/gemm/gemm_f32.h"

#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kBlockFloats = size_t{1} << 16;     // of B per column block: half of a usual L2
constexpr size_t kRowBlockFloats = size_t{1} << 18;  // of a dynamic A packed at once

// Panels of B for one block of columns.
struct Panels {
  const float* data;
  size_t ldb;
  size_t step;  // from one panel to the next
};

// Rows in place cost a page and a cache line each, every second of them once more for the next panel; packed once, B
// comes from the first caches. With few rows of A that does not pay, unless the rows of B fall into the same sets.
bool reads_in_place(const GemmB& b, size_t m, size_t k) noexcept {
  constexpr size_t kFewRows = 16, kLine = 64, kCache = size_t{1} << 15;
  const size_t stride = b.matrix.row_stride * sizeof(float);
  const size_t step = std::max(kLine, stride & -stride);  // between the sets that rows begin in
  return b.matrix.col_stride == 1 && (m <= kFewRows || k < kPanel) && k * step <= kCache;
}

Panels panels_of(const GemmB& b, size_t m, size_t k, size_t n0, size_t n1, float* scratch) noexcept {
  if (b.packed) return {b.matrix.data + n0 * k, kPanel, kPanel * k};
  if (b.codes.data) {
    half_widen_f32({b.codes.data + n0 * k, b.codes.unit}, scratch, (n1 - n0 + kPanel - 1) / kPanel * kPanel * k);
    return {scratch, kPanel, kPanel * k};
  }
  MatrixF32 part = b.matrix;
  part.data += n0 * part.col_stride;
  if (reads_in_place(b, m, k)) return {part.data, part.row_stride, kPanel};
  gemm_pack_b_f32(k, n1 - n0, part, scratch);
  return {scratch, kPanel, kPanel * k};
}

// Rows outer, panels inner: the weights stream once per block and rows of C are written in order.
SARDONYX_NOINLINE void column_block(size_t m, size_t k, size_t m0, size_t m1, size_t n0, size_t n1,
                                    const float* packed_a, const Panels& panels, float* c, size_t ldc,
                                    const Epilogue& e) noexcept {
  // A rest of 4 columns is done by pairs of strips.
  const size_t rest = n0 + ((n1 - n0) & ~(kPanel - 1));
  const float* rest_b = panels.data + (n1 - n0) / kPanel * panels.step;
  size_t paired = m0;  // the rest of the rows before it is done
  for (size_t row = m0; row < m1; row += strip_height(m, row)) {
    const float* row_bias = e.row_bias ? e.row_bias + row : nullptr;
    const float* b = panels.data;
    const size_t height = strip_height(m, row);
    if (n1 - rest == 4 && row >= paired && row + 2 * height <= m1 && strips_pair(m, row, height)) {
      gemm_strip_pair(height, k, packed_a + row * k, rest_b, panels.ldb, c + row * ldc + rest, ldc, row_bias,
                      e.col_bias ? e.col_bias + rest : nullptr, e);
      paired = row + 2 * height;
    }
    const size_t end = row < paired ? rest : n1;
    for (size_t n = n0; n < end; n += kPanel, b += panels.step) {
      gemm_strip_panel(m, row, k, packed_a, b, panels.ldb, c + row * ldc + n, ldc, std::min(kPanel, n1 - n), row_bias,
                       e.col_bias ? e.col_bias + n : nullptr, e);
    }
    activate(e, c + row * ldc + n0, ldc, std::min(height, m - row), n1 - n0);
  }
}

// A dynamic product with one row and alpha 1 has a form without packing.
bool dynamic_row(size_t k, size_t n, const MatrixF32& a, const GemmB& b, float* c, const Epilogue& e) noexcept {
  if (a.col_stride != 1 || b.codes.data) return false;
  if (b.packed) {
    gemm_packed_row<load>(k, n, a.data, b.matrix.data, 1, c, e);
    return true;
  }
  if (b.matrix.col_stride == 1) {
    gevm_f32(k, n, a.data, b.matrix.data, b.matrix.row_stride, c, e);
    return true;
  }
  if (b.matrix.row_stride != 1 || e.row_bias) return false;
  Epilogue swapped = e;
  swapped.row_bias = e.col_bias;
  swapped.col_bias = nullptr;
  gemv_f32(n, k, b.matrix.data, b.matrix.col_stride, a.data, c, swapped);
  return true;
}

// Rows of A packed at once: a multiple of 4 and 6, so that every block but the last is whole strips.
size_t row_block(size_t m, size_t k) noexcept {
  size_t rows = kRowBlockFloats / std::max<size_t>(k, 1) / 12 * 12;
  return std::min(m, std::max<size_t>(rows, 12));
}

}  // namespace

void gemm_finish_row(const float* v, float factor, float* y, size_t n0, size_t n1, const Epilogue& e) noexcept {
  const float row_bias = e.row_bias ? *e.row_bias : 0;
  size_t n = n0;
  for (; n + 4 <= n1; n += 4) {
    V s = add(mul(load(v + n - n0), splat(factor)), splat(row_bias));
    if (e.col_bias) s = add(s, load(e.col_bias + n));
    if (e.accumulate) s = add(s, load(addend_of(e, y + n)));
    store(y + n, clamp(s, splat(e.lo), splat(e.hi)));
  }
  for (; n < n1; n++) {
    float s = v[n - n0] * factor + row_bias + (e.col_bias ? e.col_bias[n] : 0);
    if (e.accumulate) s += *addend_of(e, y + n);
    s = s < e.lo ? e.lo : s;
    y[n] = s > e.hi ? e.hi : s;
  }
}

size_t gemm_block_columns(size_t k) noexcept {
  return std::max(kPanel, kBlockFloats / std::max<size_t>(k, 1) & ~(kPanel - 1));
}

size_t gemm_scratch_size(size_t k, size_t n) noexcept {
  return gemm_packed_b_size(k, std::min(n, gemm_block_columns(k)));
}

size_t gemm_strip_floor(size_t m, size_t row) noexcept {
  if (row >= m) return m;
  size_t at = 0;
  while (at + strip_height(m, at) <= row) at += strip_height(m, at);
  return at;
}

void gemm_f32_block(size_t m, size_t k, size_t n, size_t m0, size_t m1, size_t n0, size_t n1, const float* packed_a,
                    const GemmB& b, float* c, size_t ldc, float* scratch, const Epilogue& epilogue) noexcept {
  n1 = std::min(n, n1);
  // What few rows read of widened weights stays in the first cache.
  constexpr size_t kFewRows = 12;
  const bool narrow = b.codes.data && m1 - m0 <= kFewRows;
  for (size_t j = n0, step = narrow ? kPanel : gemm_block_columns(k); j < n1; j += step) {
    size_t end = std::min(n1, j + step);
    Panels panels = panels_of(b, m, k, j, end, scratch);
    column_block(m, k, m0, m1, j, end, packed_a, panels, c, ldc, epilogue);
  }
}

void gemm_f32(size_t m, size_t k, size_t n, const float* packed_a, const GemmB& b, float* c, size_t ldc, float* scratch,
              const Epilogue& epilogue) noexcept {
  gemm_f32_block(m, k, n, 0, m, 0, n, packed_a, b, c, ldc, scratch, epilogue);
}

size_t gemm_dynamic_scratch_size(size_t m, size_t k, size_t n) noexcept {
  return gemm_packed_a_size(row_block(m, k), k) + gemm_scratch_size(k, n);
}

void gemm_dynamic_f32(size_t m, size_t k, size_t n, const MatrixF32& a, float alpha, const GemmB& b, float* c,
                      size_t ldc, float* scratch, const Epilogue& epilogue) noexcept {
  if (m == 1 && alpha == 1 && dynamic_row(k, n, a, b, c, epilogue)) return;
  size_t rows = row_block(m, k);
  float* block_scratch = scratch + gemm_packed_a_size(rows, k);
  for (size_t row = 0; row < m; row += rows) {
    size_t count = std::min(rows, m - row);
    MatrixF32 part = a;
    part.data += row * a.row_stride;
    gemm_pack_a_f32(count, k, part, alpha, scratch);
    if (m == 1 && b.codes.data) return half_row_f32(k, n, scratch, b.codes, c, epilogue);
    Epilogue e = epilogue;
    if (e.row_bias) e.row_bias += row;
    gemm_f32_block(count, k, n, 0, count, 0, n, scratch, b, c + row * ldc, ldc, block_scratch, e);
  }
}

}  // namespace sardonyx::kernels
