// One box against four others at a time.
#include "kernels/boxes/overlap.h"

#include "kernels/simd.h"

namespace sardonyx::kernels {

bool overlaps_any_f32(const float* box, const float* const* others, size_t count, float threshold) noexcept {
  if (!(box[4] > 0)) return false;
  const V x0 = splat(box[0]), y0 = splat(box[1]), x1 = splat(box[2]), y1 = splat(box[3]), area = splat(box[4]);
  const V zero = splat(0), least = splat(threshold);
  for (size_t i = 0; i < count; i += 4) {
    const V width = sub(wasm_f32x4_pmin(x1, load(others[2] + i)), wasm_f32x4_pmax(x0, load(others[0] + i)));
    const V height = sub(wasm_f32x4_pmin(y1, load(others[3] + i)), wasm_f32x4_pmax(y0, load(others[1] + i)));
    const V other = load(others[4] + i), common = mul(width, height), all = sub(add(area, other), common);
    V is = wasm_v128_and(wasm_f32x4_gt(width, zero), wasm_f32x4_gt(height, zero));
    is = wasm_v128_and(is, wasm_v128_and(wasm_f32x4_gt(other, zero), wasm_f32x4_gt(all, zero)));
    if (!wasm_v128_any_true(is)) continue;
    if (wasm_v128_any_true(wasm_v128_and(is, wasm_f32x4_gt(div(common, all), least)))) return true;
  }
  return false;
}

}  // namespace sardonyx::kernels
