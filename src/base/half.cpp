// Conversions of the small float formats.
#include "base/half.h"

#include <algorithm>
#include <cmath>

namespace sardonyx {
namespace {

// A sign, `exp` bits of exponent with `bias`, `man` bits of mantissa.
struct Format {
  int exp, man, bias;
  bool infinity;  // the highest exponent is infinity and NaN, as in IEEE 754
  bool fnuz;      // 0x80 is the one NaN, there is no negative zero
};
constexpr Format kFormats[] = {
    {4, 3, 7, false, false}, {4, 3, 8, false, true}, {5, 2, 15, true, false}, {5, 2, 16, false, true}};

float e8m0_to_float(uint8_t bits) noexcept { return bits == 0xff ? NAN : std::ldexp(1.0f, bits - 127); }

// Powers of two only: rounds up from the middle on (as the standard's Cast, "round_mode" up).
uint8_t float_to_e8m0(float value, bool saturate) noexcept {
  const uint32_t u = std::bit_cast<uint32_t>(value) & 0x7fffffffu;
  if (u > 0x7f800000u) return 0xff;
  if (u == 0x7f800000u) return saturate ? 0xfe : 0xff;
  int exponent = static_cast<int>(u >> 23);
  const uint32_t mantissa = u & 0x7fffffu;
  if (exponent == 0) return mantissa > 0x400000u ? 1 : 0;
  if (mantissa > 0) exponent++;
  return exponent > 0xfe ? (saturate ? 0xfe : 0xff) : static_cast<uint8_t>(exponent);
}

}  // namespace

float float16_to_float(uint16_t h) noexcept {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t rest = h & 0x7fffu;
  if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
  if (rest < 0x400u) {
    const float small = static_cast<float>(rest) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(small));
  }
  return std::bit_cast<float>(sign | ((rest + (112u << 10)) << 13));
}

uint16_t float_to_float16(float value) noexcept {
  const uint32_t u = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (u >> 16) & 0x8000u;
  const uint32_t rest = u & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((rest >> 13) & 0x3ffu));
  if (rest >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (rest < 0x38800000u) {  // below the normal range: the hardware's addition rounds
    const float shifted = std::bit_cast<float>(rest) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = rest + 0xfffu + ((rest >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

uint16_t float_to_bfloat16(float value) noexcept {
  const uint32_t u = std::bit_cast<uint32_t>(value);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);
  return static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

float float8_to_float(uint8_t bits, Float8Kind kind) noexcept {
  if (kind == Float8Kind::e8m0) return e8m0_to_float(bits);
  const Format& f = kFormats[static_cast<int>(kind)];
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  const int exponent = (bits & 0x7f) >> f.man, mantissa = bits & ((1 << f.man) - 1);
  if (f.fnuz && bits == 0x80) return NAN;
  if (f.infinity && exponent == 31) return mantissa ? NAN : sign * INFINITY;
  if (kind == Float8Kind::e4m3fn && (bits & 0x7f) == 0x7f) return sign * NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.man);
  return sign * std::ldexp(static_cast<float>((1 << f.man) + mantissa), exponent - f.bias - f.man);
}

uint8_t float_to_float8(float value, Float8Kind kind, bool saturate) noexcept {
  if (kind == Float8Kind::e8m0) return float_to_e8m0(value, saturate);
  const Format& f = kFormats[static_cast<int>(kind)];
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  const auto with_sign = [&](int magnitude) { return static_cast<uint8_t>(sign | magnitude); };
  const int largest = f.infinity ? 0x7b : f.fnuz ? 0x7f : 0x7e;
  const uint8_t nan = f.fnuz ? 0x80 : with_sign(0x7f);
  if (std::isnan(value)) return nan;
  const uint8_t beyond = saturate ? with_sign(largest) : f.infinity ? with_sign(0x7c) : nan;
  const float magnitude = std::fabs(value);
  if (std::isinf(value)) return beyond;
  if (magnitude == 0) return f.fnuz ? 0 : sign;  // frexp gives it an exponent that is not the lowest
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = fraction * 2^exponent, fraction in [0.5, 1)
  const int lowest = 1 - f.bias;
  const int e = std::max(exponent - 1, lowest);
  const int steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, f.man - e)));  // ties to even
  const int code = ((e - lowest) << f.man) + steps;  // a carry into the exponent comes out right by itself
  if (code == 0) return f.fnuz ? 0 : sign;
  return code > largest ? beyond : with_sign(code);
}

float float4_to_float(uint8_t bits) noexcept {
  constexpr float kValues[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  return bits & 8 ? -kValues[bits & 7] : kValues[bits & 7];
}

uint8_t float_to_float4(float value) noexcept {
  const uint8_t sign = std::signbit(value) ? 8 : 0;
  const float m = std::fabs(value);
  if (std::isnan(value)) return 8;
  constexpr float kMiddles[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
  uint8_t code = 0;
  for (uint8_t i = 0; i < 7; i++) {
    if (m > kMiddles[i] || (m == kMiddles[i] && (i & 1))) code = static_cast<uint8_t>(i + 1);
  }
  return sign | code;
}

}  // namespace sardonyx
