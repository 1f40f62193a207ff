// Elementwise float32 functions that need no transcendental: y[i] = f(x[i]). y may be x. NaN gives NaN.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

using UnaryF32 = void (*)(const float* x, float* y, size_t n) noexcept;

void relu_f32(const float* x, float* y, size_t n) noexcept;
void abs_f32(const float* x, float* y, size_t n) noexcept;
void neg_f32(const float* x, float* y, size_t n) noexcept;
void sqrt_f32(const float* x, float* y, size_t n) noexcept;
void reciprocal_f32(const float* x, float* y, size_t n) noexcept;
void floor_f32(const float* x, float* y, size_t n) noexcept;
void ceil_f32(const float* x, float* y, size_t n) noexcept;
void round_f32(const float* x, float* y, size_t n) noexcept;       // halves to even
void sign_f32(const float* x, float* y, size_t n) noexcept;        // -1, 0, 1
void softsign_f32(const float* x, float* y, size_t n) noexcept;    // x / (1 + |x|)
void hard_swish_f32(const float* x, float* y, size_t n) noexcept;  // x max(0, min(1, x / 6 + 1 / 2))
void leaky_relu_f32(const float* x, float* y, size_t n, float alpha) noexcept;
// The same, and at least `least`.
void leaky_relu_above_f32(const float* x, float* y, size_t n, float alpha, float least) noexcept;
void clip_f32(const float* x, float* y, size_t n, float lo, float hi) noexcept;  // min(hi, max(x, lo)): hi wins
void hard_sigmoid_f32(const float* x, float* y, size_t n, float alpha, float beta) noexcept;
void thresholded_relu_f32(const float* x, float* y, size_t n, float alpha) noexcept;  // x > alpha ? x : 0
void shrink_f32(const float* x, float* y, size_t n, float bias, float lambd) noexcept;
void affine_f32(const float* x, float* y, size_t n, float scale, float shift) noexcept;  // x scale + shift

}  // namespace sardonyx::kernels
