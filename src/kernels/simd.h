// The 128-bit vector vocabulary of all kernels; the only file that knows which instruction set it is compiled for.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif

#define SARDONYX_NOINLINE __attribute__((noinline))

namespace sardonyx::kernels {

using V = v128_t;

inline V load(const void* p) { return wasm_v128_load(p); }
inline void store(void* p, V v) { wasm_v128_store(p, v); }
inline V splat(float x) { return wasm_f32x4_splat(x); }
inline V splat_i32(int32_t x) { return wasm_i32x4_splat(x); }
inline V load_splat(const float* p) { return wasm_v128_load32_splat(p); }

// A constant in a loop. As one that the compiler sees, V8 builds it anew of four instructions at every use on x86;
// loaded, it is one.
template <class T>
inline const T* opaque(const T* p) {
  asm("" : "+r"(p));
  return p;
}
template <float VALUE>
inline V constant() {
  static constexpr float kValue = VALUE;
  return wasm_v128_load32_splat(opaque(&kValue));
}
template <int32_t VALUE>
inline V constant_i32() {
  static constexpr int32_t kValue = VALUE;
  return wasm_v128_load32_splat(opaque(&kValue));
}

inline V add(V a, V b) { return wasm_f32x4_add(a, b); }
inline V sub(V a, V b) { return wasm_f32x4_sub(a, b); }
inline V mul(V a, V b) { return wasm_f32x4_mul(a, b); }
inline V div(V a, V b) { return wasm_f32x4_div(a, b); }
inline V select(V mask, V a, V b) { return wasm_v128_bitselect(a, b, mask); }

// a * b + c and c - a * b. The relaxed build may round once, the plain build rounds twice.
#if defined(__wasm_relaxed_simd__)
inline V fmadd(V a, V b, V c) { return wasm_f32x4_relaxed_madd(a, b, c); }
inline V fnmadd(V a, V b, V c) { return wasm_f32x4_relaxed_nmadd(a, b, c); }
#else
inline V fmadd(V a, V b, V c) { return add(mul(a, b), c); }
inline V fnmadd(V a, V b, V c) { return sub(c, mul(a, b)); }
#endif

// Rows of the product's main tile (gemm/tiles.h). Where a multiply-add is two instructions, the product needs a
// register of its own and 6x8 spills: 4x8 is 1.4 times faster there; fused, 6x8 is 5 to 10 % faster. Native builds are
// for tests and take the larger, which contains the smaller.
#if defined(__wasm__) && !defined(__wasm_relaxed_simd__)
constexpr size_t kStripRows = 4;
#else
constexpr size_t kStripRows = 6;
#endif

constexpr float kLeastNormal = std::numeric_limits<float>::min();
// 0 in place of denormal elements, products with which take some processors a hundred times as long.
inline V flush_denormals(V v) {
  return wasm_v128_andnot(v, wasm_f32x4_lt(wasm_f32x4_abs(v), constant<kLeastNormal>()));
}
inline float flush_denormal(float x) { return std::abs(x) < kLeastNormal ? 0 : x; }

// min(max(v, lo), hi) with one instruction each on x86; a NaN in v stays NaN.
inline V clamp(V v, V lo, V hi) { return wasm_f32x4_pmin(wasm_f32x4_pmax(v, lo), hi); }

inline float lane_sum(V v) {
  return (wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 2)) +
         (wasm_f32x4_extract_lane(v, 1) + wasm_f32x4_extract_lane(v, 3));
}

// Stores the first n lanes, 0 <= n <= 4.
inline void store_lanes(float* p, V v, size_t n) {
  if (n >= 4) {
    store(p, v);
    return;
  }
  if (n & 2) {
    wasm_v128_store64_lane(p, v, 0);
    p += 2;
    v = wasm_i32x4_shuffle(v, v, 2, 3, 2, 3);
  }
  if (n & 1) wasm_v128_store32_lane(p, v, 0);
}

// All bits set in the first n lanes, 0 <= n <= 4.
inline V first_lanes(size_t n) {
  return wasm_i32x4_lt(wasm_i32x4_const(0, 1, 2, 3), wasm_i32x4_splat(static_cast<int32_t>(n)));
}

inline float lane_max(V v) {
  v = wasm_f32x4_max(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
  return wasm_f32x4_extract_lane(wasm_f32x4_max(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2)), 0);
}

inline void transpose4(V& a, V& b, V& c, V& d) {
  V t0 = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), t1 = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
  V t2 = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), t3 = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
  a = wasm_i64x2_shuffle(t0, t2, 0, 2);
  b = wasm_i64x2_shuffle(t0, t2, 1, 3);
  c = wasm_i64x2_shuffle(t1, t3, 0, 2);
  d = wasm_i64x2_shuffle(t1, t3, 1, 3);
}

}  // namespace sardonyx::kernels
