// Vectorised transcendental functions over spans of float32. y may be x. NaN gives NaN; every n.
// Bounds hold for all finite inputs, measured against double by tests/kernels/math_test.cpp (ulp: of the float32
// result).
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

void exp_f32(const float* x, float* y, size_t n) noexcept;       // 2 ulp; denormal results flush gradually, no early 0
void log_f32(const float* x, float* y, size_t n) noexcept;       // 2 ulp; log(0) = -inf, log(< 0) = NaN
void tanh_f32(const float* x, float* y, size_t n) noexcept;      // 4 ulp
void sigmoid_f32(const float* x, float* y, size_t n) noexcept;   // 4 ulp down to 2^-126
void erf_f32(const float* x, float* y, size_t n) noexcept;       // 4 ulp
void softplus_f32(const float* x, float* y, size_t n) noexcept;  // 4 ulp; log(1 + exp(x)) without overflow
void gelu_f32(const float* x, float* y,
              size_t n) noexcept;  // x / 2 (1 + erf(x / sqrt 2)): |error| <= 2^-22 max(|x|, 2^-22)
void gelu_tanh_f32(const float* x, float* y, size_t n) noexcept;  // the standard's tanh approximation, same bound
void silu_f32(const float* x, float* y, size_t n) noexcept;       // x sigmoid(x), 5 ulp
void swish_f32(const float* x, float* y, size_t n, float alpha) noexcept;              // x sigmoid(alpha x)
void mish_f32(const float* x, float* y, size_t n) noexcept;                            // x tanh(softplus(x)): 8 ulp
void elu_f32(const float* x, float* y, size_t n, float alpha) noexcept;                // alpha (exp(x) - 1) below 0
void selu_f32(const float* x, float* y, size_t n, float alpha, float gamma) noexcept;  // gamma * elu
void celu_f32(const float* x, float* y, size_t n, float alpha) noexcept;               // alpha (exp(x / alpha) - 1)
void sin_f32(const float* x, float* y, size_t n) noexcept;    // |error| <= 2^-22; |x| > 8192 by libm
void cos_f32(const float* x, float* y, size_t n) noexcept;    // the same
void expm1_f32(const float* x, float* y, size_t n) noexcept;  // 4 ulp
void log1p_f32(const float* x, float* y, size_t n) noexcept;  // 4 ulp

// By libm, one element at a time: rarely hot.
void tan_f32(const float* x, float* y, size_t n) noexcept;
void asin_f32(const float* x, float* y, size_t n) noexcept;
void acos_f32(const float* x, float* y, size_t n) noexcept;
void atan_f32(const float* x, float* y, size_t n) noexcept;
void sinh_f32(const float* x, float* y, size_t n) noexcept;
void cosh_f32(const float* x, float* y, size_t n) noexcept;
void asinh_f32(const float* x, float* y, size_t n) noexcept;
void acosh_f32(const float* x, float* y, size_t n) noexcept;
void atanh_f32(const float* x, float* y, size_t n) noexcept;

}  // namespace sardonyx::kernels
