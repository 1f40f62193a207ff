// Weights as 4-bit indices into a table of floats.
#include <algorithm>

#include "kernels/quant/nbits.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

// The table's bytes, byte i of every float in planes[i].
struct Planes {
  V byte[4];
  explicit Planes(const float* table) noexcept {
    uint8_t bytes[4][16];
    const auto* from = reinterpret_cast<const uint8_t*>(table);
    for (size_t i = 0; i < 64; i++) bytes[i % 4][i / 4] = from[i];
    for (size_t i = 0; i < 4; i++) byte[i] = load(bytes[i]);
  }
};

// 16 elements from 8 bytes, the high bits first.
inline void unpack_16(const Planes& p, const uint8_t* data, V scale, float* y) noexcept {
  const V v = wasm_v128_load64_zero(data), high = wasm_u8x16_shr(v, 4), low = wasm_v128_and(v, wasm_i8x16_splat(15));
  const V at = wasm_i8x16_shuffle(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  V b[4];
  for (size_t i = 0; i < 4; i++) b[i] = wasm_i8x16_swizzle(p.byte[i], at);
  for (size_t half = 0; half < 2; half++) {
    V lower, upper;
    if (half == 0) {
      lower = wasm_i8x16_shuffle(b[0], b[1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      upper = wasm_i8x16_shuffle(b[2], b[3], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    } else {
      lower = wasm_i8x16_shuffle(b[0], b[1], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      upper = wasm_i8x16_shuffle(b[2], b[3], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    store(y + 8 * half, mul(wasm_i16x8_shuffle(lower, upper, 0, 8, 1, 9, 2, 10, 3, 11), scale));
    store(y + 8 * half + 4, mul(wasm_i16x8_shuffle(lower, upper, 4, 12, 5, 13, 6, 14, 7, 15), scale));
  }
}

}  // namespace

void table4_unpack_f32(const Table4& w, size_t first, size_t end, float* y) noexcept {
  const Planes planes(w.table);
  for (size_t i = first; i < end;) {
    const float scale = w.largest[i / w.block];
    const size_t stop = std::min(end, (i / w.block + 1) * w.block);
    if (i % 2 == 0) {
      for (; i + 16 <= stop; i += 16) unpack_16(planes, w.data + i / 2, splat(scale), y + (i - first));
    }
    for (; i < stop; i++) y[i - first] = w.table[w.data[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15] * scale;
  }
}

}  // namespace sardonyx::kernels
