// Transforms of winograd_x8.h; internal to kernels/quant/.
#pragma once

#include "kernels/conv/winograd_tiles.h"
#include "kernels/quant/bytes.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {

inline V sub16(V a, V b) { return wasm_i16x8_sub(a, b); }
inline V add16(V a, V b) { return wasm_i16x8_add(a, b); }

// B^T d in int16: coefficients' absolute values add up to 10, so that both axes stay within 25500 for 8-bit images.
inline void transform_input_x8(const V* d, V* o) {
  const V d1 = wasm_i16x8_shl(d[1], 2), d2 = wasm_i16x8_shl(d[2], 2);
  const V p = sub16(d[4], d2), q = sub16(d[3], d1), r = sub16(d[4], d[2]), s = wasm_i16x8_shl(sub16(d[3], d[1]), 1);
  o[0] = add16(wasm_i16x8_shl(sub16(d[0], d[2]), 2), r);
  o[1] = add16(p, q);
  o[2] = sub16(p, q);
  o[3] = add16(r, s);
  o[4] = sub16(r, s);
  o[5] = sub16(d[5], add16(wasm_i16x8_shl(sub16(d[3], d[1]), 2), d[3]));
}

// Columns 0..5 of eight rows of int16, of which eight are readable.
inline void load_columns(const int16_t* p, const TileGroup* g, V* x) {
  V even[4], odd[4], last[4];  // columns 0 and 1, 2 and 3, 4 and 5 of two tiles
  for (size_t i = 0; i < 4; i++) {
    const size_t* at = g[i / 2].in + i % 2 * 2;
    const V a = load(p + at[0]), b = load(p + at[1]);
    const V low = wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    last[i] = wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 4, 12, 5, 13);
    even[i] = low, odd[i] = low;
  }
  const auto pair = [](V a, V b) { return wasm_i32x4_shuffle(a, b, 0, 4, 1, 5); };
  const auto high_pair = [](V a, V b) { return wasm_i32x4_shuffle(a, b, 2, 6, 3, 7); };
  const V t0 = pair(even[0], even[1]), t1 = pair(even[2], even[3]);
  const V t2 = high_pair(odd[0], odd[1]), t3 = high_pair(odd[2], odd[3]);
  const V t4 = pair(last[0], last[1]), t5 = pair(last[2], last[3]);
  x[0] = wasm_i64x2_shuffle(t0, t1, 0, 2), x[1] = wasm_i64x2_shuffle(t0, t1, 1, 3);
  x[2] = wasm_i64x2_shuffle(t2, t3, 0, 2), x[3] = wasm_i64x2_shuffle(t2, t3, 1, 3);
  x[4] = wasm_i64x2_shuffle(t4, t5, 0, 2), x[5] = wasm_i64x2_shuffle(t4, t5, 1, 3);
}

// One channel of the eight tiles of g[0] and g[1]: rows of point columns to o [6][6].
SARDONYX_NOINLINE inline void input_channel_x8(const int16_t* p, size_t width, const TileGroup* g, V* o) noexcept {
  V tmp[kTile][kTile];
#pragma clang loop unroll(disable)
  for (size_t r = 0; r < kTile; r++, p += width) {
    V x[kTile];
    load_columns(p, g, x);
    transform_input_x8(x, tmp[r]);
  }
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < kTile; c++) {
    V x[kTile], t[kTile];
    for (size_t r = 0; r < kTile; r++) x[r] = tmp[r][c];
    transform_input_x8(x, t);
    for (size_t r = 0; r < kTile; r++) o[r * kTile + c] = t[r];
  }
}

// Two channels whose padded rows lie `plane` apart; point i, pairs of them of eight tiles, goes to d + i * step.
inline void input_tiles_x8(const int16_t* p, size_t plane, size_t width, const TileGroup* g, int16_t* d,
                           size_t step) noexcept {
  V a[kPoints], b[kPoints];
  input_channel_x8(p, width, g, a);
  input_channel_x8(p + plane, width, g, b);
#pragma clang loop unroll(disable)
  for (size_t i = 0; i < kPoints; i++) store_pairs(d + i * step, a[i], b[i]);
}

// G g with rows scaled to whole numbers.
inline void transform_weights_x8(const V* g, V* o) {
  const V outer = add16(g[0], g[2]), four = add16(g[0], wasm_i16x8_shl(g[2], 2)), two = wasm_i16x8_shl(g[1], 1);
  o[0] = g[0];
  o[1] = wasm_i16x8_neg(add16(outer, g[1]));
  o[2] = sub16(g[1], outer);
  o[3] = add16(four, two);
  o[4] = sub16(four, two);
  o[5] = g[2];
}

// A strip: w [steps][9][8] less `zero`; point i goes to u + i * step, [steps][8].
SARDONYX_NOINLINE inline void weights_x8(const uint8_t* w, V zero, size_t steps, int16_t* u, size_t step) noexcept {
  for (; steps > 0; steps--, w += 9 * 8, u += 8) {
    V tmp[kTile][3];
    for (size_t c = 0; c < 3; c++) {
      V g[3], t[kTile];
      for (size_t r = 0; r < 3; r++) g[r] = sub16(load_bytes(w + (r * 3 + c) * 8, false), zero);
      transform_weights_x8(g, t);
      for (size_t r = 0; r < kTile; r++) tmp[r][c] = t[r];
    }
#pragma clang loop unroll(disable)
    for (size_t r = 0; r < kTile; r++) {
      V t[kTile];
      transform_weights_x8(tmp[r], t);
      for (size_t c = 0; c < kTile; c++) store(u + (r * kTile + c) * step, t[c]);
    }
  }
}

// 24 A^T e, where e is scaled as the kernel's transform is.
inline void transform_sums_x8(const V* e, V* o) {
  const auto times = [](V v, uint32_t shift) { return wasm_i32x4_shl(v, shift); };
  const auto plus = [](V a, V b) { return wasm_i32x4_add(a, b); };
  const V p = times(plus(e[1], e[2]), 2), q = times(wasm_i32x4_sub(e[1], e[2]), 2);
  const V r = plus(e[3], e[4]), s = times(wasm_i32x4_sub(e[3], e[4]), 1);
  o[0] = plus(plus(p, r), times(plus(times(e[0], 1), e[0]), 1));
  o[1] = plus(q, s);
  o[2] = plus(p, times(r, 2));
  o[3] = plus(plus(q, times(s, 2)), times(plus(times(e[5], 1), e[5]), 3));
}

// One output channel of four tiles; point i comes from p + i * stride. y: rows are `width` apart, columns `step`.
SARDONYX_NOINLINE inline void output_tiles_x8(const int32_t* p, size_t stride, const TileGroup& g, int32_t* y,
                                              size_t width, size_t step, int32_t bias) noexcept {
  constexpr int32_t kInverse = 0x38e38e39;  // of 9 modulo 2^32
  V tmp[4][kTile];
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < kTile; c++) {
    V x[kTile], o[4];
    for (size_t r = 0; r < kTile; r++) x[r] = load(p + (r * kTile + c) * stride);
    transform_sums_x8(x, o);
    for (size_t r = 0; r < 4; r++) tmp[r][c] = o[r];
  }
  const V b = splat_i32(bias);
#pragma clang loop unroll(disable)
  for (size_t r = 0; r < 4; r++) {
    V o[4];
    transform_sums_x8(tmp[r], o);
    for (V& v : o) v = wasm_i32x4_add(wasm_i32x4_shr(wasm_i32x4_mul(v, constant_i32<kInverse>()), 6), b);
    transpose4(o[0], o[1], o[2], o[3]);
    for (size_t i = 0; i < 4; i++) {
      int32_t* out = y + g.out[i] + r * width;
      if (g.full) {
        store(out, o[i]);
      } else if (r < g.rows[i]) {
        alignas(16) int32_t lanes[4];
        store(lanes, o[i]);
        for (size_t j = 0; j < g.cols[i]; j++) out[j * step] = lanes[j];
      }
    }
  }
}

}  // namespace sardonyx::kernels
