// Linear quantisation between float32 and 8-bit integers.
#include "kernels/quant/quantize.h"

#include <cmath>

#include "kernels/quant/bytes.h"

namespace sardonyx::kernels {
namespace {

// Rounds four floats half to even and adds the zero point; beyond 2^24 all results saturate anyway. NaN gives the zero
// point.
inline V round_to_i32(V v, V zero) {
  V bounded = clamp(v, splat(-16777216.0f), splat(16777216.0f));
  return wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(bounded)), zero);
}

template <bool SIGNED>
inline V narrow(V a, V b) {
  V pair = wasm_i16x8_narrow_i32x4(a, b);
  return SIGNED ? wasm_i8x16_narrow_i16x8(pair, pair) : wasm_u8x16_narrow_i16x8(pair, pair);
}

// y = saturate(round(f(4 elements at i)) + zero), eight at a time.
template <bool SIGNED, class F>
inline void quantize(void* y, size_t n, int32_t zero, F f) {
  auto* out = static_cast<uint8_t*>(y);
  V z = splat_i32(zero);
  for (size_t i = 0; i < n; i += 8) {
    V bytes = narrow<SIGNED>(round_to_i32(f(i), z), round_to_i32(f(i + 4), z));
    if (i + 8 <= n) {
      wasm_v128_store64_lane(out + i, bytes, 0);
    } else {
      uint8_t rest[16];
      store(rest, bytes);
      for (size_t j = 0; i + j < n; j++) out[i + j] = rest[j];
    }
  }
}

template <bool SIGNED>
inline void quantize_floats(const float* x, void* y, size_t n, float scale, int32_t zero) {
  quantize<SIGNED>(y, n, zero, [x, s = splat(scale)](size_t i) { return div(load(x + i), s); });
}

template <bool SIGNED>
inline void requantize(const int32_t* x, void* y, size_t n, float scale, int32_t zero) {
  quantize<SIGNED>(y, n, zero,
                   [x, s = splat(scale)](size_t i) { return mul(wasm_f32x4_convert_i32x4(load(x + i)), s); });
}

inline void dequantize_bytes(const uint8_t* x, bool is_signed, float* y, size_t n, float scale, int32_t zero) {
  V s = splat(scale), z = wasm_i16x8_splat(static_cast<int16_t>(zero));
  for (size_t i = 0; i < n; i += 8) {
    V v = wasm_i16x8_sub(load_bytes(x + i, is_signed), z);
    store_lanes(y + i, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(v)), s), n - i);
    if (i + 4 >= n) break;
    store_lanes(y + i + 4, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(v)), s), n - i - 4);
  }
}

}  // namespace

void quantize_u8(const float* x, uint8_t* y, size_t n, float scale, int32_t zero) noexcept {
  quantize_floats<false>(x, y, n, scale, zero);
}
void quantize_s8(const float* x, int8_t* y, size_t n, float scale, int32_t zero) noexcept {
  quantize_floats<true>(x, y, n, scale, zero);
}
void requantize_u8(const int32_t* x, uint8_t* y, size_t n, float scale, int32_t zero) noexcept {
  requantize<false>(x, y, n, scale, zero);
}
void requantize_s8(const int32_t* x, int8_t* y, size_t n, float scale, int32_t zero) noexcept {
  requantize<true>(x, y, n, scale, zero);
}

void dequantize_u8(const uint8_t* x, float* y, size_t n, float scale, int32_t zero) noexcept {
  dequantize_bytes(x, false, y, n, scale, zero);
}
void dequantize_s8(const int8_t* x, float* y, size_t n, float scale, int32_t zero) noexcept {
  dequantize_bytes(reinterpret_cast<const uint8_t*>(x), true, y, n, scale, zero);
}
void dequantize_i32(const int32_t* x, float* y, size_t n, float scale, int32_t zero) noexcept {
  V s = splat(scale), z = splat_i32(zero);
  for (size_t i = 0; i < n; i += 4) {
    store_lanes(y + i, mul(wasm_f32x4_convert_i32x4(wasm_i32x4_sub(load(x + i), z)), s), n - i);
  }
}

Range range_with_zero_f32(const float* x, size_t n) noexcept {
  V lo = splat(0), hi = splat(0);
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    lo = wasm_f32x4_min(lo, load(x + i));
    hi = wasm_f32x4_max(hi, load(x + i));
  }
  V rest = wasm_v128_and(load(x + i), first_lanes(n - i));
  if (i < n) lo = wasm_f32x4_min(lo, rest), hi = wasm_f32x4_max(hi, rest);
  return {-lane_max(wasm_f32x4_neg(lo)), lane_max(hi)};
}

QuantParams dynamic_quantize_params(Range r) noexcept {
  if (r.max == r.min) return {1, 0};
  float scale = (r.max - r.min) / 255.0f, zero = std::nearbyint(0 - r.min / scale);
  return {scale, zero > 255 ? uint8_t{255} : zero > 0 ? static_cast<uint8_t>(zero) : uint8_t{0}};
}

}  // namespace sardonyx::kernels
