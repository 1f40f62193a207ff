// Codes of weights in products.
#include "kernels/half/codes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/gemm/tiles.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

constexpr int32_t kFields = static_cast<int32_t>(0x8fffffff);  // of a code's bits, behind its sign

// Four codes in units.
inline V load_codes(const uint16_t* p) {
  return wasm_v128_and(wasm_i32x4_shl(wasm_i32x4_load16x4(p), 13), constant_i32<kFields>());
}

}  // namespace

void half_widen_f32(const HalfCodes& codes, float* y, size_t n) noexcept {
  const V unit = splat(codes.unit);
#pragma clang loop unroll(disable)
  for (size_t i = 0; i < n; i += 8) {
    store(y + i, mul(load_codes(codes.data + i), unit));
    store(y + i + 4, mul(load_codes(codes.data + i + 4), unit));
  }
}

void half_row_f32(size_t k, size_t n, float* x, const HalfCodes& panels, float* y, const Epilogue& e) noexcept {
  // x is multiplied by the unit, up to 2^112; larger elements than 2^15 by less, the result by what is missing then.
  float largest = 0;
  for (size_t i = 0; i < k; i++) {
    if (std::isfinite(x[i])) largest = std::max(largest, std::fabs(x[i]));
  }
  constexpr float kMost = 0x1p15f;
  const float power = std::bit_cast<float>(std::bit_cast<uint32_t>(largest) & 0x7f800000);
  const float back = largest < kMost ? 1 : power / kMost;
  const float unit = panels.unit / back;
  for (size_t i = 0; i < k; i++) x[i] *= unit;
  gemm_packed_row<load_codes>(k, n, x, panels.data, back, y, e);
}

}  // namespace sardonyx::kernels
