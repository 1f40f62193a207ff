// Depthwise convolution in NCHW, one plane per call: the unit to split work by is the output channel.
#pragma once

#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// Floats of scratch for one plane (per thread), possibly 0. channels and out_channels of the shape are not used.
size_t depthwise_scratch_size(const ConvShape& s) noexcept;

// y [out] = x [in] * w [kernel], clamped, for one input plane and one output channel. epilogue.row_bias points at
// this channel's bias (or is null); accumulate adds to y. Any kernel, stride, dilation, pads, 1 to 3 dimensions;
// 3x3 with stride 1 or 2, pad 1 or 0 reads x in place, 3x3 and 5x5 have unrolled loops.
void depthwise_plane_f32(const ConvShape& s, const float* x, const float* w, float* y, float* scratch,
                         const Epilogue& epilogue = {}) noexcept;

}  // namespace sardonyx::kernels
