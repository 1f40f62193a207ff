// How the operands of 8-bit products are packed, by what the engine's instructions do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

// Element (i, j) at data[i * row_stride + j * col_stride]; is_signed: int8, else uint8. Value = element - zero point.
struct MatrixX8 {
  const void* data;
  size_t row_stride;
  size_t col_stride;
  bool is_signed;
  const int32_t* zero;  // null: 0; zero[0], or one per row of A / column of B if per_line
  bool zero_per_line;
};

// The relaxed 8-bit dot is specified for a second operand of 7 bits only; with more, an engine takes it as unsigned, as
// signed, or saturates. The operand of weights is the second one, the other is int8 (uint8 less 128).
enum class FormX8 : uint8_t {
  pairs,            // int16, two steps of k: everywhere
  unsigned_quads,   // four steps of k, weights as uint8
  signed_quads,     // as int8
  seven_bit_quads,  // less their minimum, where that leaves 7 bits: as specified
  short_quads       // four of them summed in 16 bits, weights as int8, the other as uint8: products of matrices alone
};

// Does the form give exact products in this build and engine?
bool is_exact_x8(FormX8 form) noexcept;

// Is a product of four steps one exact instruction here, for any weights (AVX-VNNI, ARM's dot product)? Native builds
// emulate it.
bool has_fast_dot_x8() noexcept;

// The fastest exact form for a right operand B [k][n] of weights.
FormX8 best_form_x8(size_t k, size_t n, const MatrixX8& b) noexcept;

}  // namespace sardonyx::kernels
