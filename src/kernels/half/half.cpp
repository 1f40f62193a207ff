// float16 and bfloat16 from and to float32, four at a time with integer operations.
#include "kernels/half/half.h"

#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

// Four 16-bit values, zero-extended.
inline V load_u16(const uint16_t* p) { return wasm_u32x4_load16x4(p); }

// The low halves of four lanes (values below 65536), the first n of them.
inline void store_u16(uint16_t* p, V v, size_t n) {
  V packed = wasm_u16x8_narrow_i32x4(v, v);
  if (n >= 4) return wasm_v128_store64_lane(p, packed, 0);
  uint16_t all[8];
  store(all, packed);
  for (size_t i = 0; i < n; i++) p[i] = all[i];
}

inline V widen_f16(V h) {
  V magnitude = wasm_v128_and(h, splat_i32(0x7fff)), sign = wasm_i32x4_shl(wasm_v128_and(h, splat_i32(0x8000)), 16);
  V shifted = wasm_i32x4_shl(magnitude, 13);
  V normal = wasm_i32x4_add(shifted, splat_i32(112 << 23));
  V special = wasm_v128_or(shifted, splat_i32(0x7f800000));
  V denormal = mul(wasm_f32x4_convert_i32x4(magnitude), splat(0x1p-24f));
  V r = select(wasm_i32x4_lt(magnitude, splat_i32(0x400)), denormal, normal);
  r = select(wasm_i32x4_ge(magnitude, splat_i32(0x7c00)), special, r);
  return wasm_v128_or(r, sign);
}

inline V narrow_f16(V x) {
  V magnitude = wasm_v128_and(x, splat_i32(0x7fffffff));
  V sign = wasm_v128_and(wasm_u32x4_shr(x, 16), splat_i32(0x8000));
  // Half a unit less one, plus one if the result would be odd: rounds to nearest even. It carries into the exponent.
  V odd = wasm_v128_and(wasm_u32x4_shr(magnitude, 13), splat_i32(1));
  V rounded = wasm_u32x4_shr(wasm_i32x4_add(wasm_i32x4_add(magnitude, odd), splat_i32(0xfff)), 13);
  V normal = wasm_i32x4_min(wasm_i32x4_sub(rounded, splat_i32(112 << 10)), splat_i32(0x7c00));
  V denormal = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(mul(magnitude, splat(0x1p24f))));
  V nan = wasm_v128_or(wasm_v128_and(wasm_u32x4_shr(magnitude, 13), splat_i32(0x3ff)), splat_i32(0x7e00));
  V r = select(wasm_i32x4_lt(magnitude, splat_i32(0x38800000)), denormal, normal);
  r = select(wasm_i32x4_gt(magnitude, splat_i32(0x7f800000)), nan, r);
  return wasm_v128_or(r, sign);
}

inline V narrow_bf16(V x) {
  V high = wasm_u32x4_shr(x, 16), magnitude = wasm_v128_and(x, splat_i32(0x7fffffff));
  V odd = wasm_v128_and(high, splat_i32(1));
  V rounded = wasm_u32x4_shr(wasm_i32x4_add(wasm_i32x4_add(x, odd), splat_i32(0x7fff)), 16);
  V nan = wasm_v128_or(high, splat_i32(0x40));
  return select(wasm_i32x4_gt(magnitude, splat_i32(0x7f800000)), nan, rounded);
}

}  // namespace

void f16_to_f32(const uint16_t* x, float* y, size_t n) noexcept {
  for (size_t i = 0; i < n; i += 4) store_lanes(y + i, widen_f16(load_u16(x + i)), n - i);
}

void f32_to_f16(const float* x, uint16_t* y, size_t n) noexcept {
  for (size_t i = 0; i < n; i += 4) store_u16(y + i, narrow_f16(load(x + i)), n - i);
}

void bf16_to_f32(const uint16_t* x, float* y, size_t n) noexcept {
  for (size_t i = 0; i < n; i += 4) store_lanes(y + i, wasm_i32x4_shl(load_u16(x + i), 16), n - i);
}

void f32_to_bf16(const float* x, uint16_t* y, size_t n) noexcept {
  for (size_t i = 0; i < n; i += 4) store_u16(y + i, narrow_bf16(load(x + i)), n - i);
}

}  // namespace sardonyx::kernels
