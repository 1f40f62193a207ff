// Zero-padded copies of one channel of the input; internal to kernels/conv/.
#pragma once

#include <cstddef>

#include "kernels/window.h"

namespace sardonyx::kernels {

// Floats that may be read behind the padded copy.
constexpr size_t kPadSlack = 16;

// p [size[0]][size[1]][size[2]] = x [in] moved by pad (negative pads crop), zeros around it. Elements beyond size are
// dropped.
void pad_volume(const Window& s, const size_t size[3], const float* x, float* p) noexcept;

// What the windows reach on one axis: (out - 1) * stride + (kernel - 1) * dilation + 1.
inline size_t window_reach(const Window& s, int axis) {
  return s.out[axis] == 0 ? 0 : (s.out[axis] - 1) * s.stride[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1;
}

}  // namespace sardonyx::kernels
