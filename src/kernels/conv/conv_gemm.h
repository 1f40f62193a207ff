// Convolution in NCHW as a matrix product: 1x1 without any copy, every other kernel by implicit GEMM.
#pragma once

#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/gemm/gemm_f32.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// Weights of one group, w [out_channels][channels * taps], packed as the A of a GEMM:
// gemm_pack_a_f32(out_channels, channels * taps, {w, channels * taps, 1}, 1, packed).

// True for kernel 1, stride 1, pad 0 in every axis: then conv1x1_f32 reads x in place.
bool conv_is_1x1(const ConvShape& s) noexcept;

// y[:, n0..n1) of a 1x1 convolution; n0, n1, scratch as in gemm_f32_block with k = channels, n = in_size().
void conv1x1_f32(const ConvShape& s, const float* packed_w, const float* x, float* y, size_t n0, size_t n1,
                 float* scratch, const Epilogue& epilogue = {}) noexcept;

// Floats of the zero-padded copy of x that conv_gemm_f32 reads; 0 when it can read x itself.
size_t conv_padded_size(const ConvShape& s) noexcept;
// Fills channels [c0, c1) of that copy.
void conv_pad_f32(const ConvShape& s, const float* x, float* padded, size_t c0, size_t c1) noexcept;

// Work is split by panels of 8 output pixels (numbered through the whole output); a block is the natural unit.
size_t conv_panels(const ConvShape& s) noexcept;
size_t conv_block_panels(const ConvShape& s) noexcept;
// Floats of scratch per thread.
size_t conv_gemm_scratch_size(const ConvShape& s) noexcept;

// The pixels of panels [p0, p1) as a packed B: panel p goes to panels + (p - p0) * 8 * channels * taps. The product
// with all of them, n = out_size(), is y.
void conv_gather_f32(const ConvShape& s, const float* source, size_t p0, size_t p1, float* panels) noexcept;

// y[:, panels p0..p1). source: the padded copy, or x when conv_padded_size is 0. Any kernel, stride, dilation, 1 to 3
// dimensions.
void conv_gemm_f32(const ConvShape& s, const float* packed_w, const float* source, float* y, size_t p0, size_t p1,
                   float* scratch, const Epilogue& epilogue = {}) noexcept;

}  // namespace sardonyx::kernels
