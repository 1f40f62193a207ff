// Exact 3x3 convolution of 8-bit images in NCHW by Winograd's F(4,3) with tiles of 6x6 in integers: a quarter of the
// direct multiplications, edges and transforms not counted. Points 0, +-1, +-2, infinity (Lavin and Gray, 2015): the
// rows of the kernel's transform are scaled by 4, 6, 6, 24, 24, 1 to whole numbers, so that the sums are 24^2 = 576
// times what is sought, modulo 2^32. Times the inverse of 9 and shifted by 6 they are exact while they fit into 26
// bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/conv/winograd.h"
#include "kernels/quant/conv_quads_x8.h"
#include "kernels/quant/form_x8.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// True for 3x3 kernels in two dimensions with stride 1 and dilations up to 8; any pads.
bool winograd_x8_applies(const ConvShape& s) noexcept;
// Do the sums of any 8-bit image fit? w [out_channels][k].
bool winograd_x8_is_exact(size_t out_channels, size_t k, const MatrixX8& w) noexcept;

// Bytes of the packed weights, about as many as w has; w [out_channels][channels][3][3].
size_t winograd_x8_weights_size(size_t out_channels, size_t channels) noexcept;
void winograd_x8_pack_weights(size_t out_channels, size_t channels, const MatrixX8& w, uint8_t* packed) noexcept;

// The work as winograd.h has it: units are pairs of channels; input and scratch in int16 elements.
WinogradWork winograd_x8_work(const ConvShape& s) noexcept;
// Elements [first, end) of each output plane that are complete when all pieces of a block are; none (0, 0) if blocks
// end within rows.
struct PlanePart {
  size_t first, end;
};
PlanePart winograd_x8_part(const ConvShape& s, size_t block) noexcept;

// Units [u0, u1) of the transformed input of a block.
void winograd_x8_input(const ConvShape& s, const ImageX8& x, size_t block, size_t u0, size_t u1, int16_t* input,
                       int16_t* scratch) noexcept;
// Pieces [p0, p1) of a block of y int32; bias [out_channels] or null.
void winograd_x8_output(const ConvShape& s, const uint8_t* packed_w, const int16_t* input, const int32_t* bias,
                        int32_t* y, size_t block, size_t p0, size_t p1, int16_t* scratch) noexcept;

// Output channels [first, end) of a piece.
PlanePart winograd_x8_channels(const ConvShape& s, size_t piece) noexcept;

}  // namespace sardonyx::kernels
