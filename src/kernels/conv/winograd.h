// Winograd convolution in NCHW with tiles of 6x6, points 0, +-sqrt(1/2), +-sqrt(2), infinity: F(4,3), F(3,4), F(2,5);
// about 3x the error of a direct sum. Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks"
// (2015). With stride 2 the input and the kernel are cut into their four phases, which become channels of a convolution
// with stride 1 and a kernel of half the size. With dilation d the output is d x d planes of every d-th row and column,
// each an undilated convolution. Along the depth the sum is direct: the kernel's planes are channels.
#pragma once

#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// True for kernels of any depth and any pads, in height and width 3x3 to 5x5 with stride 1 and dilations up to 6, 5x5
// to 10x10 with stride 2 and dilation 1.
bool winograd_applies(const ConvShape& s) noexcept;
// Direct multiplications per Winograd's, edges and transforms not counted; 0 where it does not apply.
double winograd_gain(const ConvShape& s) noexcept;

// Floats of the packed weights, about as many as w has (at 3x3 stride 1; the transforms would be four times as many and
// are made in the run); pack them (in double), w [out_channels][channels][kernel].
size_t winograd_weights_size(const ConvShape& s) noexcept;
void winograd_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept;

// Images that are convolved together: floats from one to the next in x and y.
struct Images {
  size_t count = 1;
  size_t x_step = 0, y_step = 0;
};

// The work on all images: for each block of output tiles first the units of input (pairs of channels), then the pieces
// of output channels. Units, and pieces, may run side by side, in any order.
struct WinogradWork {
  size_t blocks, units, pieces;
  size_t input;    // floats of a block's transformed input
  size_t scratch;  // floats per thread
};
WinogradWork winograd_work(const ConvShape& s, size_t images) noexcept;

// Units [u0, u1) of the transformed input of a block.
void winograd_input_f32(const ConvShape& s, const Images& images, const float* x, size_t block, size_t u0, size_t u1,
                        float* input, float* scratch) noexcept;
// Pieces [p0, p1) of a block of y.
void winograd_output_f32(const ConvShape& s, const Images& images, const float* packed_w, const float* input, float* y,
                         size_t block, size_t p0, size_t p1, float* scratch, const Epilogue& epilogue = {}) noexcept;

}  // namespace sardonyx::kernels
