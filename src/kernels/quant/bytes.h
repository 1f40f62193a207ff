// Loads of 8-bit elements as int16 lanes, signed or not, and the lines of operands; internal to kernels/quant/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quant/form_x8.h"
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

// The lines of an operand: a line is a row of A or a column of B; `along` is the stride of k.
struct LinesX8 {
  const uint8_t* data;
  size_t stride, along;
  bool is_signed;
  const int32_t* zero;
  bool zero_per_line;

  static LinesX8 rows_of(const MatrixX8& a) {
    return {static_cast<const uint8_t*>(a.data), a.row_stride, a.col_stride, a.is_signed, a.zero, a.zero_per_line};
  }
  static LinesX8 columns_of(const MatrixX8& b) {
    return {static_cast<const uint8_t*>(b.data), b.col_stride, b.row_stride, b.is_signed, b.zero, b.zero_per_line};
  }
  const uint8_t* at(size_t line, size_t i) const { return data + line * stride + i * along; }
  int32_t value(size_t line, size_t i) const { return byte_value(at(line, i), is_signed); }
  int32_t zero_of(size_t line) const { return zero ? zero[zero_per_line ? line : 0] : 0; }
};

// a0 b0 a1 b1 ...: two steps of k side by side, 16 elements.
inline void store_pairs(int16_t* p, V a, V b) {
  store(p, wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
  store(p + 8, wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
}

}  // namespace sardonyx::kernels
