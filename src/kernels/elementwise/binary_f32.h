// Elementwise operations on two float32 operands, either of which may be one repeated value.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

// y[i] = op(a[i * stride_a], b[i * stride_b]), strides 0 (a scalar) or 1. y may be a or b where that operand's stride
// is 1. A row broadcast is one call per row; a per-channel one is a call per channel with stride 0.
using BinaryF32 = void (*)(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y,
                           size_t n) noexcept;

void add_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y, size_t n) noexcept;
void sub_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y, size_t n) noexcept;
void mul_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y, size_t n) noexcept;
void div_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y, size_t n) noexcept;
void min_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y,
             size_t n) noexcept;  // NaN propagates
void max_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y,
             size_t n) noexcept;  // NaN propagates
void prelu_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y,
               size_t n) noexcept;  // a < 0 ? a b : a
// a^b by libm's powf; exponents 2, 3, 0.5, -1 and 1 that are one repeated value are computed directly.
void pow_f32(const float* a, size_t stride_a, const float* b, size_t stride_b, float* y, size_t n) noexcept;

// y[outer][inner] = op(a[outer][inner], b[inner]) and with b per row: y = op(a[o][i], b[o]); for short inner sizes too.
void binary_rows_f32(BinaryF32 op, const float* a, const float* b, float* y, size_t outer, size_t inner) noexcept;
void binary_cols_f32(BinaryF32 op, const float* a, const float* b, float* y, size_t outer, size_t inner) noexcept;

}  // namespace sardonyx::kernels
