// Linear quantisation between float32 and 8-bit integers.
#include "kernels/quant/quantize.h"

#include <cmath>

#include "kernels/quant/bytes.h"

namespace sardonyx::kernels {
namespace {

// Rounds four floats half to even and adds the zero point, given less the bits of kMagic; what is beyond 2^22 saturates
// anyway. NaN gives the zero point.
constexpr float kMagic = 12582912;  // 1.5 * 2^23: its sum with a float below 2^22 has the rounded integer in its bits
inline V less_magic(int32_t zero) { return splat_i32(zero - 0x4b400000); }
inline V round_to_i32(V v, V zero) {
  V bounded = clamp(wasm_v128_and(v, wasm_f32x4_eq(v, v)), constant<-4194303.0f>(), constant<4194303.0f>());
  return wasm_i32x4_add(add(bounded, constant<kMagic>()), zero);
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
  V z = less_magic(zero);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    V a = wasm_i16x8_narrow_i32x4(round_to_i32(f(i), z), round_to_i32(f(i + 4), z));
    V b = wasm_i16x8_narrow_i32x4(round_to_i32(f(i + 8), z), round_to_i32(f(i + 12), z));
    store(out + i, SIGNED ? wasm_i8x16_narrow_i16x8(a, b) : wasm_u8x16_narrow_i16x8(a, b));
  }
  for (; i < n; i += 8) {
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
  V lo[2] = {splat(0), splat(0)}, hi[2] = {splat(0), splat(0)}, nan = splat(0);
  auto take = [&](size_t at, V v) {
    lo[at] = wasm_f32x4_pmin(lo[at], v), hi[at] = wasm_f32x4_pmax(hi[at], v);
    nan = wasm_v128_or(nan, wasm_f32x4_ne(v, v));
  };
  size_t i = 0;
  for (; i + 8 <= n; i += 8) take(0, load(x + i)), take(1, load(x + i + 4));
  for (; i < n; i += 4) take(0, wasm_v128_and(load(x + i), first_lanes(n - i)));
  if (wasm_v128_any_true(nan)) return {__builtin_nanf(""), __builtin_nanf("")};
  return {-lane_max(wasm_f32x4_neg(wasm_f32x4_pmin(lo[0], lo[1]))), lane_max(wasm_f32x4_pmax(hi[0], hi[1]))};
}

QuantParams dynamic_quantize_params(Range r) noexcept {
  if (r.max == r.min) return {1, 0};
  float scale = (r.max - r.min) / 255.0f, zero = std::nearbyint(0 - r.min / scale);
  return {scale, zero > 255 ? uint8_t{255} : zero > 0 ? static_cast<uint8_t>(zero) : uint8_t{0}};
}

}  // namespace sardonyx::kernels
