// Padding, strides and dilations: the standard's formulas for output sizes.
#include "ops/util/conv_geometry.h"

#include <algorithm>

#include "base/error.h"

namespace sardonyx {
namespace {

// Of every attribute, of every axis and of what a window reaches over: kernels count in 32 bits where pointers have 32.
constexpr int64_t kMost = int64_t{1} << 28;
constexpr int64_t kMostAxis = int64_t{1} << 30;
constexpr int64_t kMostTaps = int64_t{1} << 31;

void check_values(std::span<const int64_t> values, std::string_view name, int64_t least, int64_t most = kMost) {
  for (int64_t v : values) {
    check(v >= least && v <= most, ErrorCode::invalid_model, name, " has a value ", v, ", not in [", least, ", ", most,
          "]");
  }
}

void check_count(std::span<const int64_t> values, std::string_view name, size_t count) {
  check(values.empty() || values.size() == count, ErrorCode::invalid_model, name, " has ", values.size(),
        " values, not ", count);
}

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }

int64_t value_or(const std::vector<int64_t>& values, size_t i, int64_t otherwise) {
  return values.empty() ? otherwise : values[i];
}

int64_t product(const std::vector<WindowAxis>& axes, int64_t WindowAxis::* member) {
  uint64_t n = 1;
  for (const WindowAxis& a : axes) n *= static_cast<uint64_t>(a.*member);
  return static_cast<int64_t>(n);
}

bool is_trivial(const WindowAxis& a) {
  return a.in == 1 && a.kernel == 1 && a.out == 1 && a.pad == 0 && a.pad_end == 0;
}

}  // namespace

// Wraps where another axis is empty and nothing is there to be counted.
int64_t WindowGeometry::taps() const { return product(axes, &WindowAxis::kernel); }
int64_t WindowGeometry::in_size() const { return product(axes, &WindowAxis::in); }
int64_t WindowGeometry::out_size() const { return product(axes, &WindowAxis::out); }

bool WindowGeometry::fits_kernels() const noexcept {
  return std::count_if(axes.begin(), axes.end(), [](const WindowAxis& a) { return !is_trivial(a); }) <= 3;
}

kernels::Window WindowGeometry::window() const {
  kernels::Window w;
  size_t left = axes.size();
  size_t at = 3;
  for (size_t i = axes.size(); i-- > 0; left--) {
    const WindowAxis& a = axes[i];
    if (left > at && is_trivial(a)) continue;  // more axes than places: drop one that says nothing
    at--;
    w.in[at] = static_cast<size_t>(a.in);
    w.kernel[at] = static_cast<size_t>(a.kernel);
    w.stride[at] = static_cast<size_t>(a.stride);
    w.dilation[at] = static_cast<size_t>(a.dilation);
    w.out[at] = static_cast<size_t>(a.out);
    w.pad[at] = static_cast<ptrdiff_t>(a.pad);
    w.pad_end[at] = static_cast<ptrdiff_t>(a.pad_end);
  }
  return w;
}

int64_t WindowGeometry::offset(int64_t out, int64_t tap) const noexcept {
  int64_t at = 0, step = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    const WindowAxis& a = axes[i];
    const int64_t p = out % a.out * a.stride + tap % a.kernel * a.dilation - a.pad;
    if (p < 0 || p >= a.in) return -1;
    at += p * step;
    step *= a.in;
    out /= a.out;
    tap /= a.kernel;
  }
  return at;
}

WindowAttributes::WindowAttributes(const Attributes& a)
    : kernel_shape_(a.ints("kernel_shape")),
      strides_(a.ints("strides")),
      dilations_(a.ints("dilations")),
      pads_(a.ints("pads")),
      auto_pad_(static_cast<AutoPad>(a.choice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}, 0))),
      ceil_mode_(a.flag("ceil_mode", false)) {
  check_values(kernel_shape_, "kernel_shape", 1);
  check_values(strides_, "strides", 1);
  check_values(dilations_, "dilations", 1);
  check_values(pads_, "pads", -kMost);
}

WindowAxis WindowAttributes::axis(int spatial, int i, int64_t in, int64_t kernel) const {
  const size_t at = static_cast<size_t>(i);
  WindowAxis a;
  a.in = in;
  a.kernel = kernel;
  a.stride = value_or(strides_, at, 1);
  a.dilation = value_or(dilations_, at, 1);
  check(kernel >= 1 && kernel <= kMost && in <= kMostAxis, ErrorCode::invalid_input, "a kernel of size ", kernel,
        " over ", in, " elements");
  if (auto_pad_ == AutoPad::notset) {
    a.pad = value_or(pads_, at, 0);
    a.pad_end = value_or(pads_, at + static_cast<size_t>(spatial), 0);
  }
  return a;
}

WindowGeometry WindowAttributes::geometry(const Shape& x, std::span<const int64_t> kernel) const {
  check(x.rank() >= 2, ErrorCode::invalid_input, "input 0 has rank ", x.rank(), ", not 2 or more");
  const int spatial = x.rank() - 2;
  const size_t n = static_cast<size_t>(spatial);
  check(kernel.size() == n, ErrorCode::invalid_model, "a kernel of ", kernel.size(), " dimensions over ", n);
  check(kernel_shape_.empty() || std::ranges::equal(kernel_shape_, kernel), ErrorCode::invalid_model,
        "kernel_shape is not the shape of the weights");
  check_count(strides_, "strides", n);
  check_count(dilations_, "dilations", n);
  check_count(pads_, "pads", 2 * n);
  WindowGeometry g;
  int64_t taps = 1;
  for (int i = 0; i < spatial; i++) {
    WindowAxis a = axis(spatial, i, x[i + 2], kernel[static_cast<size_t>(i)]);
    check(a.kernel <= kMostTaps / taps, ErrorCode::invalid_model, "the kernel has more than ", kMostTaps, " elements");
    taps *= a.kernel;
    if (auto_pad_ == AutoPad::same_upper || auto_pad_ == AutoPad::same_lower) {
      a.out = ceil_div(a.in, a.stride);
      const int64_t total = std::max<int64_t>(0, (a.out - 1) * a.stride + a.extent() - a.in);
      a.pad = auto_pad_ == AutoPad::same_upper ? total / 2 : total - total / 2;
      a.pad_end = total - a.pad;
    } else {
      const int64_t room = a.in + a.pad + a.pad_end - a.extent();
      check(room >= 0 || a.in == 0, ErrorCode::invalid_input, "a kernel that reaches over ", a.extent(),
            " elements does not fit into spatial dimension ", i, " of size ", a.in, " with padding ",
            a.pad + a.pad_end);
      a.out = room < 0 ? 0 : (ceil_mode_ ? ceil_div(room, a.stride) : room / a.stride) + 1;
      // A window that would start behind the input and its left padding is left out.
      if (ceil_mode_ && a.out > 0 && (a.out - 1) * a.stride >= a.in + a.pad) a.out--;
    }
    g.axes.push_back(a);
  }
  return g;
}

WindowGeometry WindowAttributes::transposed(const Shape& x, std::span<const int64_t> kernel,
                                            std::span<const int64_t> output_padding,
                                            std::span<const int64_t> output_shape) const {
  const int spatial = x.rank() - 2;
  const size_t n = static_cast<size_t>(spatial);
  check(kernel.size() == n, ErrorCode::invalid_model, "a kernel of ", kernel.size(), " dimensions over ", n);
  check(kernel_shape_.empty() || std::ranges::equal(kernel_shape_, kernel), ErrorCode::invalid_model,
        "kernel_shape is not the shape of the weights");
  check_count(strides_, "strides", n);
  check_count(dilations_, "dilations", n);
  check_count(pads_, "pads", 2 * n);
  check_count(output_padding, "output_padding", n);
  check_values(output_padding, "output_padding", 0);
  check_values(output_shape, "output_shape", 0, kMostAxis);
  if (output_shape.size() == n + 2) output_shape = output_shape.subspan(2);  // batch and channels too
  check_count(output_shape, "output_shape", n);
  WindowGeometry g;
  for (int i = 0; i < spatial; i++) {
    const size_t at = static_cast<size_t>(i);
    WindowAxis a = axis(spatial, i, x[i + 2], kernel[at]);
    const int64_t more = output_padding.empty() ? 0 : output_padding[at];
    const int64_t full = a.in == 0 ? 0 : (a.in - 1) * a.stride + more + a.extent();
    check(full <= kMostAxis, ErrorCode::invalid_input, "spatial dimension ", i, " would grow to ", full);
    const bool same = auto_pad_ == AutoPad::same_upper || auto_pad_ == AutoPad::same_lower;
    if (!output_shape.empty() || same) {
      a.out = output_shape.empty() ? a.in * a.stride : output_shape[at];
      const int64_t total = std::max<int64_t>(0, full - a.out);
      a.pad = auto_pad_ == AutoPad::same_upper ? total / 2 : total - total / 2;
      a.pad_end = total - a.pad;
    } else {
      a.out = full - a.pad - a.pad_end;
      check(a.out >= 0, ErrorCode::invalid_input, "pads cut more off spatial dimension ", i, " than there is");
    }
    g.axes.push_back(a);
  }
  return g;
}

Shape window_output_shape(int64_t batch, int64_t channels, const WindowGeometry& geometry) {
  Shape shape{batch, channels};
  for (const WindowAxis& a : geometry.axes) shape.push_back(a.out);
  return shape;
}

kernels::ConvShape shape_of_weights(const Shape& w, int64_t groups, const WindowAttributes& window) {
  kernels::ConvShape s;
  s.channels = static_cast<size_t>(w[1]);
  s.out_channels = static_cast<size_t>(w[0] / groups);
  const int axes = w.rank() - 2;
  if (axes > 3) {
    s.kernel[2] = static_cast<size_t>(w.count(2, w.rank()));
    return s;
  }
  for (int i = 0; i < axes; i++) {
    const size_t from = static_cast<size_t>(i), to = static_cast<size_t>(3 - axes + i);
    s.kernel[to] = static_cast<size_t>(w[2 + i]);
    if (from < window.strides().size()) s.stride[to] = static_cast<size_t>(window.strides()[from]);
    if (from < window.dilations().size()) s.dilation[to] = static_cast<size_t>(window.dilations()[from]);
  }
  return s;
}

}  // namespace sardonyx
