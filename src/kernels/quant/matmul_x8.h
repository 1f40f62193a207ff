// C (int32) = (A - zero_a) * (B - zero_b) for 8-bit matrices, B packed in 8 bits: the product of MatMulInteger and its
// kin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quant/form_x8.h"

namespace sardonyx::kernels {

// B, the weights: panels of 8 columns in 8 bits with what corrects the product for zero points. Sizes in bytes, slack
// included; of short_quads by what B holds.
size_t matmul_x8_packed_b_size(FormX8 form, size_t k, size_t n, const MatrixX8& b) noexcept;

// The fastest exact form for B, and its size.
struct PlanX8 {
  FormX8 form;
  size_t size;
};
PlanX8 matmul_x8_plan(size_t k, size_t n, const MatrixX8& b) noexcept;

void matmul_x8_pack_b(FormX8 form, size_t k, size_t n, const MatrixX8& b, uint8_t* packed) noexcept;

// A: strips of matmul_x8_strip(form) rows. Sizes in bytes, slack included.
size_t matmul_x8_strip(FormX8 form) noexcept;
size_t matmul_x8_packed_a_size(FormX8 form, size_t m, size_t k) noexcept;
// Rows [m0, m1) of A to their places in the packed whole; m0 begins a strip, m1 likewise or is m.
void matmul_x8_pack_a(FormX8 form, size_t m0, size_t m1, size_t k, const MatrixX8& a, uint8_t* packed) noexcept;

// C[m0..m1)[n0..n1) of [m][n]; sums wrap modulo 2^32 as in the standard's int32. m0 begins a strip, n0 is a multiple of
// 8; the ends likewise or m, n. Any split and any exact form gives the same bits.
void matmul_x8_i32(FormX8 form, size_t k, size_t m0, size_t m1, size_t n0, size_t n1, const uint8_t* packed_a,
                   const uint8_t* packed_b, int32_t* c, size_t ldc) noexcept;

// y[i][j] = x[i][j] * scale * (column_scale ? column_scale[j] : 1) + (bias ? bias[j] : 0) for rows ld apart; y may be
// x.
void scale_sums_f32(size_t rows, size_t cols, const int32_t* x, float scale, const float* column_scale,
                    const float* bias, float* y, size_t ld) noexcept;

// y[i] = clamp(x[i] * factor * scale + shift), each step rounded; y may be x.
void scale_clamp_sums_f32(const int32_t* x, float* y, size_t n, float factor, float scale, float shift, float lo,
                          float hi) noexcept;

}  // namespace sardonyx::kernels
