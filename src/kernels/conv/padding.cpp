// Zero-padded copies of one channel of the input.
#include "kernels/conv/padding.h"

#include <algorithm>
#include <cstring>

namespace sardonyx::kernels {
namespace {

// Where the input lies in the padded axis: elements [src, src + count) of x go to [dst, dst + count).
struct Span {
  size_t src, dst, count;
};

Span overlap(ptrdiff_t pad, size_t in, size_t size) noexcept {
  size_t src = pad < 0 ? static_cast<size_t>(-pad) : 0;
  size_t dst = pad > 0 ? static_cast<size_t>(pad) : 0;
  if (src >= in || dst >= size) return {0, 0, 0};
  return {src, dst, std::min(in - src, size - dst)};
}

}  // namespace

void pad_volume(const Window& s, const size_t size[3], const float* x, float* p) noexcept {
  Span d = overlap(s.pad[0], s.in[0], size[0]), h = overlap(s.pad[1], s.in[1], size[1]),
       w = overlap(s.pad[2], s.in[2], size[2]);
  if (d.count != size[0] || h.count != size[1] || w.count != size[2]) {
    std::fill_n(p, size[0] * size[1] * size[2], 0.0f);
  }
  for (size_t z = 0; z < d.count; z++) {
    for (size_t y = 0; y < h.count; y++) {
      std::memcpy(p + ((d.dst + z) * size[1] + h.dst + y) * size[2] + w.dst,
                  x + ((d.src + z) * s.in[1] + h.src + y) * s.in[2] + w.src, w.count * sizeof(float));
    }
  }
}

}  // namespace sardonyx::kernels
