// Col2Im: sums blocks of columns into an image, the transpose of taking blocks out of it.
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/axes.h"
#include "ops/util/conv_geometry.h"
#include "ops/util/dispatch.h"

namespace sardonyx {
namespace {

// image (zeroed) += columns [taps][blocks], each element being `parts` numbers.
template <class T>
void sum_blocks(const WindowGeometry& g, int64_t parts, const T* columns, T* image) noexcept {
  const WindowAxis& last = g.axes.back();
  const int outer = static_cast<int>(g.axes.size()) - 1;
  const int64_t taps = g.taps(), rows = g.out_size() / last.out;
  for (int64_t tap = 0; tap < taps; tap++) {
    for (int64_t row = 0; row < rows; row++, columns += last.out * parts) {
      int64_t rest_tap = tap / last.kernel, rest_row = row, at = 0, stride = last.in;
      bool inside = true;
      for (int i = outer - 1; i >= 0; i--) {
        const WindowAxis& axis = g.axes[static_cast<size_t>(i)];
        const int64_t p = rest_row % axis.out * axis.stride - axis.pad + rest_tap % axis.kernel * axis.dilation;
        inside = inside && p >= 0 && p < axis.in;
        at += p * stride;
        stride *= axis.in;
        rest_tap /= axis.kernel;
        rest_row /= axis.out;
      }
      if (!inside) continue;
      int64_t p = tap % last.kernel * last.dilation - last.pad;
      for (int64_t i = 0; i < last.out; i++, p += last.stride) {
        if (p < 0 || p >= last.in) continue;
        for (int64_t k = 0; k < parts; k++) {
          T& to = image[(at + p) * parts + k];
          if constexpr (std::is_same_v<T, bool>) {
            to = to || columns[i * parts + k];
          } else {
            to = static_cast<T>(to + columns[i * parts + k]);
          }
        }
      }
    }
  }
}

class Col2Im final : public Operator {
 public:
  explicit Col2Im(const Attributes& a)
      : strides_(a.ints("strides")), dilations_(a.ints("dilations")), pads_(a.ints("pads")) {}

  void infer(InferContext& c) const override {
    c.require_inputs(3, 3);
    c.require_dtype(0, kNumeric | kComplex | kBool);
    c.require_rank(0, 3, 3);
    for (int i = 1; i < 3; i++) {
      c.require_dtype(i, {DType::int64});
      c.require_rank(i, 1, 1);
    }
    check(c.shape(1) == c.shape(2) && c.shape(1)[0] >= 1, ErrorCode::invalid_input, "image_shape has ", c.shape(1)[0],
          " elements, block_shape ", c.shape(2)[0]);
    const KnownInts image = known_ints(c, 1), block = known_ints(c, 2);
    if (!image.known || !block.known) return c.defer();
    const WindowGeometry g = geometry(image.values, block.values);
    const Shape& x = c.shape(0);
    check(x[2] == g.out_size(), ErrorCode::invalid_input, "input has ", x[2], " blocks, the image ", g.out_size());
    check(x[1] % g.taps() == 0, ErrorCode::invalid_input, "dimension 1 of ", x, " is no multiple of ", g.taps(),
          ", the elements of a block");
    Shape y{x[0], x[1] / g.taps()};
    for (int64_t d : image.values) y.push_back(d);
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    Tensor& out = c.output(0);
    if (out.count() == 0) return;
    const WindowGeometry g = geometry(c.input(1).to_int64(), c.input(2).to_int64());
    const Tensor& x = c.input(0);
    switch (x.dtype()) {
      case DType::float64:
        return run_as<double>(c, g, 1, x, out.data<double>());
      case DType::complex64:
        return run_as<float>(c, g, 2, x, out.data<float>());
      case DType::complex128:
        return run_as<double>(c, g, 2, x, out.data<double>());
      case DType::boolean:
        return run_as<bool>(c, g, 1, x, out.data<bool>());
      default:
        break;
    }
    if (kFloat.has(x.dtype())) {
      FloatOutput y(out);
      run_as<float>(c, g, 1, to_float32(x), y.data());
      return y.store();
    }
    dispatch_width(element_bytes(x.dtype()), [&]<class T>(TypeTag<T>) { run_as<T>(c, g, 1, x, out.data<T>()); });
  }

 private:
  // Throws Error (invalid_model, invalid_input).
  WindowGeometry geometry(const std::vector<int64_t>& image, const std::vector<int64_t>& block) const {
    const size_t n = image.size();
    const auto fits = [](const std::vector<int64_t>& v, size_t count) { return v.empty() || v.size() == count; };
    check(fits(strides_, n) && fits(dilations_, n) && fits(pads_, 2 * n), ErrorCode::invalid_model, strides_.size(),
          " strides, ", dilations_.size(), " dilations and ", pads_.size(), " pads for ", n, " axes");
    constexpr int64_t kMost = int64_t{1} << 30;
    WindowGeometry g;
    for (size_t i = 0; i < n; i++) {
      WindowAxis a;
      a.in = image[i];
      a.kernel = block[i];
      if (!strides_.empty()) a.stride = strides_[i];
      if (!dilations_.empty()) a.dilation = dilations_[i];
      if (!pads_.empty()) a.pad = pads_[i], a.pad_end = pads_[n + i];
      check(a.in >= 0 && a.kernel >= 1 && a.stride >= 1 && a.dilation >= 1 && a.pad >= 0 && a.pad_end >= 0 &&
                std::max({a.in, a.kernel, a.stride, a.dilation, a.pad, a.pad_end}) <= kMost,
            ErrorCode::invalid_input, "axis ", i, " has image ", a.in, ", block ", a.kernel, ", stride ", a.stride,
            ", dilation ", a.dilation, ", pads ", a.pad, " and ", a.pad_end);
      const int64_t room = a.in + a.pad + a.pad_end - a.extent();
      check(room >= 0, ErrorCode::invalid_input, "a block of extent ", a.extent(), " is larger than axis ", i,
            " of the padded image");
      a.out = room / a.stride + 1;
      g.axes.push_back(a);
    }
    Shape taps, blocks;  // their counts are checked against overflow
    for (const WindowAxis& a : g.axes) taps.push_back(a.kernel), blocks.push_back(a.out);
    taps.count(), blocks.count();
    return g;
  }

  template <class T>
  void run_as(RunContext& c, const WindowGeometry& g, int64_t parts, const Tensor& x, T* y) const {
    const int64_t image = g.in_size() * parts, columns = g.taps() * g.out_size() * parts;
    c.pool().parallel_for(x.dim(0) * (x.dim(1) / g.taps()), std::max<int64_t>(1, (1 << 14) / columns),
                          [&](int64_t from, int64_t to) {
                            std::fill(y + from * image, y + to * image, T{});
                            for (int64_t i = from; i < to; i++) {
                              sum_blocks(g, parts, x.data<T>() + i * columns, y + i * image);
                            }
                          });
  }

  std::vector<int64_t> strides_, dilations_, pads_;
};

constexpr OpEntry kOps[] = {{"Col2Im", 18, make_operator<Col2Im>}};

}  // namespace

std::span<const OpEntry> col2im_ops() { return kOps; }

}  // namespace sardonyx
