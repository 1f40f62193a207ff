// Weights of few bits unpacked, whole rows for many rows of A.
#include "kernels/quant/nbits.h"

#include <algorithm>

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

}  // namespace sardonyx::kernels
