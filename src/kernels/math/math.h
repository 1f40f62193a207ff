// Transcendental functions of four float32 lanes. Error bounds: math_f32.h. The polynomials are minimax fits made for
// this file (weighted least squares on Chebyshev nodes, in double), coefficients rounded to float32.
#pragma once

#include "kernels/simd.h"

namespace sardonyx::kernels {

// c[0] + x c[1] + ... in halves of halves (Estrin's scheme): by Horner's rule each step waits for the one before, and
// it is the latency that counts.
template <int N>
inline V polynomial(V x, const float (&c)[N]) {
  const float* at = opaque(c);
  V p[(N + 1) / 2];
#pragma clang loop unroll(full)
  for (int i = 0; i < N; i += 2)
    p[i / 2] = i + 1 < N ? fmadd(load_splat(at + i + 1), x, load_splat(at + i)) : load_splat(at + i);
  V power = x;
#pragma clang loop unroll(full)
  for (int n = (N + 1) / 2; n > 1; n = (n + 1) / 2) {
    power = mul(power, power);
#pragma clang loop unroll(full)
    for (int i = 0; i < n; i += 2) p[i / 2] = i + 1 < n ? fmadd(p[i + 1], power, p[i]) : p[i];
  }
  return p[0];
}

// 2^n for n in [-126, 127].
inline V power_of_two(V n) { return wasm_i32x4_shl(wasm_i32x4_add(n, constant_i32<127>()), 23); }

// x * 2^n in two steps, so that results may be denormal or infinite; n in [-252, 254].
inline V scale_by_power(V x, V n) {
  V half = wasm_i32x4_shr(n, 1);
  return mul(mul(x, power_of_two(half)), power_of_two(wasm_i32x4_sub(n, half)));
}

// Adding it rounds a float below 2^22 to an integer, which is then in the low bits of the sum: two instructions, where
// nearest and trunc_sat are ten on x86.
constexpr float kRounding = 12582912;  // 1.5 * 2^23

// x = n ln 2 + r with |r| <= ln 2 / 2, up to rounding, for |x| < 2^21; n, an int32, is returned (any for NaN).
inline V reduce_by_ln2(V x, V& r) {
  V t = fmadd(x, constant<1.44269504f>(), constant<kRounding>());
  V n = sub(t, constant<kRounding>());
  r = fnmadd(n, constant<-2.12194440e-4f>(), fnmadd(n, constant<0.693359375f>(), x));
  return wasm_i32x4_sub(t, constant<kRounding>());
}

// exp(x) = the result * 2^n.
inline V exp_reduced(V x, V& n) {
  V r;
  n = reduce_by_ln2(x, r);
  static constexpr float kC[] = {5.000000000e-01f, 1.666651815e-01f, 4.166620225e-02f, 8.368969895e-03f,
                                 1.395062893e-03f};
  return add(fmadd(mul(r, r), polynomial(r, kC), r), constant<1.0f>());
}

inline V exp_v(V x) {
  V n, p = exp_reduced(clamp(x, constant<-104.0f>(), constant<89.0f>()), n);
  return scale_by_power(p, n);
}

// For x in [-87, 88].
inline V exp_normal_v(V x) {
  V n, p = exp_reduced(x, n);
  return mul(p, power_of_two(n));
}

// For x <= 0 or NaN: 0 where exp(x) would be under e^-80, so that neither it nor its products with what is not tiny are
// denormal, for which processors take a hundred times as long.
inline V exp_or_zero_v(V x) {
  V lowest = constant<-80.0f>();
  return wasm_v128_andnot(exp_normal_v(wasm_f32x4_pmax(x, lowest)), wasm_f32x4_lt(x, lowest));
}

inline V expm1_v(V x) {
  V r, n = reduce_by_ln2(clamp(x, constant<-18.0f>(), constant<89.0f>()), r);
  static constexpr float kC[] = {5.000000000e-01f, 1.666666716e-01f, 4.166635126e-02f,
                                 8.333274163e-03f, 1.394113991e-03f, 1.991373865e-04f};
  V p = fmadd(mul(r, r), polynomial(r, kC), r);
  // (p + 1 - 2^-n) 2^n is exact for n = 0.
  V one = sub(constant<1.0f>(), power_of_two(wasm_i32x4_max(wasm_i32x4_neg(n), constant_i32<-126>())));
  V y = scale_by_power(add(p, one), n);
  // Keeps -0 and denormals.
  return select(wasm_f32x4_lt(wasm_f32x4_abs(x), constant<1e-30f>()), x, y);
}

// log(2^e (1 + f)), f in [sqrt(1/2) - 1, sqrt(2) - 1]; e as float.
inline V log_core(V f, V e) {
  static constexpr float kC[] = {3.333331048e-01f,  -2.499998659e-01f, 2.000223100e-01f,
                                 -1.666926444e-01f, 1.421856582e-01f,  -1.238404438e-01f,
                                 1.187340170e-01f,  -1.179191321e-01f, 6.916964054e-02f};
  V f2 = mul(f, f);
  V tail = fmadd(mul(f2, f), polynomial(f, kC), mul(e, constant<-2.12194440e-4f>()));
  return fmadd(e, constant<0.693359375f>(), add(f, fnmadd(constant<0.5f>(), f2, tail)));
}

// Splits a positive normal x into 2^e m, m in [sqrt(1/2), sqrt(2)).
inline V split_exponent(V x, V& m) {
  V e = wasm_i32x4_shr(wasm_i32x4_sub(x, constant_i32<0x3f3504f3>()), 23);
  m = wasm_i32x4_sub(x, wasm_i32x4_shl(e, 23));
  return e;
}

// What log gives where its argument is 0, negative, infinite or NaN.
inline V log_special(V x, V y) {
  const float inf = __builtin_inff();
  y = select(wasm_f32x4_eq(x, splat(inf)), x, y);
  y = select(wasm_f32x4_eq(x, splat(0)), splat(-inf), y);
  V valid = wasm_f32x4_ge(x, splat(0));
  return select(valid, y, splat(__builtin_nanf("")));
}

inline V log_v(V x) {
  V denormal = wasm_f32x4_lt(x, constant<kLeastNormal>()), m;
  V e = split_exponent(select(denormal, mul(x, constant<8388608.0f>()), x), m);
  e = sub(wasm_f32x4_convert_i32x4(e), wasm_v128_and(denormal, constant<23.0f>()));
  return log_special(x, log_core(sub(m, constant<1.0f>()), e));
}

inline V log1p_v(V x) {
  V u = add(x, constant<1.0f>()), m;
  // What the addition lost, relative to 2^e.
  V lost =
      select(wasm_f32x4_ge(x, constant<1.0f>()), sub(constant<1.0f>(), sub(u, x)), sub(x, sub(u, constant<1.0f>())));
  V e = split_exponent(u, m);
  V scale = power_of_two(wasm_i32x4_max(wasm_i32x4_neg(e), constant_i32<-126>()));
  V f = fmadd(lost, scale, sub(m, constant<1.0f>()));
  V y = log_special(u, log_core(f, wasm_f32x4_convert_i32x4(e)));
  return select(wasm_f32x4_lt(wasm_f32x4_abs(x), constant<1e-30f>()), x, y);
}

// max(x, 0) keeps NaN.
inline V positive_part(V x) { return wasm_f32x4_pmax(x, splat(0)); }

inline V with_sign_of(V magnitude, V x) { return wasm_v128_bitselect(x, magnitude, constant<-0.0f>()); }

inline V tanh_v(V x) {
  V t = expm1_v(clamp(mul(wasm_f32x4_abs(x), constant<2.0f>()), splat(0), constant<20.0f>()));
  return with_sign_of(div(t, add(t, constant<2.0f>())), x);
}

inline V sigmoid_v(V x) { return div(constant<1.0f>(), add(constant<1.0f>(), exp_v(wasm_f32x4_neg(x)))); }

inline V softplus_v(V x) {
  V y = log1p_v(exp_v(wasm_f32x4_neg(wasm_f32x4_abs(x))));
  return add(positive_part(x), y);
}

inline V erf_v(V x) {
  static constexpr float kSmall[] = {1.128379226e+00f, -3.761263490e-01f, 1.128369719e-01f, -2.685949951e-02f,
                                     5.201286171e-03f, -8.145596948e-04f, 8.382387750e-05f};
  static constexpr float kLarge[] = {1.128652215e+00f, 6.351358891e-01f,  1.062631607e-01f, -2.378536016e-02f,
                                     3.653770545e-03f, -3.256543714e-04f, 1.152246386e-05f};
  V a = clamp(wasm_f32x4_abs(x), splat(0), constant<4.0f>());
  V small = mul(x, polynomial(mul(x, x), kSmall));
  V large = sub(constant<1.0f>(), exp_normal_v(wasm_f32x4_neg(mul(a, polynomial(a, kLarge)))));
  return select(wasm_f32x4_lt(a, constant<0.92f>()), small, with_sign_of(large, x));
}

// x / 2 (1 + erf(x / sqrt 2)) = max(x, 0) - |x| / 2 erfc(|x| / sqrt 2), where erfc is (1 + y)^-8, y a polynomial.
// Powers of 1 + y are taken as y's, so that what is small is not rounded at 1. NaN at -infinity, as the formula gives.
inline V gelu_v(V x) {
  static constexpr float kC[] = {9.973527409e-02f, 4.476647265e-02f, 8.656796144e-03f,  8.881293741e-04f,
                                 1.819668692e-04f, 6.814571089e-05f, -1.046457807e-05f, 2.397791872e-06f};
  V a = wasm_f32x4_pmin(wasm_f32x4_abs(x), constant<30.0f>());  // there the tail is 0
  V y = mul(a, polynomial(a, kC));
  for (int i = 0; i < 3; i++) y = mul(y, add(y, constant<2.0f>()));
  V tail = div(mul(a, constant<0.5f>()), add(y, constant<1.0f>()));
  V nan = mul(wasm_f32x4_pmin(x, splat(0)), splat(0));  // at -infinity; 0 elsewhere
  return add(sub(positive_part(x), tail), nan);
}

// sin and cos for |x| <= kMaxTrigArgument; other lanes are meaningless.
constexpr float kMaxTrigArgument = 8192;

inline void sincos_v(V x, V& sine, V& cosine) {
  V n = wasm_f32x4_nearest(mul(x, constant<0.636619772f>()));
  V r = fnmadd(n, constant<1.5703125f>(), x);
  r = fnmadd(n, constant<0x1.fb8p-12f>(), r);
  r = fnmadd(n, constant<-0x1.5dde98p-23f>(), r);
  static constexpr float kSin[] = {-1.666665524e-01f, 8.332174271e-03f, -1.951669838e-04f};
  static constexpr float kCos[] = {4.166664556e-02f, -1.388736186e-03f, 2.443777703e-05f};
  V z = mul(r, r);
  V s = fmadd(mul(z, r), polynomial(z, kSin), r);
  V c = add(fmadd(mul(z, z), polynomial(z, kCos), mul(z, constant<-0.5f>())), constant<1.0f>());
  V quadrant = wasm_i32x4_trunc_sat_f32x4(n);
  V odd = wasm_i32x4_ne(wasm_v128_and(quadrant, constant_i32<1>()), splat_i32(0));
  V sin_sign = wasm_i32x4_shl(wasm_v128_and(quadrant, constant_i32<2>()), 30);
  V cos_sign = wasm_i32x4_shl(wasm_v128_and(wasm_i32x4_add(quadrant, constant_i32<1>()), constant_i32<2>()), 30);
  sine = wasm_v128_xor(select(odd, c, s), sin_sign);
  cosine = wasm_v128_xor(select(odd, s, c), cos_sign);
}

}  // namespace sardonyx::kernels
