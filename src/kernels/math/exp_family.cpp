// Spans of the functions built on exp and log: activations and their kin.
#include "kernels/map.h"
#include "kernels/math/math.h"
#include "kernels/math/math_f32.h"

namespace sardonyx::kernels {

void exp_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, exp_v); }
void log_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, log_v); }
void expm1_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, expm1_v); }
void log1p_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, log1p_v); }
void tanh_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, tanh_v); }
void sigmoid_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, sigmoid_v); }
void erf_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, erf_v); }
void softplus_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, softplus_v); }
void gelu_f32(const float* x, float* y, size_t n) noexcept { map_f32(x, y, n, gelu_v); }

void gelu_tanh_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) {
    V cube = mul(mul(v, v), v);
    V t = tanh_v(mul(constant<0.79788456f>(), fmadd(constant<0.044715f>(), cube, v)));
    return mul(mul(v, constant<0.5f>()), add(t, constant<1.0f>()));
  });
}

void silu_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return mul(v, sigmoid_v(v)); });
}

void swish_f32(const float* x, float* y, size_t n, float alpha) noexcept {
  map_f32(x, y, n, [a = splat(alpha)](V v) { return mul(v, sigmoid_v(mul(v, a))); });
}

// tanh(log(1 + w)) = w (w + 2) / (w (w + 2) + 2) with w = exp(x), which is 1 in float32 from x = 20 on.
void mish_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) {
    V w = exp_v(clamp(v, splat(-104), splat(20)));
    V t = mul(w, add(w, splat(2)));
    return mul(v, div(t, add(t, splat(2))));
  });
}

void elu_f32(const float* x, float* y, size_t n, float alpha) noexcept { selu_f32(x, y, n, alpha, 1); }

void selu_f32(const float* x, float* y, size_t n, float alpha, float gamma) noexcept {
  map_f32(x, y, n, [below = splat(alpha * gamma), above = splat(gamma)](V v) {
    return select(wasm_f32x4_gt(v, splat(0)), mul(v, above), mul(expm1_v(v), below));
  });
}

void celu_f32(const float* x, float* y, size_t n, float alpha) noexcept {
  map_f32(x, y, n, [a = splat(alpha)](V v) {
    V negative = mul(a, expm1_v(div(v, a)));
    return add(positive_part(v), wasm_f32x4_pmin(negative, splat(0)));
  });
}

}  // namespace sardonyx::kernels
