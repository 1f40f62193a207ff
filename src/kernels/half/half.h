// Conversions between float32 and the 16-bit floats: IEEE binary16 and bfloat16, as raw bits. Round to nearest even,
// NaN stays NaN.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

void f16_to_f32(const uint16_t* x, float* y, size_t n) noexcept;
void f32_to_f16(const float* x, uint16_t* y, size_t n) noexcept;  // overflow gives infinity
void bf16_to_f32(const uint16_t* x, float* y, size_t n) noexcept;
void f32_to_bf16(const float* x, uint16_t* y, size_t n) noexcept;

}  // namespace sardonyx::kernels
