// DeformConv: convolution whose taps are moved by offsets and sampled between pixels, over two spatial dimensions.
#include <cmath>
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/conv_geometry.h"
#include "ops/util/macs.h"
#include "ops/util/product.h"

namespace sardonyx {
namespace {

// The plane between its pixels; zero outside.
template <class T>
T sample(const T* plane, int64_t height, int64_t width, double y, double x) noexcept {
  if (!(y > -1 && x > -1 && y < static_cast<double>(height) && x < static_cast<double>(width))) return 0;
  const double top = std::floor(y), left = std::floor(x);
  const double fy = y - top, fx = x - left;
  const auto at = [&](int64_t r, int64_t c) {
    return r < 0 || c < 0 || r >= height || c >= width ? 0.0 : static_cast<double>(plane[r * width + c]);
  };
  const int64_t r = static_cast<int64_t>(top), c = static_cast<int64_t>(left);
  return static_cast<T>((1 - fy) * ((1 - fx) * at(r, c) + fx * at(r, c + 1)) +
                        fy * ((1 - fx) * at(r + 1, c) + fx * at(r + 1, c + 1)));
}

class DeformConv final : public Operator {
 public:
  explicit DeformConv(const Attributes& a)
      : window_(a), groups_(a.integer("group", 1)), offset_groups_(a.integer("offset_group", 1)) {
    check(groups_ >= 1 && offset_groups_ >= 1 && offset_groups_ < 1 << 24, ErrorCode::invalid_model, "group is ",
          groups_, ", offset_group ", offset_groups_);
  }

  double macs(std::span<const InferInput> inputs, const Shape& y) const override {
    return conv_macs(y, inputs[1].shape);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 5);
    c.require_dtype(0, kFloat);
    for (int i = 0; i < c.input_count(); i++) {
      if (i == 3 ? !c.has_input(3) : i == 4 && !c.has_input(4)) continue;
      c.require_same_dtype(0, i);
      if (i != 3) c.require_rank(i, 4, 4);
    }
    const Shape &x = c.shape(0), &w = c.shape(1);
    check(x[1] == w[1] * groups_ && w[0] % groups_ == 0 && x[1] % offset_groups_ == 0, ErrorCode::invalid_input,
          "X with ", x[1], " channels and W of shape ", w, " do not fit ", groups_, " groups and ", offset_groups_,
          " offset groups");
    const WindowGeometry g = window_.geometry(x, w.dims().subspan(2));
    const Shape y = window_output_shape(x[0], w[0], g);
    const int64_t taps = g.taps() * offset_groups_;
    check(c.shape(2) == (Shape{x[0], 2 * taps, y[2], y[3]}), ErrorCode::invalid_input, "offset has shape ", c.shape(2),
          ", not ", Shape{x[0], 2 * taps, y[2], y[3]});
    if (c.has_input(3)) {
      check(c.shape(3) == Shape{w[0]}, ErrorCode::invalid_input, "B has shape ", c.shape(3), " for ", w[0],
            " channels");
    }
    if (c.has_input(4)) {
      check(c.shape(4) == (Shape{x[0], taps, y[2], y[3]}), ErrorCode::invalid_input, "mask has shape ", c.shape(4));
    }
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const bool wide = c.input(0).dtype() == DType::float64;
    Tensor in[5];
    for (int i = 0; i < c.input_count(); i++) {
      if (c.has_input(i)) in[i] = wide ? c.input(i) : to_float32(c.input(i));
    }
    if (wide) return run_as<double>(c, in, c.output(0).data<double>());
    FloatOutput y(c.output(0));
    run_as<float>(c, in, y.data());
    y.store();
  }

 private:
  template <class T>
  void run_as(RunContext& c, const Tensor (&in)[5], T* y) const {
    const Shape &x = in[0].shape(), &w = in[1].shape();
    const WindowGeometry g = window_.geometry(x, w.dims().subspan(2));
    const int64_t width = g.axes[1].out, plane = g.out_size(), taps = g.taps(), outputs = w[0] / groups_;
    const size_t m = static_cast<size_t>(outputs), k = static_cast<size_t>(w[1] * taps);
    // A task: one row of one image and group. Its sampled columns [width][k] times the weights.
    std::vector<T> columns(k * static_cast<size_t>(width)), sums(m * static_cast<size_t>(width));
    for (int64_t task = 0; task < x[0] * groups_ * g.axes[0].out; task++) {
      const int64_t row = task % g.axes[0].out, group = task / g.axes[0].out % groups_,
                    image = task / g.axes[0].out / groups_;
      if (row == 0) c.services().check_abort();
      for (int64_t i = 0; i < width; i++) {
        gather(g, in, image, group * w[1], w[1], row * width + i, columns.data() + static_cast<size_t>(i) * k);
      }
      const T* weights = in[1].data<T>() + static_cast<size_t>(group) * m * k;
      multiply_rows<T>(0, m, k, static_cast<size_t>(width), {weights, k, 1}, {columns.data(), 1, k}, sums.data());
      for (int64_t o = 0; o < outputs; o++) {
        const int64_t channel = group * outputs + o;
        const T bias = in[3].defined() ? in[3].data<T>()[channel] : T{0};
        T* to = y + (image * w[0] + channel) * plane + row * width;
        for (int64_t i = 0; i < width; i++) to[i] = sums[static_cast<size_t>(o * width + i)] + bias;
      }
    }
  }

  // The taps of output pixel `at` for channels [first, first + count): [count][taps].
  template <class T>
  void gather(const WindowGeometry& g, const Tensor (&in)[5], int64_t image, int64_t first, int64_t count, int64_t at,
              T* columns) const noexcept {
    const WindowAxis &v = g.axes[0], &h = g.axes[1];
    const int64_t taps = g.taps(), plane = g.out_size(), channels = in[0].dim(1);
    for (int64_t channel = first; channel < first + count; channel++) {
      const int64_t base = (image * offset_groups_ + channel / (channels / offset_groups_)) * taps;
      const T* source = in[0].data<T>() + (image * channels + channel) * v.in * h.in;
      for (int64_t t = 0; t < taps; t++) {
        const T* offset = in[2].data<T>() + (base + t) * 2 * plane + at;
        const int64_t row = at / h.out * v.stride - v.pad + t / h.kernel * v.dilation;
        const int64_t column = at % h.out * h.stride - h.pad + t % h.kernel * h.dilation;
        T value = sample(source, v.in, h.in, static_cast<double>(row) + static_cast<double>(offset[0]),
                         static_cast<double>(column) + static_cast<double>(offset[plane]));
        if (in[4].defined()) value *= in[4].data<T>()[(base + t) * plane + at];
        *columns++ = value;
      }
    }
  }

  WindowAttributes window_;
  int64_t groups_, offset_groups_;
};

constexpr OpEntry kOps[] = {{"DeformConv", 19, make_operator<DeformConv>},
                            {"DeformConv", 22, make_operator<DeformConv>}};

}  // namespace

std::span<const OpEntry> deform_conv_ops() { return kOps; }

}  // namespace sardonyx
