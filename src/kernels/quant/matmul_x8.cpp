// Integer product with B in 8 bits: widened as it is loaded, one dot instruction for eight multiply-adds.
#include "kernels/quant/matmul_x8.h"

#include <algorithm>

#include "kernels/quant/bytes.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kRows = 4, kCols = 8, kSlack = 64;
// In front of a strip of A: the sums of its rows. In front of a panel of B: the zero points of its columns.
constexpr size_t kStripHead = kRows * sizeof(int32_t) / sizeof(int16_t);
constexpr size_t kPanelHead = kCols * sizeof(int32_t);

size_t pairs(size_t k) { return (k + 1) / 2; }
size_t strip_size(size_t k) { return kStripHead + pairs(k) * 2 * kRows; }
size_t panel_size(size_t k) { return kPanelHead + pairs(k) * 2 * kCols; }

// The flip makes int8 of uint8 by taking off 128.
inline int8_t flipped(uint8_t v, uint8_t flip) { return static_cast<int8_t>(v ^ flip); }

// Two rows of B, adjacent columns: a0 b0 a1 b1 ...
inline void pack_pair(const uint8_t* r0, const uint8_t* r1, V flip, int8_t* p) {
  V a = wasm_v128_load64_zero(r0), b = wasm_v128_load64_zero(r1);
  V both = wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  store(p, wasm_v128_xor(both, flip));
}

SARDONYX_NOINLINE void pack_panel(size_t k, size_t count, const MatrixX8& b, size_t first, int8_t* p) noexcept {
  const auto* x = static_cast<const uint8_t*>(b.data) + first * b.col_stride;
  const uint8_t flip = b.is_signed ? 0 : 0x80;
  size_t i = 0;
  if (b.col_stride == 1 && count == kCols) {
    for (; i + 2 <= k; i += 2, p += 2 * kCols) {
      pack_pair(x + i * b.row_stride, x + (i + 1) * b.row_stride, wasm_i8x16_splat(static_cast<int8_t>(flip)), p);
    }
  }
  for (; i < k; i += 2, p += 2 * kCols) {
    std::fill_n(p, 2 * kCols, int8_t{0});
    for (size_t j = 0; j < count; j++) {
      const uint8_t* at = x + i * b.row_stride + j * b.col_stride;
      p[2 * j] = flipped(*at, flip);
      if (i + 1 < k) p[2 * j + 1] = flipped(at[b.row_stride], flip);
    }
  }
}

SARDONYX_NOINLINE void sum_rows(size_t steps, int16_t* strip) noexcept {
  V sum = splat_i32(0), ones = wasm_i16x8_splat(1);
  const int16_t* a = strip + kStripHead;
  for (; steps > 0; steps--, a += 2 * kRows) sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(load(a), ones));
  store(strip, sum);
}

// ROWS rows of a strip by a panel.
template <size_t ROWS>
SARDONYX_NOINLINE void tile(size_t steps, const int16_t* a, const int8_t* b, int32_t* c, size_t ldc) noexcept {
  V acc[ROWS][2];
  for (size_t i = 0; i < ROWS; i++) {
    V sum = wasm_v128_load32_splat(a + 2 * i);
    for (size_t j = 0; j < 2; j++) acc[i][j] = wasm_i32x4_neg(wasm_i32x4_mul(sum, load(b + 16 * j)));
  }
  a += kStripHead;
  b += kPanelHead;
#pragma clang loop unroll(disable)
  for (; steps > 0; steps--, a += 2 * kRows, b += 2 * kCols) {
    V b0 = wasm_i16x8_load8x8(b), b1 = wasm_i16x8_load8x8(b + 8);
    for (size_t i = 0; i < ROWS; i++) {
      V av = wasm_v128_load32_splat(a + 2 * i);
      acc[i][0] = wasm_i32x4_add(acc[i][0], wasm_i32x4_dot_i16x8(av, b0));
      acc[i][1] = wasm_i32x4_add(acc[i][1], wasm_i32x4_dot_i16x8(av, b1));
    }
  }
  for (size_t i = 0; i < ROWS; i++) {
    store(c + i * ldc, acc[i][0]);
    store(c + i * ldc + 4, acc[i][1]);
  }
}

inline void strip_tile(size_t rows, size_t steps, const int16_t* a, const int8_t* b, int32_t* c, size_t ldc) noexcept {
  (rows > 2 ? tile<4> : rows == 2 ? tile<2> : tile<1>)(steps, a, b, c, ldc);
}

}  // namespace

size_t matmul_x8_packed_b_size(size_t k, size_t n) noexcept { return (n + kCols - 1) / kCols * panel_size(k) + kSlack; }

size_t matmul_x8_packed_a_size(size_t m, size_t k) noexcept { return (m + kRows - 1) / kRows * strip_size(k) + kSlack; }

void matmul_x8_pack_b(size_t k, size_t n, const MatrixX8& b, int8_t* packed) noexcept {
  for (size_t j = 0; j < n; j += kCols, packed += panel_size(k)) {
    size_t count = std::min(kCols, n - j);
    auto* zeros = reinterpret_cast<int32_t*>(packed);
    for (size_t i = 0; i < kCols; i++) {
      int32_t zero = b.zero && i < count ? b.zero[b.zero_per_line ? j + i : 0] : 0;
      zeros[i] = i < count ? zero - (b.is_signed ? 0 : 128) : 0;
    }
    pack_panel(k, count, b, j, packed + kPanelHead);
  }
}

void matmul_x8_pack_a(size_t m0, size_t m1, size_t k, const MatrixX8& a, int16_t* packed) noexcept {
  const auto* data = static_cast<const uint8_t*>(a.data);
  for (size_t i = m0; i < m1; i += kRows) {
    int16_t* strip = packed + i / kRows * strip_size(k);
    MatrixX8 rows = a;
    rows.data = data + i * a.row_stride;
    if (a.zero && a.zero_per_line) rows.zero = a.zero + i;
    gemm_x8_pack_a(std::min(kRows, m1 - i), k, rows, strip + kStripHead);
    sum_rows(pairs(k), strip);
  }
}

void matmul_x8_i32(size_t k, size_t m0, size_t m1, size_t n0, size_t n1, const int16_t* packed_a,
                   const int8_t* packed_b, int32_t* c, size_t ldc) noexcept {
  const size_t block = std::max(kCols, (size_t{1} << 17) / std::max<size_t>(1, k) & ~(kCols - 1)), steps = pairs(k);
  for (size_t j0 = n0; j0 < n1; j0 += block) {
    size_t j1 = std::min(n1, j0 + block);
    for (size_t i = m0; i < m1; i += kRows) {
      const int16_t* a = packed_a + i / kRows * strip_size(k);
      const size_t rows = std::min(kRows, m1 - i);
      for (size_t j = j0; j < j1; j += kCols) {
        const int8_t* b = packed_b + j / kCols * panel_size(k);
        const size_t cols = std::min(kCols, j1 - j);
        if (rows != 3 && cols == kCols) {
          strip_tile(rows, steps, a, b, c + i * ldc + j, ldc);
          continue;
        }
        int32_t out[kRows * kCols];
        strip_tile(rows, steps, a, b, out, kCols);
        for (size_t r = 0; r < rows; r++) std::copy_n(out + r * kCols, cols, c + (i + r) * ldc + j);
      }
    }
  }
}

void scale_sums_f32(size_t rows, size_t cols, const int32_t* x, float scale, const float* column_scale,
                    const float* bias, float* y, size_t ld) noexcept {
  const V one = splat(scale);
  for (size_t i = 0; i < rows; i++, x += ld, y += ld) {
    for (size_t j = 0; j < cols; j += 4) {
      V s = column_scale ? mul(one, load(column_scale + j)) : one;
      V v = mul(wasm_f32x4_convert_i32x4(load(x + j)), s);
      store_lanes(y + j, bias ? add(v, load(bias + j)) : v, cols - j);
    }
  }
}

}  // namespace sardonyx::kernels
