// Winograd convolution in NCHW with tiles of 6x6, points 0, +-sqrt(1/2), +-sqrt(2), infinity: F(4,3), F(3,4), F(2,5);
// about 3x the error of a direct sum. Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks"
// (2015). With stride 2 the input and the kernel are cut into their four phases, which become channels of a convolution
// with stride 1 and a kernel of half the size.
#pragma once

#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// True for 2-D kernels with dilation 1 and any pads: 3x3 to 5x5 with stride 1, 5x5 to 10x10 with stride 2.
bool winograd_applies(const ConvShape& s) noexcept;
// Direct multiplications per Winograd's, edges and transforms not counted; 0 where it does not apply.
double winograd_gain(const ConvShape& s) noexcept;

// Floats of the transformed weights; transform (in double) and pack them, w [out_channels][channels][kernel].
size_t winograd_weights_size(const ConvShape& s) noexcept;
void winograd_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept;

// Floats of the zero-padded copy of x (always needed); fill its channels [c0, c1).
size_t winograd_padded_size(const ConvShape& s) noexcept;
void winograd_pad_f32(const ConvShape& s, const float* x, float* padded, size_t c0, size_t c1) noexcept;

// Work is split by blocks of 32 output tiles; floats of scratch per thread.
size_t winograd_blocks(const ConvShape& s) noexcept;
size_t winograd_scratch_size(const ConvShape& s) noexcept;

// The output tiles of blocks [b0, b1).
void winograd_f32(const ConvShape& s, const float* packed_w, const float* padded, float* y, size_t b0, size_t b1,
                  float* scratch, const Epilogue& epilogue = {}) noexcept;

}  // namespace sardonyx::kernels
