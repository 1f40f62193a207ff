// Winograd convolution of kernels with 3 taps on one axis (1x3, 3x1): F(4,3) with the points of winograd.h, half
// the multiplications of a direct sum.
#pragma once

#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// True for kernels of 1x3 or 3x1 with stride 1 and dilation 1, any pads.
bool winograd_line_applies(const ConvShape& s) noexcept;

// Floats of the packed weights (twice as many as w has); pack them (in double), w [out_channels][channels][3].
size_t winograd_line_weights_size(const ConvShape& s) noexcept;
void winograd_line_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept;

// Blocks of output that may be computed side by side, in any order; so may output channels, from multiples of this many
// on, but each such piece transforms the input anew.
size_t winograd_line_blocks(const ConvShape& s) noexcept;
constexpr size_t kLineRows = 12;  // whose products lie in the caches at once
// Floats of scratch per thread.
size_t winograd_line_scratch_size(const ConvShape& s) noexcept;

// Output channels [m0, m1) of a block of y of one image and group (pointers are those of all channels).
void winograd_line_f32(const ConvShape& s, const float* packed_w, const float* x, float* y, size_t block, size_t m0,
                       size_t m1, float* scratch, const Epilogue& epilogue = {}) noexcept;

}  // namespace sardonyx::kernels
