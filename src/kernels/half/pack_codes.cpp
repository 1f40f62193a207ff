// The making of codes.
#include <algorithm>
#include <cmath>

#include "kernels/gemm/tiles.h"
#include "kernels/half/codes.h"
#include "kernels/half/half.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {

namespace {

// `height` columns of b from n0 on, side by side, zeros behind the last one.
uint16_t* pack_columns(size_t k, size_t n, const MatrixF16& b, size_t n0, size_t height, uint16_t* packed) noexcept {
  for (size_t i = 0; i < k; i++) {
    const uint16_t* from = b.data + i * b.row_stride + n0 * b.column_stride;
    for (size_t j = 0; j < height; j++) *packed++ = n0 + j < n ? from[j * b.column_stride] : 0;
  }
  return packed;
}

}  // namespace

void half_pack_b(size_t k, size_t n, const MatrixF16& b, uint16_t* packed) noexcept {
  for (size_t n0 = 0; n0 < n; n0 += kPanel) packed = pack_columns(k, n, b, n0, kPanel, packed);
  std::fill_n(packed, kPackSlack, uint16_t{0});
}

void half_pack_a(size_t m, size_t k, const uint16_t* a, uint16_t* packed) noexcept {
  for (size_t row = 0, height; row < padded_rows(m); row += height) {
    height = strip_height(m, row);
    packed = pack_columns(k, m, {a, 1, k}, row, height, packed);
  }
  std::fill_n(packed, kPackSlack, uint16_t{0});
}

float half_to_codes(uint16_t* x, size_t n) noexcept {
  constexpr int kInfinity = 0x7c00, kMostShift = 10;  // from there on no element is a denormal
  const V magnitude = wasm_i16x8_splat(0x7fff), normal = wasm_i16x8_splat(0x400);
  V most = wasm_i16x8_splat(0);
  for (size_t i = 0; i < n; i += 8) most = wasm_i16x8_max(most, wasm_v128_and(load(x + i), magnitude));
  int16_t lanes[8];
  store(lanes, most);
  const int largest = *std::max_element(lanes, lanes + 8);
  if (largest >= kInfinity) return 0;
  const int shift = std::min(kMostShift, 30 - (largest >> 10));
  const V added = wasm_i16x8_splat(static_cast<int16_t>(shift << 10));
  const float scale = std::ldexp(1.0f, shift);
  for (size_t i = 0; i < n; i += 8) {
    const V v = load(x + i), bits = wasm_v128_and(v, magnitude), small = wasm_i16x8_lt(bits, normal);
    if (wasm_v128_any_true(wasm_v128_and(small, bits))) {
      float block[8];
      f16_to_f32(x + i, block, 8);
      for (float& f : block) f *= scale;
      f32_to_f16(block, x + i, 8);
    } else {
      store(x + i, wasm_i16x8_add(v, wasm_v128_andnot(added, small)));
    }
  }
  return std::ldexp(1.0f, 112 - shift);
}

}  // namespace sardonyx::kernels
