// Spans of sin and cos, and of the functions that libm computes.
#include <cmath>

#include "kernels/map.h"
#include "kernels/math/math.h"
#include "kernels/math/math_f32.h"

namespace sardonyx::kernels {
namespace {

// Four elements with an argument too large for the vector reduction, or infinite or NaN.
template <class F>
SARDONYX_NOINLINE V by_libm(V x, F f) noexcept {
  float v[4];
  store(v, x);
  for (float& e : v) e = f(e);
  return load(v);
}

inline bool all_small(V x) { return wasm_i32x4_all_true(wasm_f32x4_le(wasm_f32x4_abs(x), splat(kMaxTrigArgument))); }

template <class F>
inline void each(const float* x, float* y, size_t n, F f) {
  for (size_t i = 0; i < n; i++) y[i] = f(x[i]);
}

}  // namespace

void sin_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) {
    if (!all_small(v)) return by_libm(v, [](float e) { return std::sin(e); });
    V s, c;
    sincos_v(v, s, c);
    return s;
  });
}

void cos_f32(const float* x, float* y, size_t n) noexcept {
  map_f32(x, y, n, [](V v) {
    if (!all_small(v)) return by_libm(v, [](float e) { return std::cos(e); });
    V s, c;
    sincos_v(v, s, c);
    return c;
  });
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
