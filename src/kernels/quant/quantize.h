// Linear quantisation between float32 and 8-bit integers (ONNX QuantizeLinear, DequantizeLinear,
// DynamicQuantizeLinear).
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

// y = saturate(round_half_even(x / scale) + zero); NaN counts as 0.
void quantize_u8(const float* x, uint8_t* y, size_t n, float scale, int32_t zero) noexcept;
void quantize_s8(const float* x, int8_t* y, size_t n, float scale, int32_t zero) noexcept;

// y = (x - zero) * scale.
void dequantize_u8(const uint8_t* x, float* y, size_t n, float scale, int32_t zero) noexcept;
void dequantize_s8(const int8_t* x, float* y, size_t n, float scale, int32_t zero) noexcept;
void dequantize_i32(const int32_t* x, float* y, size_t n, float scale, int32_t zero) noexcept;

// y = saturate(round_half_even(x * scale) + zero): the end of QLinearConv and QLinearMatMul, scale = sx sw / sy.
void requantize_u8(const int32_t* x, uint8_t* y, size_t n, float scale, int32_t zero) noexcept;
void requantize_s8(const int32_t* x, int8_t* y, size_t n, float scale, int32_t zero) noexcept;

// The smallest and the largest of x[n] and 0.
struct Range {
  float min;
  float max;
};
Range range_with_zero_f32(const float* x, size_t n) noexcept;

// DynamicQuantizeLinear's scale and zero point for uint8: scale = (max - min) / 255 (1 for an empty range),
// zero = saturate(round_half_even(0 - min / scale)).
struct QuantParams {
  float scale;
  uint8_t zero;
};
QuantParams dynamic_quantize_params(Range r) noexcept;

}  // namespace sardonyx::kernels
