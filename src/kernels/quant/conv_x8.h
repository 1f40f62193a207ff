// Exact integer convolution of 8-bit images: ConvInteger and the integer part of QLinearConv, by implicit GEMM.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quant/gemm_x8.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// Weights of one group are packed with gemm_x8_pack_a(out_channels, channels * taps, ...), zero points per output
// channel or one. Work is split by panels of 8 output pixels: conv_panels(s). Scratch per thread, in int16 elements.
size_t conv_x8_block_panels(const ConvShape& s) noexcept;
size_t conv_x8_scratch_size(const ConvShape& s) noexcept;

// y[:, panels p0..p1) int32, x [channels][in] int8 or uint8 with zero point x_zero (padding has that value), bias
// [out_channels] or null.
void conv_x8_i32(const ConvShape& s, const int16_t* packed_w, const void* x, bool x_signed, int32_t x_zero,
                 const int32_t* bias, int32_t* y, size_t p0, size_t p1, int16_t* scratch) noexcept;

// One plane of a depthwise convolution; w [kernel] as int16 with its zero point taken off.
void depthwise_x8_i32(const ConvShape& s, const void* x, bool x_signed, int32_t x_zero, const int16_t* w, int32_t bias,
                      int32_t* y) noexcept;

}  // namespace sardonyx::kernels
