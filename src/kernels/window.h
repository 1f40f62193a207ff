// The geometry of a sliding window over up to three spatial dimensions, shared by convolutions and pools.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

// Spatial axes are depth, height, width; with fewer, the leading ones have size 1, kernel 1, stride 1, dilation 1, pad
// 0. `out` is given by the caller (it decides auto_pad and ceil_mode); reads outside `in` are padding. pad is the
// padding before each axis (negative crops); pad_end, after it, only matters to count_include_pad.
struct Window {
  size_t in[3] = {1, 1, 1};
  size_t kernel[3] = {1, 1, 1};
  size_t stride[3] = {1, 1, 1};
  size_t dilation[3] = {1, 1, 1};
  size_t out[3] = {1, 1, 1};
  ptrdiff_t pad[3] = {0, 0, 0};
  ptrdiff_t pad_end[3] = {0, 0, 0};

  size_t in_size() const { return in[0] * in[1] * in[2]; }
  size_t out_size() const { return out[0] * out[1] * out[2]; }
  size_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// A convolution of one image and one group: x [channels][in], w [out_channels][channels][kernel], y
// [out_channels][out].
struct ConvShape : Window {
  size_t channels = 1;
  size_t out_channels = 1;
};

}  // namespace sardonyx::kernels
