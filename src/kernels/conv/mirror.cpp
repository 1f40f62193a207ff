// Folding windows in the middle.
#include "kernels/conv/mirror.h"

#include "kernels/gemm/tiles.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

inline V reversed(V v) { return wasm_i32x4_shuffle(v, v, 3, 2, 1, 0); }

inline void put(V r[4], float* to) {
  transpose4(r[0], r[1], r[2], r[3]);
  for (size_t i = 0; i < 4; i++) store(to + i * kPanel, r[i]);
}

}  // namespace

void mirror_fold_f32(const Mirror& m, const float* x, size_t plane, size_t first, size_t count, float* sums,
                     float* differences) noexcept {
  const size_t begin = m.first(), end = m.end();
  for (size_t c = 0; c < m.channels; c++, x += plane) {
    const float* q[kPanel];
    for (size_t j = 0; j < kPanel; j++) q[j] = x + (first + (j < count ? j : count - 1)) * m.stride;
    size_t t = begin;
    for (; t + 4 <= end; t += 4) {
      for (size_t half = 0; half < kPanel; half += 4) {
        V added[4], taken[4];
        for (size_t j = 0; j < 4; j++) {
          const V left = load(q[half + j] + t), right = reversed(load(q[half + j] + (m.pivot - t - 3)));
          added[j] = add(left, right);
          taken[j] = sub(left, right);
        }
        if (sums) put(added, sums + t * kPanel + half);
        if (differences) put(taken, differences + t * kPanel + half);
      }
    }
    for (size_t j = 0; j < kPanel; j++) {
      for (size_t i = t; i < end; i++) {
        if (sums) sums[i * kPanel + j] = q[j][i] + q[j][m.pivot - i];
        if (differences) differences[i * kPanel + j] = q[j][i] - q[j][m.pivot - i];
      }
      if (begin > 0 && sums) sums[j] = q[j][0];
      if (begin > 0 && differences) differences[j] = q[j][0];
      if (m.has_middle() && sums) sums[end * kPanel + j] = q[j][m.pivot / 2];
    }
    if (sums) sums += m.sums() * kPanel;
    if (differences) differences += m.differences() * kPanel;
  }
}

}  // namespace sardonyx::kernels
