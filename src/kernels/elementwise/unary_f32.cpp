// Elementwise float32 functions that need no transcendental.
#include "kernels/elementwise/unary_f32.h"

#include "kernels/map.h"

namespace sardonyx::kernels {

void relu_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return wasm_f32x4_max(v, splat(0)); });
}
void abs_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return wasm_f32x4_abs(v); });
}
void neg_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return wasm_f32x4_neg(v); });
}
void sqrt_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return wasm_f32x4_sqrt(v); });
}
void reciprocal_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return div(splat(1), v); });
}
void floor_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return wasm_f32x4_floor(v); });
}
void ceil_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return wasm_f32x4_ceil(v); });
}
void round_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return wasm_f32x4_nearest(v); });
}

void sign_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) {
    V nonzero = wasm_f32x4_ne(v, splat(0));  // true for NaN
    V one = wasm_v128_or(wasm_v128_and(v, splat(-0.0f)), splat(1));
    V s = wasm_v128_and(nonzero, one);
    return select(wasm_f32x4_eq(v, v), s, v);
  });
}

// The infinities give NaN, as inf / inf does in the formula.
void softsign_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) { return div(v, add(wasm_f32x4_abs(v), splat(1))); });
}

void hard_swish_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) {
    V gate = clamp(fmadd(v, splat(1.0f / 6), splat(0.5f)), splat(0), splat(1));
    return mul(v, gate);
  });
}

void leaky_relu_f32(const float* x, float* y, size_t n, float alpha) noexcept {
  map_f32(x, y, n, [a = splat(alpha)](V v) { return select(wasm_f32x4_lt(v, splat(0)), mul(v, a), v); });
}

void leaky_relu_above_f32(const float* x, float* y, size_t n, float alpha, float least) noexcept {
  map_f32(x, y, n, [a = splat(alpha), l = splat(least)](V v) {
    return wasm_f32x4_pmax(select(wasm_f32x4_lt(v, splat(0)), mul(v, a), v), l);
  });
}

void clip_f32(const float* x, float* y, size_t n, float lo, float hi) noexcept {
  map_f32(x, y, n, [l = splat(lo), h = splat(hi)](V v) { return clamp(v, l, h); });
}

void hard_sigmoid_f32(const float* x, float* y, size_t n, float alpha, float beta) noexcept {
  map_f32(x, y, n, [a = splat(alpha), b = splat(beta)](V v) { return clamp(fmadd(v, a, b), splat(0), splat(1)); });
}

void thresholded_relu_f32(const float* x, float* y, size_t n, float alpha) noexcept {
  map_f32(x, y, n, [a = splat(alpha)](V v) { return wasm_v128_and(v, wasm_f32x4_gt(v, a)); });
}

void shrink_f32(const float* x, float* y, size_t n, float bias, float lambd) noexcept {
  map_f32(x, y, n, [b = splat(bias), l = splat(lambd)](V v) {
    V below = wasm_f32x4_lt(v, wasm_f32x4_neg(l)), above = wasm_f32x4_gt(v, l);
    return wasm_v128_or(wasm_v128_and(below, add(v, b)), wasm_v128_and(above, sub(v, b)));
  });
}

void affine_f32(const float* x, float* y, size_t n, float scale, float shift) noexcept {
  map_f32(x, y, n, [s = splat(scale), t = splat(shift)](V v) { return fmadd(v, s, t); });
}

}  // namespace sardonyx::kernels
