// Loads of 8-bit elements as int16 lanes, signed or not; internal to kernels/quant/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simd.h"

namespace sardonyx::kernels {

// Eight elements.
inline V load_bytes(const uint8_t* p, bool is_signed) {
  return is_signed ? wasm_i16x8_load8x8(p) : wasm_u16x8_load8x8(p);
}

// Elements 0, 2, ... 14; reads 16.
inline V load_even_bytes(const uint8_t* p, bool is_signed) {
  V v = load(p);
  return is_signed ? wasm_i16x8_shr(wasm_i16x8_shl(v, 8), 8) : wasm_v128_and(v, wasm_i16x8_splat(0xff));
}

inline int32_t byte_value(const uint8_t* p, bool is_signed) { return is_signed ? static_cast<int8_t>(*p) : *p; }

// a0 b0 a1 b1 ...: two steps of k side by side, 16 elements.
inline void store_pairs(int16_t* p, V a, V b) {
  store(p, wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
  store(p + 8, wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
}

}  // namespace sardonyx::kernels
