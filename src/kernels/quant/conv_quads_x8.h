// Exact integer convolution of 8-bit images by the relaxed dot, for forms other than pairs: implicit GEMM over a
// padded copy of the image. Only where SARDONYX_HAS_QUADS (is_exact_x8 says so).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quant/form_x8.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

// Weights of one group, w [out_channels][k]: zero points per output channel or one. Size in bytes.
size_t conv_quads_weights_size(size_t out_channels, size_t k) noexcept;
void conv_quads_pack_weights(FormX8 form, size_t out_channels, size_t k, const MatrixX8& w, uint8_t* packed) noexcept;

// An image of one group.
struct ImageX8 {
  const void* data;  // [channels][in]
  bool is_signed;
  int32_t zero;  // also what padding has
};

// The bytes of a padded plane, behind all of which 64 are readable. Planes [c0, c1) of x to their places in `padded`.
size_t conv_quads_plane(const ConvShape& s) noexcept;
void conv_quads_pad(const ConvShape& s, const ImageX8& x, size_t c0, size_t c1, uint8_t* padded) noexcept;

// y[:, panels p0..p1) int32 of 8 output pixels each; bias [out_channels] or null. Work is best split in multiples of
// conv_quads_block_panels(s); scratch per thread, in bytes.
size_t conv_quads_block_panels(const ConvShape& s) noexcept;
size_t conv_quads_scratch_size(const ConvShape& s) noexcept;
void conv_quads_i32(FormX8 form, const ConvShape& s, const uint8_t* packed_w, const uint8_t* padded, const ImageX8& x,
                    const int32_t* bias, int32_t* y, size_t p0, size_t p1, uint8_t* scratch) noexcept;

}  // namespace sardonyx::kernels
