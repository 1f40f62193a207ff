// Windows that slide over spatial axes: the attributes and arithmetic that convolutions and pools share.
#pragma once
#include <vector>

#include "base/shape.h"
#include "graph/attributes.h"
#include "kernels/window.h"

namespace sardonyx {

enum class AutoPad : uint8_t { notset, same_upper, same_lower, valid };

// One spatial axis with everything known.
struct WindowAxis {
  int64_t in = 1, kernel = 1, stride = 1, dilation = 1, out = 1, pad = 0, pad_end = 0;
  int64_t extent() const noexcept { return (kernel - 1) * dilation + 1; }
};

// All spatial axes, outermost first.
struct WindowGeometry {
  std::vector<WindowAxis> axes;

  int64_t taps() const;
  int64_t in_size() const;
  int64_t out_size() const;
  // Axes of size 1 in everything are dropped until at most three are left: is that so? Then window() may be called.
  bool fits_kernels() const noexcept;
  kernels::Window window() const;
  // Offset into a plane of input element (output index `out`, tap index `tap`), -1 in the padding; row-major. For plain
  // loops over any number of axes.
  int64_t offset(int64_t out, int64_t tap) const noexcept;
};

// auto_pad, ceil_mode, dilations, kernel_shape, pads, strides as the node gives them; reads those attributes.
class WindowAttributes {
 public:
  explicit WindowAttributes(const Attributes& attributes);

  // The window over the spatial axes of input shape x (from axis 2 on). kernel: the kernel's sizes, which kernel_shape
  // must equal if it is given. Throws Error (invalid_model, invalid_input).
  WindowGeometry geometry(const Shape& x, std::span<const int64_t> kernel) const;
  // kernel_shape itself is the kernel (pools).
  WindowGeometry geometry(const Shape& x) const { return geometry(x, kernel_shape_); }

  // The same of a transposed convolution: `in` is its input, `out` its output (ConvTranspose of the standard).
  WindowGeometry transposed(const Shape& x, std::span<const int64_t> kernel, std::span<const int64_t> output_padding,
                            std::span<const int64_t> output_shape) const;

  const std::vector<int64_t>& kernel_shape() const noexcept { return kernel_shape_; }
  const std::vector<int64_t>& strides() const noexcept { return strides_; }
  const std::vector<int64_t>& dilations() const noexcept { return dilations_; }
  const std::vector<int64_t>& pads() const noexcept { return pads_; }
  AutoPad auto_pad() const noexcept { return auto_pad_; }

 private:
  WindowAxis axis(int spatial, int i, int64_t in, int64_t kernel) const;

  std::vector<int64_t> kernel_shape_, strides_, dilations_, pads_;
  AutoPad auto_pad_;
  bool ceil_mode_ = false;
};

// batch x channels x `out` of the axes.
Shape window_output_shape(int64_t batch, int64_t channels, const WindowGeometry& geometry);

// The shape of one group as far as weights [out channels][channels][kernel] and the node tell it: one output per image.
kernels::ConvShape shape_of_weights(const Shape& w, int64_t groups, const WindowAttributes& window);

}  // namespace sardonyx
