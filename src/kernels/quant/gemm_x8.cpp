// Integer product of 8-bit matrices: int16 pairs, one dot instruction for eight multiply-adds.
#include "kernels/quant/gemm_x8.h"

#include <algorithm>

#include "kernels/quant/bytes.h"
#include "kernels/quant/pair_tile_x8.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kRows = kPairRows, kCols = kPairCols, kSlack = 32;

// Adjacent k: eight steps of one line at a time, pairs scattered to their places.
template <size_t LINES>
SARDONYX_NOINLINE size_t pack_along(const LinesX8& m, size_t first, size_t count, size_t k, int16_t* p) noexcept {
  size_t whole = k & ~size_t{7};
  for (size_t l = 0; l < count; l++) {
    const uint8_t* x = m.data + (first + l) * m.stride;
    V zero = wasm_i16x8_splat(static_cast<int16_t>(m.zero_of(first + l)));
    int16_t* out = p + l * 2;
    for (size_t i = 0; i < whole; i += 8, out += 8 * LINES) {
      V v = wasm_i16x8_sub(load_bytes(x + i, m.is_signed), zero);
      wasm_v128_store32_lane(out, v, 0);
      wasm_v128_store32_lane(out + 2 * LINES, v, 1);
      wasm_v128_store32_lane(out + 4 * LINES, v, 2);
      wasm_v128_store32_lane(out + 6 * LINES, v, 3);
    }
  }
  return whole;
}

// Adjacent columns of B: two steps of k interleaved.
SARDONYX_NOINLINE size_t pack_across(const LinesX8& m, size_t first, size_t k, int16_t* p) noexcept {
  size_t whole = k & ~size_t{1};
  int16_t zeros[kCols];
  for (size_t j = 0; j < kCols; j++) zeros[j] = static_cast<int16_t>(m.zero_of(first + j));
  V zero = load(zeros);
  const uint8_t* x = m.data + first;
  for (size_t i = 0; i < whole; i += 2, p += 2 * kCols) {
    V a = wasm_i16x8_sub(load_bytes(x + i * m.along, m.is_signed), zero);
    V b = wasm_i16x8_sub(load_bytes(x + (i + 1) * m.along, m.is_signed), zero);
    store_pairs(p, a, b);
  }
  return whole;
}

// Lines [first, first + count) of LINES to [ceil(k / 2)][LINES][2], missing lines and the odd step as zeros.
template <size_t LINES>
void pack_group(const LinesX8& m, size_t first, size_t count, size_t k, int16_t* p) noexcept {
  if (count < LINES) std::fill_n(p, (k + 1) / 2 * 2 * LINES, int16_t{0});
  size_t done = 0;
  if (m.along == 1)
    done = pack_along<LINES>(m, first, count, k, p);
  else if (LINES == kCols && m.stride == 1 && count == LINES)
    done = pack_across(m, first, k, p);
  for (size_t i = done; i < k + (k & 1); i++) {
    for (size_t l = 0; l < count; l++) {
      int32_t v = i < k ? m.value(first + l, i) - m.zero_of(first + l) : 0;
      p[i / 2 * 2 * LINES + l * 2 + (i & 1)] = static_cast<int16_t>(v);
    }
  }
}

template <size_t LINES>
void pack(const LinesX8& m, size_t lines, size_t k, int16_t* packed) noexcept {
  size_t group = (k + 1) / 2 * 2 * LINES;
  for (size_t l = 0; l < lines; l += LINES, packed += group) {
    pack_group<LINES>(m, l, std::min(LINES, lines - l), k, packed);
  }
}

// 4 rows by 8 columns; steps: pairs of k.
SARDONYX_NOINLINE void tile(size_t steps, const int16_t* a, const int16_t* b, int32_t* c, size_t ldc,
                            const int32_t* bias) noexcept {
  V acc[kRows][2];
  for (size_t i = 0; i < kRows; i++) acc[i][0] = acc[i][1] = splat_i32(bias ? bias[i] : 0);
  pair_steps(steps, a, b, acc);
  store_pair_sums<kRows>(acc, c, ldc);
}

void edge_tile(size_t steps, const int16_t* a, const int16_t* b, int32_t* c, size_t ldc, const int32_t* bias,
               size_t rows, size_t cols) noexcept {
  int32_t out[kRows * kCols], start[kRows] = {};
  if (bias) std::copy_n(bias, rows, start);
  tile(steps, a, b, out, kCols, start);
  for (size_t i = 0; i < rows; i++) std::copy_n(out + i * kCols, cols, c + i * ldc);
}

}  // namespace

size_t gemm_x8_packed_a_size(size_t m, size_t k) noexcept {
  return (m + kRows - 1) / kRows * kRows * ((k + 1) / 2 * 2) + kSlack;
}

size_t gemm_x8_packed_b_size(size_t k, size_t n) noexcept {
  return (n + kCols - 1) / kCols * kCols * ((k + 1) / 2 * 2) + kSlack;
}

void gemm_x8_pack_a(size_t m, size_t k, const MatrixX8& a, int16_t* packed) noexcept {
  pack<kRows>(LinesX8::rows_of(a), m, k, packed);
}

void gemm_x8_pack_b(size_t k, size_t n, const MatrixX8& b, int16_t* packed) noexcept {
  pack<kCols>(LinesX8::columns_of(b), n, k, packed);
}

void gemm_x8_i32(size_t m, size_t k, size_t n, size_t m0, size_t m1, size_t n0, size_t n1, const int16_t* packed_a,
                 const int16_t* packed_b, const int32_t* bias, int32_t* c, size_t ldc) noexcept {
  size_t steps = (k + 1) / 2, block = std::max(kCols, (size_t{1} << 16) / std::max<size_t>(1, k) & ~(kCols - 1));
  n1 = std::min(n, n1);
  m1 = std::min(m, m1);
  for (size_t j0 = n0; j0 < n1; j0 += block) {
    size_t j1 = std::min(n1, j0 + block);
    for (size_t i = m0; i < m1; i += kRows) {
      const int16_t* a = packed_a + i * 2 * steps;
      for (size_t j = j0; j < j1; j += kCols) {
        const int16_t* b = packed_b + j * 2 * steps;
        size_t rows = std::min(kRows, m1 - i), cols = std::min(kCols, j1 - j);
        int32_t* out = c + i * ldc + j;
        const int32_t* start = bias ? bias + i : nullptr;
        if (rows == kRows && cols == kCols)
          tile(steps, a, b, out, ldc, start);
        else
          edge_tile(steps, a, b, out, ldc, start, rows, cols);
      }
    }
  }
}

}  // namespace sardonyx::kernels
