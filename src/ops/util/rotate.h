// The turning of pairs of elements that rotary embeddings are made of.
#pragma once
#include <cstdint>

namespace sardonyx {

// y = x turned, pair by pair; the pairs are neighbours (interleaved) or lie `half` apart.
inline void rotate(const float* x, const float* cosine, const float* sine, float* y, int64_t half,
                   bool interleaved) noexcept {
  if (interleaved) {
    for (int64_t i = 0; i < half; i++) {
      const float a = x[2 * i], b = x[2 * i + 1];
      y[2 * i] = cosine[i] * a - sine[i] * b;
      y[2 * i + 1] = sine[i] * a + cosine[i] * b;
    }
    return;
  }
  for (int64_t i = 0; i < half; i++) {
    const float a = x[i], b = x[half + i];
    y[i] = cosine[i] * a - sine[i] * b;
    y[half + i] = sine[i] * a + cosine[i] * b;
  }
}

}  // namespace sardonyx
