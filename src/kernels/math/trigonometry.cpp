// Spans of sin and cos, and of the functions that libm computes.
#include <cmath>

#include "kernels/map.h"
#include "kernels/math/math.h"
#include "kernels/math/math_f32.h"

namespace sardonyx::kernels {
namespace {

// Each element is computed by its own size alone: what is beside it, or behind the span, does not change its bits.
// Arguments too large for the vector reduction, infinities and NaN go to libm.
template <class F, class G>
inline V by_size(V x, F reduced, G libm) {
  V small = wasm_f32x4_le(wasm_f32x4_abs(x), splat(kMaxTrigArgument)), y = reduced(x);
  if (wasm_i32x4_all_true(small)) return y;
  float v[4];
  store(v, x);
  for (float& e : v) e = libm(e);
  return select(small, y, load(v));
}

template <class F>
inline void each(const float* x, float* y, size_t n, F f) {
  for (size_t i = 0; i < n; i++) y[i] = f(x[i]);
}

}  // namespace

void sin_f32(const float* x, float* y, size_t n) noexcept {
  const auto reduced = [](V v) {
    V s, c;
    sincos_v(v, s, c);
    return s;
  };
  map_f32(x, y, n, [&](V v) { return by_size(v, reduced, [](float e) { return std::sin(e); }); });
}

void cos_f32(const float* x, float* y, size_t n) noexcept {
  const auto reduced = [](V v) {
    V s, c;
    sincos_v(v, s, c);
    return c;
  };
  map_f32(x, y, n, [&](V v) { return by_size(v, reduced, [](float e) { return std::cos(e); }); });
}

void tan_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::tan(v); });
}
void asin_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::asin(v); });
}
void acos_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::acos(v); });
}
void atan_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::atan(v); });
}
void sinh_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::sinh(v); });
}
void cosh_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::cosh(v); });
}
void asinh_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::asinh(v); });
}
// Some libms return a number for large negative arguments.
void acosh_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return v >= 1 ? std::acosh(v) : __builtin_nanf(""); });
}
void atanh_f32(const float* x, float* y, size_t n) noexcept {
  each(x, y, n, [](float v) { return std::atanh(v); });
}

}  // namespace sardonyx::kernels
