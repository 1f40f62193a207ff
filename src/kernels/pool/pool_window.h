// Pools of 3x3 and 2x2 windows, two output rows at a time; internal to kernels/pool/.
#pragma once

#include "kernels/window.h"

namespace sardonyx::kernels {

// y = the largest x under each window, or the sum of x, as max_pool_f32 and average_pool_f32 want them before the
// division. False, with any y: the window is another one, or there is a NaN.
bool max_window_f32(const Window& s, const float* x, float* y) noexcept;
bool sum_window_f32(const Window& s, const float* x, float* y) noexcept;

}  // namespace sardonyx::kernels
