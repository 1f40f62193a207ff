// The inner loop of products of int16 pairs; internal to kernels/quant/.
#pragma once

#include "kernels/quant/pairs_x8.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {

// ROWS rows of a strip [k / 2][4][2] by eight columns, one step: two of k.
template <size_t ROWS>
inline void pair_step(const int16_t* a, V b0, V b1, V (*acc)[2]) noexcept {
#pragma clang loop unroll(full)
  for (size_t i = 0; i < ROWS; i++) {
    V av = wasm_v128_load32_splat(a + 2 * i);
    acc[i][0] = wasm_i32x4_add(acc[i][0], wasm_i32x4_dot_i16x8(av, b0));
    acc[i][1] = wasm_i32x4_add(acc[i][1], wasm_i32x4_dot_i16x8(av, b1));
  }
}

// A whole strip by a panel [k / 2][8][2] of int16. Two steps a turn, as in the float32 tile.
inline void pair_steps(size_t steps, const int16_t* a, const int16_t* b, V (*acc)[2]) noexcept {
#pragma clang loop unroll(disable)
  for (; steps > 0; steps -= 2, a += 4 * kPairRows, b += 4 * kPairCols) {
    pair_step<kPairRows>(a, load(b), load(b + 8), acc);
    if (steps == 1) break;
    pair_step<kPairRows>(opaque(a + 2 * kPairRows), load(b + 16), load(b + 24), acc);
  }
}

template <size_t ROWS>
inline void store_pair_sums(V (*acc)[2], int32_t* c, size_t ldc) noexcept {
#pragma clang loop unroll(full)
  for (size_t i = 0; i < ROWS; i++) {
    store(c + i * ldc, acc[i][0]);
    store(c + i * ldc + 4, acc[i][1]);
  }
}

}  // namespace sardonyx::kernels
