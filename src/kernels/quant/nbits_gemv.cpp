// One row times weights of 4 bits, which are unpacked in registers. The row is integers of 23 bits in two or three
// digits, whose products with the weights are exact.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/quant/dot_x8.h"
#include "kernels/quant/nbits.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kChunk = 32;        // elements, in 16 bytes of weights
constexpr float kLargest = 4194304;  // 2^22
constexpr size_t kRows = 2;          // of W at a time
constexpr size_t kHead = 4;          // int32 in front of a prepared row: its scale

enum class Zero { fixed, packed, floating };

// q = 256 hi + lo as int16, for each 32 elements 4 vectors of hi and 4 of lo. Vector t has elements t, t + 4, ...:
// where shifts find them in words of 4 x 4 bits.
struct Pairs {
  static constexpr size_t kInts = 36;  // of a chunk; the last four are the sums of q over what falls into each lane

  static void prepare(const int32_t* q, int32_t* out) noexcept {
    auto* words = reinterpret_cast<int16_t*>(out);
    for (size_t i = 0; i < kChunk; i++) {
      const size_t at = i % 4 * 8 + i / 4;
      words[at] = static_cast<int16_t>(q[i] >> 8);
      words[32 + at] = static_cast<int16_t>(q[i] & 255);
    }
  }

  static V nibbles(V w, size_t t) noexcept {
    V v = t == 0 ? w : wasm_u16x8_shr(w, static_cast<uint32_t>(4 * t));
    return t == 3 ? v : wasm_v128_and(v, wasm_i16x8_splat(15));
  }

  // sums[r] + the products of w[r].
  static void dots(const V* w, const int32_t* x, V* sums) noexcept {
    V hi[kRows];
#pragma clang loop unroll(full)
    for (size_t t = 0; t < 4; t++) {
      V xh = load(x + 4 * t), xl = load(x + 16 + 4 * t);
#pragma clang loop unroll(full)
      for (size_t r = 0; r < kRows; r++) {
        V v = nibbles(w[r], t), h = wasm_i32x4_dot_i16x8(v, xh);
        hi[r] = t == 0 ? h : wasm_i32x4_add(hi[r], h);
        sums[r] = wasm_i32x4_add(sums[r], wasm_i32x4_dot_i16x8(v, xl));
      }
    }
#pragma clang loop unroll(full)
    for (size_t r = 0; r < kRows; r++) sums[r] = wasm_i32x4_add(wasm_i32x4_shl(hi[r], 8), sums[r]);
  }
};

#if SARDONYX_HAS_QUADS
// q = 65536 d2 + 256 d1 + d0 as int8, each digit in two vectors: the even elements, which are the low bits of bytes,
// and the odd ones.
template <class Dot>
struct Quads {
  static constexpr size_t kInts = 28;

  static void prepare(const int32_t* q, int32_t* out) noexcept {
    auto* bytes = reinterpret_cast<int8_t*>(out);
    for (size_t i = 0; i < kChunk; i++) {
      const size_t at = i % 2 * 16 + i / 2;
      int32_t rest = q[i];
      for (size_t digit = 0; digit < 3; digit++) {
        bytes[32 * digit + at] = static_cast<int8_t>(rest & 255);
        rest = (rest - bytes[32 * digit + at]) >> 8;
      }
    }
  }

  static void dots(const V* w, const int32_t* x, V* sums) noexcept {
    const V low = wasm_i8x16_splat(15);
#pragma clang loop unroll(full)
    for (size_t r = 0; r < kRows; r++) {
      const V even = wasm_v128_and(w[r], low), odd = wasm_u8x16_shr(w[r], 4);
      const V d0 = Dot::run(load(x + 4), odd, Dot::run(load(x), even, sums[r]));
      const V d1 = Dot::run(load(x + 12), odd, Dot::run(load(x + 8), even, splat_i32(0)));
      const V d2 = Dot::run(load(x + 20), odd, Dot::run(load(x + 16), even, splat_i32(0)));
      sums[r] = wasm_i32x4_add(wasm_i32x4_add(wasm_i32x4_shl(d2, 16), wasm_i32x4_shl(d1, 8)), d0);
    }
  }
};

// The same row by dots in 16 bits: the products of a digit are 7,680 at the most.
template <class Dot>
struct ShortQuads : Quads<Dot> {
  static void dots(const V* w, const int32_t* x, V* sums) noexcept {
    const V low = constant_i32<0x0f0f0f0f>(), ones = constant_i32<0x00010001>(), high = constant_i32<0x01000100>();
#pragma clang loop unroll(full)
    for (size_t r = 0; r < kRows; r++) {
      const V even = wasm_v128_and(w[r], low), odd = wasm_v128_and(wasm_u16x8_shr(w[r], 4), low);
      auto digit = [&](size_t d) {
        return wasm_i16x8_add(Dot::run(load(x + 8 * d), even), Dot::run(load(x + 8 * d + 4), odd));
      };
      const V d0 = wasm_i32x4_dot_i16x8(digit(0), ones), d1 = wasm_i32x4_dot_i16x8(digit(1), high),
              d2 = wasm_i32x4_dot_i16x8(digit(2), high);
      sums[r] = wasm_i32x4_add(wasm_i32x4_add(wasm_i32x4_add(sums[r], d0), d1), wasm_i32x4_shl(d2, 8));
    }
  }
};

#if defined(__wasm__)
using EngineQuads = Quads<EngineDot>;
using EngineShortQuads = ShortQuads<ShortDot>;
#else
using EngineQuads = Quads<EmulatedDot<FormX8::seven_bit_quads> >;
using EngineShortQuads = ShortQuads<EmulatedShortDot>;
#endif
#endif

// Where the rows of one call begin.
struct Rows {
  const uint8_t *data, *zeros;
  const float *scales, *float_zeros;
};

// Two rows of W by a prepared row; where the zero point is 8, its lane sums are already times -8.
template <class Form, Zero ZERO>
SARDONYX_NOINLINE void dots(size_t chunks, size_t shift, const int32_t* x, const Rows* rows, float* out) noexcept {
  V acc[kRows];
#pragma clang loop unroll(full)
  for (size_t r = 0; r < kRows; r++) acc[r] = splat(0);
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < chunks; c++, x += Form::kInts) {
    V w[kRows], sums[kRows];
    const V lane_sums = load(x + Form::kInts - 4);
    const size_t block = c >> shift;
#pragma clang loop unroll(full)
    for (size_t r = 0; r < kRows; r++) {
      w[r] = load(rows[r].data + 16 * c);
      sums[r] = ZERO == Zero::fixed ? lane_sums : splat_i32(0);
    }
    Form::dots(w, x, sums);
#pragma clang loop unroll(full)
    for (size_t r = 0; r < kRows; r++) {
      if (ZERO == Zero::packed) {
        const int32_t zero = rows[r].zeros[block / 2] >> (block & 1) * 4 & 15;
        sums[r] = wasm_i32x4_sub(sums[r], wasm_i32x4_mul(lane_sums, splat_i32(zero)));
      }
      V f = wasm_f32x4_convert_i32x4(sums[r]);
      if (ZERO == Zero::floating) {
        f = fnmadd(wasm_f32x4_convert_i32x4(lane_sums), load_splat(rows[r].float_zeros + block), f);
      }
      acc[r] = fmadd(f, load_splat(rows[r].scales + block), acc[r]);
    }
  }
#pragma clang loop unroll(full)
  for (size_t r = 0; r < kRows; r++) out[r] = lane_sum(acc[r]);
}

// Two rows at a time, far apart: their bytes are two long streams, which the processor fetches ahead.
template <class Form, Zero ZERO>
void gemv(const NBits& w, size_t n0, size_t n1, const int32_t* x, const float* bias, float* y) noexcept {
  const size_t chunks = w.blocks() * (w.block / kChunk);
  const size_t shift = static_cast<size_t>(__builtin_ctzll(w.block / kChunk));
  const size_t half = (n1 - n0 + 1) / 2;
  float scale;
  std::memcpy(&scale, x, sizeof(scale));
  for (size_t i = 0; i < half; i++) {
    Rows rows[kRows];
    // An odd one at the end is done twice.
    const size_t at[kRows] = {n0 + i, n0 + half + i < n1 ? n0 + half + i : n0 + i};
    for (size_t r = 0; r < kRows; r++) {
      const size_t blocks = at[r] * w.blocks();
      rows[r] = {w.data + at[r] * w.row_bytes(), w.zeros ? w.zeros + at[r] * w.zero_bytes() : nullptr,
                 w.scales + blocks, w.float_zeros ? w.float_zeros + blocks : nullptr};
    }
    float out[kRows];
    dots<Form, ZERO>(chunks, shift, x + kHead, rows, out);
    for (size_t r = 0; r < kRows; r++) y[at[r]] = out[r] * scale + (bias ? bias[at[r]] : 0);
  }
}

template <class Form>
void gemv_of(const NBits& w, size_t n0, size_t n1, const int32_t* x, const float* bias, float* y) noexcept {
  if (w.float_zeros) return gemv<Form, Zero::floating>(w, n0, n1, x, bias, y);
  if (w.zeros) return gemv<Form, Zero::packed>(w, n0, n1, x, bias, y);
  gemv<Form, Zero::fixed>(w, n0, n1, x, bias, y);
}

template <class Form>
void prepare(const NBits& w, const float* x, float inverse, int32_t* prepared) noexcept {
  const size_t chunks = w.blocks() * (w.block / kChunk);
  const int32_t factor = w.zeros || w.float_zeros ? 1 : -8;
  for (size_t c = 0; c < chunks; c++, prepared += Form::kInts) {
    const size_t first = c * kChunk, n = first >= w.k ? 0 : std::min(kChunk, w.k - first);
    int32_t q[kChunk] = {};
    for (size_t i = 0; inverse > 0 && i < n; i++) q[i] = static_cast<int32_t>(std::nearbyint(x[first + i] * inverse));
    Form::prepare(q, prepared);
    int32_t* sums = prepared + Form::kInts - 4;
    std::fill_n(sums, 4, 0);
    for (size_t i = 0; i < kChunk; i++) sums[i / 8] += factor * q[i];
  }
}

}  // namespace

FormX8 nbits_best_form() noexcept {
  if (has_fast_dot_x8()) return FormX8::seven_bit_quads;
  return is_exact_x8(FormX8::short_quads) ? FormX8::short_quads : FormX8::pairs;
}

bool nbits_has_gemv(const NBits& w) noexcept { return w.bits == 4 && w.block >= kChunk && !w.block_of; }

size_t nbits_row_size(const NBits& w) noexcept { return kHead + w.blocks() * (w.block / kChunk) * Pairs::kInts; }

void nbits_prepare_row(const NBits& w, const float* x, int32_t* prepared) noexcept {
  float largest = 0;
  for (size_t i = 0; i < w.k; i++) {
    const float a = std::fabs(x[i]);
    largest = a > largest || a != a ? a : largest;
  }
  // What is not finite makes everything NaN; too small a scale would overflow its inverse.
  const bool finite = largest <= std::numeric_limits<float>::max();
  const bool zero = largest < std::numeric_limits<float>::min() * kLargest;
  const float scale = finite ? largest / kLargest : std::numeric_limits<float>::quiet_NaN();
  std::memcpy(prepared, &scale, sizeof(scale));
  const float inverse = finite && !zero ? kLargest / largest : 0;
#if SARDONYX_HAS_QUADS
  if (w.form != FormX8::pairs) return prepare<EngineQuads>(w, x, inverse, prepared + kHead);
#endif
  prepare<Pairs>(w, x, inverse, prepared + kHead);
}

void nbits_gemv_f32(const NBits& w, size_t n0, size_t n1, const int32_t* x, const float* bias, float* y) noexcept {
#if SARDONYX_HAS_QUADS
  if (w.form == FormX8::short_quads) return gemv_of<EngineShortQuads>(w, n0, n1, x, bias, y);
  if (w.form != FormX8::pairs) return gemv_of<EngineQuads>(w, n0, n1, x, bias, y);
#endif
  gemv_of<Pairs>(w, n0, n1, x, bias, y);
}

}  // namespace sardonyx::kernels
