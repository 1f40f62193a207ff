// From float32 to int32, for every value.
#include "kernels/elementwise/truncate_f32.h"

#include "kernels/simd.h"

namespace sardonyx::kernels {

void truncate_i32_f32(const float* x, int32_t* y, size_t n) noexcept {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) store(y + i, wasm_i32x4_trunc_sat_f32x4(load(x + i)));
  if (i < n) store_lanes(reinterpret_cast<float*>(y + i), wasm_i32x4_trunc_sat_f32x4(load(x + i)), n - i);
}

}  // namespace sardonyx::kernels
