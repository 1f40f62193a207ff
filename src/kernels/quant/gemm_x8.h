// Exact integer products of 8-bit matrices: C (int32) = (A - zero_a) * (B - zero_b), any mix of int8 and uint8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quant/form_x8.h"

namespace sardonyx::kernels {

// Both operands are packed as int16 with their zero points taken off, two steps of k side by side.
// A: strips of 4 rows; B: panels of 8 columns. Sizes in int16 elements, slack included.
size_t gemm_x8_packed_a_size(size_t m, size_t k) noexcept;
void gemm_x8_pack_a(size_t m, size_t k, const MatrixX8& a, int16_t* packed) noexcept;
size_t gemm_x8_packed_b_size(size_t k, size_t n) noexcept;
void gemm_x8_pack_b(size_t k, size_t n, const MatrixX8& b, int16_t* packed) noexcept;

// C[m0..m1)[n0..n1) of [m][n]; sums wrap modulo 2^32 as in the standard's int32. m0 a multiple of 4, n0 of 8; the ends
// likewise or m, n. bias [m] (int32) or null is added per row.
void gemm_x8_i32(size_t m, size_t k, size_t n, size_t m0, size_t m1, size_t n0, size_t n1, const int16_t* packed_a,
                 const int16_t* packed_b, const int32_t* bias, int32_t* c, size_t ldc) noexcept;

}  // namespace sardonyx::kernels
