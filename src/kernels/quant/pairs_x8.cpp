// Pairs of int16: B is widened as it is loaded, or a panel at once for many rows.
#include "kernels/quant/pairs_x8.h"

#include <algorithm>

#include "kernels/quant/gemm_x8.h"
#include "kernels/quant/pair_tile_x8.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kStripHead = kPairRows * sizeof(int32_t) / sizeof(int16_t);
constexpr size_t kPanelHead = kPairCols * sizeof(int32_t);

size_t steps_of(size_t k) { return (k + 1) / 2; }

// The flip makes int8 of uint8 by taking off 128.
inline int8_t flipped(uint8_t v, uint8_t flip) { return static_cast<int8_t>(v ^ flip); }

// Two rows of B, adjacent columns: a0 b0 a1 b1 ...
inline void pack_pair(const uint8_t* r0, const uint8_t* r1, V flip, int8_t* p) {
  V a = wasm_v128_load64_zero(r0), b = wasm_v128_load64_zero(r1);
  V both = wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  store(p, wasm_v128_xor(both, flip));
}

SARDONYX_NOINLINE void pack_bytes(size_t k, size_t count, const MatrixX8& b, int8_t* p) noexcept {
  const auto* x = static_cast<const uint8_t*>(b.data);
  const uint8_t flip = b.is_signed ? 0 : 0x80;
  size_t i = 0;
  if (b.col_stride == 1 && count == kPairCols) {
    for (; i + 2 <= k; i += 2, p += 2 * kPairCols) {
      pack_pair(x + i * b.row_stride, x + (i + 1) * b.row_stride, wasm_i8x16_splat(static_cast<int8_t>(flip)), p);
    }
  }
  for (; i < k; i += 2, p += 2 * kPairCols) {
    std::fill_n(p, 2 * kPairCols, int8_t{0});
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
  for (; steps > 0; steps--, a += 2 * kPairRows) sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(load(a), ones));
  store(strip, sum);
}

// The sums of ROWS rows take the zero points of the columns off.
template <size_t ROWS>
inline void start(const int16_t* a, const int8_t* b, V (*acc)[2]) noexcept {
#pragma clang loop unroll(full)
  for (size_t i = 0; i < ROWS; i++) {
    V sum = wasm_v128_load32_splat(a + 2 * i);
    for (size_t j = 0; j < 2; j++) acc[i][j] = wasm_i32x4_neg(wasm_i32x4_mul(sum, load(b + 16 * j)));
  }
}

// ROWS rows of a strip by a panel.
template <size_t ROWS>
SARDONYX_NOINLINE void tile(size_t steps, const int16_t* a, const int8_t* b, int32_t* c, size_t ldc) noexcept {
  V acc[ROWS][2];
  start<ROWS>(a, b, acc);
  a += kStripHead;
  b += kPanelHead;
#pragma clang loop unroll(disable)
  for (; steps > 0; steps--, a += 2 * kPairRows, b += 2 * kPairCols)
    pair_step<ROWS>(a, wasm_i16x8_load8x8(b), wasm_i16x8_load8x8(b + 8), acc);
  store_pair_sums<ROWS>(acc, c, ldc);
}

// A whole strip by `steps` steps of a panel from `first` on, widened; later ones add to c.
SARDONYX_NOINLINE void wide_tile(size_t first, size_t steps, const int16_t* a, const int8_t* head, const int16_t* b,
                                 int32_t* c, size_t ldc) noexcept {
  V acc[kPairRows][2];
  if (first == 0) {
    start<kPairRows>(a, head, acc);
  } else {
    for (size_t i = 0; i < kPairRows; i++)
      for (size_t j = 0; j < 2; j++) acc[i][j] = load(c + i * ldc + 4 * j);
  }
  pair_steps(steps, a + kStripHead + first * 2 * kPairRows, b, acc);
  store_pair_sums<kPairRows>(acc, c, ldc);
}

}  // namespace

void pairs_pack_strip(size_t count, size_t k, const MatrixX8& a, uint8_t* strip) noexcept {
  auto* out = reinterpret_cast<int16_t*>(strip);
  gemm_x8_pack_a(count, k, a, out + kStripHead);
  sum_rows(steps_of(k), out);
}

void pairs_pack_panel(size_t count, size_t k, const MatrixX8& b, uint8_t* panel) noexcept {
  auto* zeros = reinterpret_cast<int32_t*>(panel);
  for (size_t i = 0; i < kPairCols; i++) {
    const int32_t zero = b.zero && i < count ? b.zero[b.zero_per_line ? i : 0] : 0;
    zeros[i] = i < count ? zero - (b.is_signed ? 0 : 128) : 0;
  }
  pack_bytes(k, count, b, reinterpret_cast<int8_t*>(panel + kPanelHead));
}

void pairs_tile(size_t rows, size_t k, const uint8_t* strip, const uint8_t* panel, int32_t* c, size_t ldc) noexcept {
  (rows > 2 ? tile<4>
   : rows == 2
       ? tile<2>
       : tile<1>)(steps_of(k), reinterpret_cast<const int16_t*>(strip), reinterpret_cast<const int8_t*>(panel), c, ldc);
}

void pairs_block(size_t k, size_t m0, size_t m1, size_t n0, size_t n1, const uint8_t* packed_a, const uint8_t* packed_b,
                 int32_t* c, size_t ldc) noexcept {
  constexpr size_t kSteps = 512, kFewRows = 64, kBlock = size_t{1} << 17;  // what is widened at once; A in the L2
  alignas(16) int16_t wide[kSteps * 2 * kPairCols];
  const size_t most = std::max(kFewRows, kBlock / std::max<size_t>(1, k) & ~(kPairRows - 1));
  for (size_t row = m0; row < m1; row += most) {
    const size_t end = std::min(m1, row + most);
    for (size_t j = n0; j < n1; j += kPairCols) {
      const auto* panel = reinterpret_cast<const int8_t*>(packed_b + j / kPairCols * pairs_panel_size(k));
      for (size_t first = 0; first == 0 || first < steps_of(k); first += kSteps) {
        const size_t steps = std::min(kSteps, steps_of(k) - first);
        const int8_t* from = panel + kPanelHead + first * 2 * kPairCols;
        for (size_t i = 0; i < steps * 2 * kPairCols; i += 8) store(wide + i, wasm_i16x8_load8x8(from + i));
        for (size_t i = row; i < end; i += kPairRows) {
          const uint8_t* strip = packed_a + i / kPairRows * pairs_strip_size(k);
          wide_tile(first, steps, reinterpret_cast<const int16_t*>(strip), panel, wide, c + i * ldc + j, ldc);
        }
      }
    }
  }
}

}  // namespace sardonyx::kernels
