// Transposed convolution in NCHW: a matrix product per chunk of output channels, then an overlapping scatter.
#pragma once

#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// Here `in` is the (smaller) input and `out` the (larger) output of the transposed convolution; pad is cut from the
// output's begin. Input element i of an axis and tap t add to output i * stride + t * dilation - pad.
// x [channels][in], w [channels][out_channels][kernel] (ONNX order, one group), y [out_channels][out].
// Floats of the packed weights; pack them.
size_t conv_transpose_weights_size(const ConvShape& s) noexcept;
void conv_transpose_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept;

// Work is split by chunks of output channels; floats of scratch per thread.
size_t conv_transpose_chunks(const ConvShape& s) noexcept;
size_t conv_transpose_scratch_size(const ConvShape& s) noexcept;

// The output planes of chunks [q0, q1).
void conv_transpose_f32(const ConvShape& s, const float* packed_w, const float* x, float* y, size_t q0, size_t q1,
                        float* scratch, const Epilogue& epilogue = {}) noexcept;

}  // namespace sardonyx::kernels
