// The relaxed 8-bit dot as engines have it, and which of them this one is; internal to kernels/quant/ and its tests.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/quant/form_x8.h"
#include "kernels/simd.h"

#if defined(__wasm_relaxed_simd__) || !defined(__wasm__)
#define SARDONYX_HAS_QUADS 1
#else
#define SARDONYX_HAS_QUADS 0
#endif

namespace sardonyx::kernels {

#if defined(__wasm_relaxed_simd__)
struct EngineDot {
  static V run(V first, V second, V sums) { return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(first, second, sums); }
};

// The same for a second operand of 7 bits, in three instructions where there is no VNNI: of the above V8 makes five,
// two of which build the ones that stay in a register here.
struct SevenBitDot {
  static V run(V first, V second, V sums) {
    const V pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(first, second);
    return wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(pairs, constant_i32<0x00010001>()));
  }
};

// Sums of two in 16 bits, of a first operand of weights.
struct ShortDot {
  static V run(V weights, V data) { return wasm_i16x8_relaxed_dot_i8x16_i7x16(weights, data); }
};
#endif

#if !defined(__wasm__)
// For tests without such an engine: VNNI's, ARM's, what SSSE3's pmaddubsw makes of it, and (pairs) that with the
// operands the wrong way round.
template <FormX8 FORM>
struct EmulatedDot {
  static V run(V first, V second, V sums) {
    int8_t a[16], b[16];
    uint32_t s[4];
    store(a, FORM == FormX8::pairs ? second : first), store(b, FORM == FormX8::pairs ? first : second), store(s, sums);
    for (size_t i = 0; i < 16; i += 2) {
      int32_t pair = 0;
      for (size_t j = i; j < i + 2; j++)
        pair += a[j] * (FORM == FormX8::signed_quads ? b[j] : static_cast<uint8_t>(b[j]));
      if (FORM == FormX8::seven_bit_quads || FORM == FormX8::pairs) pair = std::clamp(pair, -32768, 32767);
      s[i / 4] += static_cast<uint32_t>(pair);
    }
    return load(s);
  }
};

struct EmulatedShortDot {
  static V run(V weights, V data) {
    int8_t a[16];
    uint8_t b[16];
    int16_t s[8];
    store(a, weights), store(b, data);
    for (size_t i = 0; i < 8; i++)
      s[i] = static_cast<int16_t>(std::clamp(a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1], -32768, 32767));
    return load(s);
  }
};
#endif

// Multiplies the extremes, with sums beyond int16 and beyond int32, and says which form is exact; pairs: none (V8 11
// takes the first operand as unsigned).
template <class Dot>
FormX8 probe_dot_x8() noexcept {
  constexpr int kFirst[] = {-128, -127, -1, 1, 126, 127}, kSecond[] = {0, 1, 126, 127, 128, 129, 254, 255};
  constexpr uint32_t kSums[] = {0, 0x7fffffff, 0x80000000, 0xfffffff9};
  bool is_unsigned = true, is_signed = true, is_seven = true;
  uint32_t seed = 1;
  auto pick = [&seed](size_t n) { return ((seed = seed * 1664525u + 1013904223u) >> 16) % n; };
  for (size_t round = 0; round < 240; round++) {
    const bool narrow = round % 2 == 1;
    int8_t a[16];
    uint8_t b[16];
    uint32_t start[4], out[4], as_unsigned[4], as_signed[4];
    for (size_t i = 0; i < 16; i++) {
      // First all pairs of one value, then mixtures; every other time with 7 bits.
      a[i] = static_cast<int8_t>(kFirst[round < 96 ? round / 16 : pick(6)]);
      b[i] = static_cast<uint8_t>(kSecond[(round < 96 ? round / 2 % 8 : pick(8)) % (narrow ? 4 : 8)]);
    }
    for (size_t i = 0; i < 4; i++) as_unsigned[i] = as_signed[i] = start[i] = kSums[(round + i) % 4];
    for (size_t i = 0; i < 16; i++) {
      as_unsigned[i / 4] += static_cast<uint32_t>(a[i] * b[i]);
      as_signed[i / 4] += static_cast<uint32_t>(a[i] * static_cast<int8_t>(b[i]));
    }
    store(out, Dot::run(load(a), load(b), load(start)));
    if (narrow) is_seven &= std::memcmp(out, as_signed, sizeof(out)) == 0;
    is_unsigned &= std::memcmp(out, as_unsigned, sizeof(out)) == 0;
    is_signed &= std::memcmp(out, as_signed, sizeof(out)) == 0;
  }
  if (!is_seven) return FormX8::pairs;
  return is_unsigned ? FormX8::unsigned_quads : is_signed ? FormX8::signed_quads : FormX8::seven_bit_quads;
}

// Is a dot in 16 bits exact for a second operand of 8 bits, where its sums fit?
template <class Dot>
bool probe_short_dot() noexcept {
  constexpr int8_t kPairs[][2] = {{64, 64},    {-64, -64},  {127, 1},   {1, -128},
                                  {-128, 127}, {127, -128}, {-1, -127}, {0, 1}};
  bool exact = true;
  for (size_t round = 0; round < 64; round++) {
    int8_t a[16];
    uint8_t b[16];
    int16_t expected[8], out[8];
    for (size_t i = 0; i < 16; i++) {
      a[i] = kPairs[(round + i / 2) % 8][i % 2];
      b[i] = static_cast<uint8_t>(round < 8 ? 255 : round * 37 + i * i * 29);
    }
    for (size_t i = 0; i < 8; i++)
      expected[i] = static_cast<int16_t>(a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]);
    store(out, Dot::run(load(a), load(b)));
    exact &= std::memcmp(out, expected, sizeof(out)) == 0;
  }
  return exact;
}

}  // namespace sardonyx::kernels
