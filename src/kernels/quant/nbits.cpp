// Products with weights of few bits: whole rows unpacked for many rows of A, 4 bits unpacked in registers for one.
#include "kernels/quant/nbits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

inline float zero_of(const NBits& w, size_t row, size_t block) noexcept {
  if (w.float_zeros) return w.float_zeros[row * w.blocks() + block];
  if (!w.zeros) return static_cast<float>(1u << (w.bits - 1));
  const size_t bit = block * w.bits;
  const unsigned byte = w.zeros[row * w.zero_bytes() + bit / 8];
  return static_cast<float>(byte >> bit % 8 & ((1u << w.bits) - 1));
}

inline void store_scaled(V words, V zero, V scale, float* y) noexcept {
  V lo = wasm_f32x4_convert_i32x4(wasm_u32x4_extend_low_u16x8(words));
  V hi = wasm_f32x4_convert_i32x4(wasm_u32x4_extend_high_u16x8(words));
  store(y, mul(sub(lo, zero), scale));
  store(y + 4, mul(sub(hi, zero), scale));
}

// 16 elements of a byte each.
inline void store_bytes(V bytes, V zero, V scale, float* y) noexcept {
  store_scaled(wasm_u16x8_extend_low_u8x16(bytes), zero, scale, y);
  store_scaled(wasm_u16x8_extend_high_u8x16(bytes), zero, scale, y + 8);
}

// Elements [0, n) of a block; n a multiple of 16, 4 or 8 bits.
SARDONYX_NOINLINE void unpack_block(size_t bits, const uint8_t* p, size_t n, float zero, float scale,
                                    float* y) noexcept {
  V z = splat(zero), s = splat(scale), low = wasm_i8x16_splat(15);
  for (size_t i = 0; i < n; i += 16) {
    if (bits == 8) {
      store_bytes(load(p + i), z, s, y + i);
      continue;
    }
    V v = wasm_v128_load64_zero(p + i / 2);
    V even = wasm_v128_and(v, low), odd = wasm_u8x16_shr(v, 4);
    store_bytes(wasm_i8x16_shuffle(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), z, s, y + i);
  }
}

void unpack_plainly(const NBits& w, size_t row, size_t first, size_t end, float* y) noexcept {
  const uint8_t* data = w.data + row * w.row_bytes();
  for (size_t i = first; i < end; i++) {
    const size_t bit = i * w.bits;
    const size_t block = w.block_of ? static_cast<size_t>(w.block_of[i]) : i / w.block;
    const unsigned v = data[bit / 8] >> bit % 8 & ((1u << w.bits) - 1);
    y[i] = (static_cast<float>(v) - zero_of(w, row, block)) * w.scales[row * w.blocks() + block];
  }
}

// A row of A as integers q = 256 hi + lo: for each 32 elements, 4 vectors of hi, 4 of lo, both int16, and the sums of q
// over what falls into each lane. Vector t has elements t, t + 4, ...: where shifts find them in words of 4 x 4 bits.
constexpr size_t kChunk = 32, kChunkInts = 36;
constexpr float kLargest = 4194304;  // 2^22

SARDONYX_NOINLINE void prepare_chunk(const float* x, size_t n, float inverse, int32_t* out) noexcept {
  int32_t q[kChunk] = {};
  auto* words = reinterpret_cast<int16_t*>(out);
  int32_t* sums = out + 32;
  for (size_t i = 0; i < n; i++) q[i] = static_cast<int32_t>(std::nearbyint(x[i] * inverse));
  std::fill_n(sums, 4, 0);
  for (size_t i = 0; i < kChunk; i++) {
    const size_t at = i % 4 * 8 + i / 4;
    words[at] = static_cast<int16_t>(q[i] >> 8);
    words[32 + at] = static_cast<int16_t>(q[i] & 255);
    sums[i / 8] += q[i];
  }
}

enum class Zero { fixed, packed, floating };

inline V nibbles(V w, size_t t) noexcept {
  V v = t == 0 ? w : wasm_u16x8_shr(w, static_cast<uint32_t>(4 * t));
  return t == 3 ? v : wasm_v128_and(v, wasm_i16x8_splat(15));
}

// Where the rows of one call begin.
struct Rows {
  const uint8_t *data, *zeros;
  const float *scales, *float_zeros;
};

template <Zero ZERO>
inline V scaled_sum(V sum, V lane_sums, const Rows& r, size_t block, V acc) noexcept {
  V scale = load_splat(r.scales + block);
  if constexpr (ZERO == Zero::floating) {
    V f = fnmadd(wasm_f32x4_convert_i32x4(lane_sums), load_splat(r.float_zeros + block), wasm_f32x4_convert_i32x4(sum));
    return fmadd(f, scale, acc);
  }
  const int32_t zero = ZERO == Zero::fixed ? 8 : r.zeros[block / 2] >> (block & 1) * 4 & 15;
  sum = wasm_i32x4_sub(sum,
                       ZERO == Zero::fixed ? wasm_i32x4_shl(lane_sums, 3) : wasm_i32x4_mul(lane_sums, splat_i32(zero)));
  return fmadd(wasm_f32x4_convert_i32x4(sum), scale, acc);
}

// COUNT rows of W, row_bytes apart, by a prepared row.
template <Zero ZERO, size_t COUNT>
SARDONYX_NOINLINE void dots(size_t chunks, size_t shift, size_t row_bytes, const int32_t* x, const Rows* rows,
                            float* out) noexcept {
  V acc[COUNT];
  for (size_t r = 0; r < COUNT; r++) acc[r] = splat(0);
  const uint8_t* data = rows[0].data;
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < chunks; c++, x += kChunkInts, data += 16) {
    V w[COUNT], hi[COUNT], lo[COUNT];
    for (size_t r = 0; r < COUNT; r++) w[r] = load(data + r * row_bytes);
    for (size_t t = 0; t < 4; t++) {
      V xh = load(x + 4 * t), xl = load(x + 16 + 4 * t);
      for (size_t r = 0; r < COUNT; r++) {
        V v = nibbles(w[r], t), h = wasm_i32x4_dot_i16x8(v, xh), l = wasm_i32x4_dot_i16x8(v, xl);
        hi[r] = t == 0 ? h : wasm_i32x4_add(hi[r], h);
        lo[r] = t == 0 ? l : wasm_i32x4_add(lo[r], l);
      }
    }
    V lane_sums = load(x + 32);
    for (size_t r = 0; r < COUNT; r++) {
      V sum = wasm_i32x4_add(wasm_i32x4_shl(hi[r], 8), lo[r]);
      acc[r] = scaled_sum<ZERO>(sum, lane_sums, rows[r], c >> shift, acc[r]);
    }
  }
  for (size_t r = 0; r < COUNT; r++) out[r] = lane_sum(acc[r]);
}

template <Zero ZERO>
void gemv(const NBits& w, size_t n0, size_t n1, const int32_t* x, const float* bias, float* y) noexcept {
  const size_t chunks = w.blocks() * (w.block / kChunk);
  const size_t shift = static_cast<size_t>(__builtin_ctzll(w.block / kChunk));
  float scale;
  std::memcpy(&scale, x, sizeof(scale));
  for (size_t n = n0; n < n1; n += 2) {
    Rows rows[2];
    const size_t count = std::min<size_t>(2, n1 - n);
    for (size_t r = 0; r < count; r++) {
      const size_t at = (n + r) * w.blocks();
      rows[r] = {w.data + (n + r) * w.row_bytes(), w.zeros ? w.zeros + (n + r) * w.zero_bytes() : nullptr,
                 w.scales + at, w.float_zeros ? w.float_zeros + at : nullptr};
    }
    float out[2];
    (count == 2 ? dots<ZERO, 2> : dots<ZERO, 1>)(chunks, shift, w.row_bytes(), x + 4, rows, out);
    for (size_t r = 0; r < count; r++) y[n + r] = out[r] * scale + (bias ? bias[n + r] : 0);
  }
}

}  // namespace

void nbits_unpack_f32(const NBits& w, size_t n0, size_t n1, float* y) noexcept {
  for (size_t row = n0; row < n1; row++, y += w.k) {
    size_t done = 0;
    if ((w.bits == 4 || w.bits == 8) && !w.block_of) {
      for (size_t b = 0; b < w.blocks(); b++) {
        const size_t n = std::min(w.block, w.k - b * w.block) & ~size_t{15};
        unpack_block(w.bits, w.data + row * w.row_bytes() + b * (w.block * w.bits / 8), n, zero_of(w, row, b),
                     w.scales[row * w.blocks() + b], y + b * w.block);
        done = b * w.block + n;
      }
    }
    unpack_plainly(w, row, done, w.k, y);
  }
}

bool nbits_has_gemv(const NBits& w) noexcept { return w.bits == 4 && w.block >= kChunk && !w.block_of; }

size_t nbits_row_size(const NBits& w) noexcept { return 4 + w.blocks() * (w.block / kChunk) * kChunkInts; }

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
  const size_t chunks = w.blocks() * (w.block / kChunk);
  for (size_t c = 0; c < chunks; c++) {
    const size_t first = c * kChunk, n = first >= w.k ? 0 : std::min(kChunk, w.k - first);
    prepare_chunk(x + std::min(first, w.k), finite ? n : 0, inverse, prepared + 4 + c * kChunkInts);
  }
}

void nbits_gemv_f32(const NBits& w, size_t n0, size_t n1, const int32_t* x, const float* bias, float* y) noexcept {
  if (w.float_zeros) return gemv<Zero::floating>(w, n0, n1, x, bias, y);
  if (w.zeros) return gemv<Zero::packed>(w, n0, n1, x, bias, y);
  gemv<Zero::fixed>(w, n0, n1, x, bias, y);
}

}  // namespace sardonyx::kernels
