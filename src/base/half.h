// The small float formats as stored, with exact conversions to and round-to-nearest-even conversions from float32.
#pragma once
#include <bit>
#include <cstdint>

namespace sardonyx {

// IEEE 754 binary16.
float float16_to_float(uint16_t bits) noexcept;
uint16_t float_to_float16(float value) noexcept;

// The upper half of a float32.
inline float bfloat16_to_float(uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
uint16_t float_to_bfloat16(float value) noexcept;

struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) noexcept : bits(float_to_float16(value)) {}
  operator float() const noexcept { return float16_to_float(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) noexcept : bits(float_to_bfloat16(value)) {}
  operator float() const noexcept { return bfloat16_to_float(bits); }
};

// The 8-bit formats of the ONNX standard ("Float stored in 8 bits") and E8M0 ("fnuz": no infinity, one NaN, no negative
// zero).
enum class Float8Kind : uint8_t { e4m3fn, e4m3fnuz, e5m2, e5m2fnuz, e8m0 };
float float8_to_float(uint8_t bits, Float8Kind kind) noexcept;
// saturate: values out of range become the largest finite one, else NaN or infinity as the format has it.
uint8_t float_to_float8(float value, Float8Kind kind, bool saturate) noexcept;

// FLOAT4E2M1: +-{0, 0.5, 1, 1.5, 2, 3, 4, 6} in the low four bits; conversion saturates, NaN becomes -0.
float float4_to_float(uint8_t bits) noexcept;
uint8_t float_to_float4(float value) noexcept;

}  // namespace sardonyx
