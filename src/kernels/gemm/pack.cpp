// Packing of the operands of the float32 product into strips (A) and panels (B).
#include "kernels/gemm/gemm_f32.h"
#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

// H rows of a row-major A, k a multiple of 4, to [k][H]; H is 4 or 6.
template <size_t H>
SARDONYX_NOINLINE void pack_rows(size_t k, const float* a, size_t stride, float alpha, float* p) noexcept {
  V scale = splat(alpha);
  for (size_t i = 0; i < k; i += 4, a += 4, p += 4 * H) {
    V r[H];
    for (size_t h = 0; h < H; h++) r[h] = mul(flush_denormals(load(a + h * stride)), scale);
    transpose4(r[0], r[1], r[2], r[3]);
    for (size_t q = 0; q < 4; q++) store(p + q * H, r[q]);
    if constexpr (H == 6) {
      V lo = wasm_i32x4_shuffle(r[4], r[5], 0, 4, 1, 5), hi = wasm_i32x4_shuffle(r[4], r[5], 2, 6, 3, 7);
      wasm_v128_store64_lane(p + 4, lo, 0);
      wasm_v128_store64_lane(p + H + 4, lo, 1);
      wasm_v128_store64_lane(p + 2 * H + 4, hi, 0);
      wasm_v128_store64_lane(p + 3 * H + 4, hi, 1);
    }
  }
}

// The strip's rows are adjacent in memory (A transposed).
template <size_t H>
SARDONYX_NOINLINE void pack_cols(size_t k, const float* a, size_t stride, float alpha, float* p) noexcept {
  V scale = splat(alpha);
  for (size_t i = 0; i < k; i++, a += stride, p += H) {
    store(p, mul(flush_denormals(load(a)), scale));
    if constexpr (H == 6) {
      wasm_v128_store64_lane(p + 4, mul(flush_denormals(wasm_v128_load64_zero(a + 4)), scale), 0);
    }
  }
}

void pack_strip(size_t height, size_t rows, size_t k, const MatrixF32& a, size_t row, float alpha, float* p) noexcept {
  const float* src = a.data + row * a.row_stride;
  size_t done = 0;
  if (rows == height && height >= 4) {
    if (a.col_stride == 1) {
      done = k & ~size_t{3};
      (height == 6 ? pack_rows<6> : pack_rows<4>)(done, src, a.row_stride, alpha, p);
    } else if (a.row_stride == 1) {
      done = k;
      (height == 6 ? pack_cols<6> : pack_cols<4>)(done, src, a.col_stride, alpha, p);
    }
  }
  for (size_t i = done; i < k; i++) {
    for (size_t h = 0; h < height; h++) {
      const float v = h < rows ? src[h * a.row_stride + i * a.col_stride] : 0;
      p[i * height + h] = std::abs(v) < kLeastNormal ? 0 : v * alpha;
    }
  }
}

// PANELS panels of 8 columns of a row-major B: rows are read by whole cache lines.
template <size_t PANELS>
SARDONYX_NOINLINE void pack_panels(size_t k, const float* b, size_t stride, float* p) noexcept {
  const size_t step = kPanel * k;
#pragma clang loop unroll(disable)
  for (; k > 0; k--, b += stride, p += kPanel) {
    for (size_t i = 0; i < PANELS; i++) {
      V left = load(b + i * kPanel), right = load(b + i * kPanel + 4);
      store(p + i * step, left);
      store(p + i * step + 4, right);
    }
  }
}

// The last panel of a row-major B, 1 to 7 columns; memory behind them is read.
SARDONYX_NOINLINE void pack_last_panel(size_t k, size_t cols, const float* b, size_t stride, float* p) noexcept {
  V left = first_lanes(std::min<size_t>(cols, 4)), right = first_lanes(cols > 4 ? cols - 4 : 0);
#pragma clang loop unroll(disable)
  for (; k > 0; k--, b += stride, p += kPanel) {
    store(p, wasm_v128_and(load(b), left));
    store(p + 4, wasm_v128_and(load(b + 4), right));
  }
}

// 8 columns of a B stored transposed, k a multiple of 4.
SARDONYX_NOINLINE void pack_panel_transposed(size_t k, const float* b, size_t stride, float* p) noexcept {
  for (size_t i = 0; i < k; i += 4, b += 4, p += 4 * kPanel) {
    for (size_t half = 0; half < 2; half++) {
      const float* q = b + half * 4 * stride;
      V r0 = load(q), r1 = load(q + stride), r2 = load(q + 2 * stride), r3 = load(q + 3 * stride);
      transpose4(r0, r1, r2, r3);
      float* out = p + half * 4;
      store(out, r0);
      store(out + kPanel, r1);
      store(out + 2 * kPanel, r2);
      store(out + 3 * kPanel, r3);
    }
  }
}

// One panel: the first `cols` columns of b, zeros behind them.
void pack_columns(size_t k, size_t cols, const MatrixF32& b, float* packed) noexcept {
  size_t done = 0;
  if (cols < kPanel && b.col_stride == 1) {
    done = k;
    pack_last_panel(k, cols, b.data, b.row_stride, packed);
  } else if (cols == kPanel && b.row_stride == 1) {
    done = k & ~size_t{3};
    pack_panel_transposed(done, b.data, b.col_stride, packed);
  }
  for (size_t i = done; i < k; i++) {
    for (size_t j = 0; j < kPanel; j++) {
      packed[i * kPanel + j] = j < cols ? b.data[i * b.row_stride + j * b.col_stride] : 0;
    }
  }
}

}  // namespace

void flush_denormals_f32(float* x, size_t n) noexcept {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) store(x + i, flush_denormals(load(x + i)));
  for (; i < n; i++) x[i] = flush_denormal(x[i]);
}

size_t gemm_packed_a_size(size_t m, size_t k) noexcept { return padded_rows(m) * k + kPackSlack; }

size_t gemm_packed_b_size(size_t k, size_t n) noexcept { return (n + 7) / kPanel * kPanel * k + kPackSlack; }

void gemm_pack_a_f32(size_t m, size_t k, const MatrixF32& a, float alpha, float* packed) noexcept {
  for (size_t row = 0, height; row < padded_rows(m); row += height) {
    height = strip_height(m, row);
    pack_strip(height, std::min(height, m - row), k, a, row, alpha, packed + row * k);
  }
  std::fill_n(packed + padded_rows(m) * k, kPackSlack, 0.0f);
}

size_t gemm_pack_scratch_size(size_t k) noexcept { return kPanel * k; }

void gemm_pack_a_in_place_f32(size_t m, size_t k, float* a, float* scratch) noexcept {
  for (size_t row = 0, height; row < m; row += height, a += height * k) {
    height = strip_height(m, row);
    std::copy_n(a, height * k, scratch);
    pack_strip(height, height, k, {scratch, k, 1}, 0, 1, a);
  }
}

void gemm_pack_b_f32(size_t k, size_t n, const MatrixF32& b, float* packed) noexcept {
  size_t col = 0;
  if (b.col_stride == 1) {
    constexpr size_t kMany = 4;
    for (; col + kMany * kPanel <= n; col += kMany * kPanel, packed += kMany * kPanel * k) {
      pack_panels<kMany>(k, b.data + col, b.row_stride, packed);
    }
    for (; col + kPanel <= n; col += kPanel, packed += kPanel * k)
      pack_panels<1>(k, b.data + col, b.row_stride, packed);
  }
  for (; col < n; col += kPanel, packed += kPanel * k) {
    pack_columns(k, std::min(kPanel, n - col), {b.data + col * b.col_stride, b.row_stride, b.col_stride}, packed);
  }
}

void gemm_pack_b_in_place_f32(size_t k, size_t n, float* b, float* scratch) noexcept {
  for (size_t col = 0; col < n; col += kPanel, b += kPanel * k) {
    std::copy_n(b, kPanel * k, scratch);
    pack_columns(k, kPanel, {scratch, 1, k}, b);
    flush_denormals_f32(b, kPanel * k);
  }
}

}  // namespace sardonyx::kernels
