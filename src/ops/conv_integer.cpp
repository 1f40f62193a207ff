// ConvInteger and QLinearConv: exact convolutions of 8-bit integers.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/quant/matmul_x8.h"
#include "kernels/quant/quantize.h"
#include "ops/conv_integer.h"
#include "ops/families.h"
#include "ops/fusible.h"
#include "ops/util/conv_f32.h"
#include "ops/util/conv_x8.h"
#include "ops/util/macs.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kBytes{DType::int8, DType::uint8};

// Positions of the inputs.
struct Inputs {
  int x, x_zero, w, w_zero, bias;
};
constexpr Inputs kConvInteger{0, 2, 1, 3, -1};
constexpr Inputs kQLinearConv{0, 2, 3, 5, 8};

// What ConvInteger and QLinearConv share.
class IntegerConvBase : public Operator {
 public:
  IntegerConvBase(const Attributes& a, const Inputs& inputs)
      : window_(a), groups_(a.integer("group", 1)), inputs_(inputs), has_w_zero_(a.inputs > inputs.w_zero) {
    check(groups_ >= 1, ErrorCode::invalid_model, "group is ", groups_);
  }

  void prepare(PrepareContext& c) override {
    const Tensor *w = c.constant(inputs_.w), *zero = c.constant(inputs_.w_zero);
    if (!w || !w->has_data() || w->rank() < 3 || w->rank() > 5 || !kBytes.has(w->dtype())) return;
    if (has_w_zero_ && (!zero || !zero->has_data() || !kBytes.has(zero->dtype()))) return;
    if (w->dim(0) % groups_ != 0 || w->count() == 0) return;
    if (zero && zero->count() != 1 && zero->count() != w->dim(0)) return;
    packed_ = IntegerWeights(*w, byte_values(zero), groups_, window_);
    is_packed_ = true;
    c.release(inputs_.w);
  }

  double macs(std::span<const InferInput> inputs, const Shape& y) const override {
    return conv_macs(y, inputs[static_cast<size_t>(inputs_.w)].shape);
  }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

 protected:
  Shape output_shape(InferContext& c) const {
    c.require_dtype(inputs_.x, kBytes);
    c.require_dtype(inputs_.w, kBytes);
    c.require_rank(inputs_.x, 3);
    const Shape &x = c.shape(inputs_.x), &w = c.shape(inputs_.w);
    c.require_rank(inputs_.w, x.rank(), x.rank());
    check(x[1] == w[1] * groups_, ErrorCode::invalid_input, "x has ", x[1], " channels, w takes ", w[1], " in each of ",
          groups_, " groups");
    check(w[0] % groups_ == 0, ErrorCode::invalid_model, "w gives ", w[0], " channels, no multiple of ", groups_,
          " groups");
    require_values(c, inputs_.x_zero, inputs_.x, 1);
    require_values(c, inputs_.w_zero, inputs_.w, w[0]);
    return window_output_shape(x[0], w[0], window_.geometry(x, w.dims().subspan(2)));
  }

  // Calls image(n, sums) with the int32 sums of every image in turn; sums is `y` of the image where y is given.
  template <class F>
  void convolve(RunContext& c, int32_t* y, const int32_t* bias, F&& image, const SumsRow* row = nullptr) const {
    const Tensor &x = c.input(inputs_.x), &w = c.input(inputs_.w);
    const WindowGeometry g = window_.geometry(x.shape(), w.shape().dims().subspan(2));
    const int64_t sums = w.dim(0) * g.out_size(), in = x.shape().count(1, x.rank());
    const std::vector<int32_t> zero = byte_values(c.has_input(inputs_.x_zero) ? &c.input(inputs_.x_zero) : nullptr);
    const int32_t x_zero = zero.empty() ? 0 : zero[0];
    Tensor buffer;
    if (!y) buffer = Tensor::allocate(DType::int32, {sums});
    if (!g.fits_kernels() || w.count() == 0) return convolve_plainly(c, g, x_zero, bias, y, image, row);
    IntegerWeights made;
    if (!is_packed_) {
      made = IntegerWeights(w, byte_values(c.has_input(inputs_.w_zero) ? &c.input(inputs_.w_zero) : nullptr), groups_,
                            window_);
    }
    const kernels::ConvShape s{g.window(), static_cast<size_t>(w.dim(1)), static_cast<size_t>(w.dim(0) / groups_)};
    const IntegerConv conv{is_packed_ ? packed_ : made, s, groups_, is_signed(x), x_zero, bias, row};
    for (int64_t n = 0; n < x.dim(0); n++) {
      int32_t* to = y ? y + n * sums : buffer.data<int32_t>();
      conv.run(c, x.bytes() + n * in, to);
      image(n, static_cast<const int32_t*>(to));
    }
  }

  WindowAttributes window_;
  int64_t groups_;
  Inputs inputs_;

 private:
  static void require_values(InferContext& c, int i, int like, int64_t most) {
    if (!c.has_input(i)) return;
    c.require_same_dtype(i, like);
    const int64_t n = c.shape(i).count();
    check(c.rank(i) <= 1 && (n == 1 || n == most), ErrorCode::invalid_input, "the zero point ", i, " has shape ",
          c.shape(i));
  }

  // Any number of axes; unsigned sums wrap.
  template <class F>
  void convolve_plainly(RunContext& c, const WindowGeometry& g, int32_t x_zero, const int32_t* bias, int32_t* y,
                        F&& image, const SumsRow* row) const {
    const Tensor &x = c.input(inputs_.x), &w = c.input(inputs_.w);
    const std::vector<int32_t> zero = byte_values(c.has_input(inputs_.w_zero) ? &c.input(inputs_.w_zero) : nullptr);
    std::vector<uint32_t> xs, ws, sums(static_cast<size_t>(x.dim(0) * w.dim(0) * g.out_size()));
    for (int32_t v : byte_values(&x)) xs.push_back(static_cast<uint32_t>(v - x_zero));
    const size_t k = static_cast<size_t>(w.shape().count(1, w.rank()));
    for (int32_t v : byte_values(&w)) {
      const int32_t z = zero.empty() ? 0 : zero.size() == 1 ? zero[0] : zero[ws.size() / k];
      ws.push_back(static_cast<uint32_t>(v - z));
    }
    conv_plain(c.pool(), g, x.dim(0), groups_, w.dim(1), w.dim(0) / groups_, xs.data(), ws.data(),
               reinterpret_cast<const uint32_t*>(bias), sums.data());
    const int64_t each = w.dim(0) * g.out_size();
    for (int64_t n = 0; n < x.dim(0); n++) {
      const int32_t* from = reinterpret_cast<const int32_t*>(sums.data()) + n * each;
      if (y) std::copy_n(from, each, y + n * each);
      for (int64_t m = 0; y && row && m < w.dim(0); m++) {
        row->done(static_cast<size_t>(m), y + n * each + m * g.out_size(), static_cast<size_t>(g.out_size()));
      }
      image(n, from);
    }
  }

  bool has_w_zero_, is_packed_ = false;
  IntegerWeights packed_;
};

// The sums; or (conv_integer.h) as float32 times the fifth input, scaled and shifted by the channel and clamped.
class ConvInteger final : public IntegerConvBase, public Fusible {
 public:
  explicit ConvInteger(const Attributes& a, bool to_float = false)
      : IntegerConvBase(a, kConvInteger), to_float_(to_float) {}

  void infer(InferContext& c) const override {
    c.require_inputs(to_float_ ? 5 : 2, to_float_ ? 5 : 4);
    if (to_float_) {
      c.require_dtype(4, {DType::float32});
      check(c.shape(4).count() == 1, ErrorCode::invalid_input, "the factor has shape ", c.shape(4));
    }
    c.set_output(0, to_float_ ? DType::float32 : DType::int32, output_shape(c));
  }

  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    if (!to_float_) return convolve(c, y.data<int32_t>(), nullptr, [](int64_t, const int32_t*) {});
    const Floats floats(*this, c.input(4).data<float>()[0]);
    convolve(c, reinterpret_cast<int32_t*>(y.data<float>()), nullptr, [](int64_t, const int32_t*) {}, &floats);
  }

  Fusible* fusible() override { return this; }
  bool fuse_clamp(float lo, float hi) override {
    if (!to_float_) return false;
    lo_ = std::min(std::max(lo_, lo), hi), hi_ = std::min(std::max(hi_, lo), hi);
    clamps_ = true;
    return true;
  }
  bool fuse_scale_shift(std::span<const float> scale, std::span<const float> shift) override {
    if (!to_float_ || clamps_ || !scale_.empty()) return false;
    scale_.assign(scale.begin(), scale.end()), shift_.assign(shift.begin(), shift.end());
    return true;
  }

 private:
  class Floats final : public SumsRow {
   public:
    Floats(const ConvInteger& op, float factor) : op_(op), factor_(factor) {}
    void done(size_t channel, int32_t* sums, size_t n) const noexcept override {
      const bool steps = !op_.scale_.empty();
      kernels::scale_clamp_sums_f32(sums, reinterpret_cast<float*>(sums), n, factor_, steps ? op_.scale_[channel] : 1,
                                    steps ? op_.shift_[channel] : 0, op_.lo_, op_.hi_);
    }

   private:
    const ConvInteger& op_;
    float factor_;
  };

  bool to_float_, clamps_ = false;
  std::vector<float> scale_, shift_;
  float lo_ = -std::numeric_limits<float>::infinity(), hi_ = std::numeric_limits<float>::infinity();
};

class QLinearConv final : public IntegerConvBase {
 public:
  explicit QLinearConv(const Attributes& a) : IntegerConvBase(a, kQLinearConv) {}

  void infer(InferContext& c) const override {
    c.require_inputs(8, 9);
    for (int i : {2, 5}) c.require_input(i);
    const Shape y = output_shape(c);
    const int64_t channels = c.shape(3)[0];
    for (int i : {1, 4, 6}) {
      c.require_dtype(i, {DType::float32});
      const int64_t n = c.shape(i).count();
      check(n == 1 || (i == 4 && n == channels), ErrorCode::invalid_input, "the scale ", i, " has shape ", c.shape(i));
    }
    c.require_dtype(7, kBytes);
    check(c.shape(7).count() == 1, ErrorCode::invalid_input, "y_zero_point has shape ", c.shape(7));
    if (c.has_input(8)) {
      c.require_dtype(8, {DType::int32});
      check(c.shape(8).count() == channels, ErrorCode::invalid_input, "B has shape ", c.shape(8), " for ", channels,
            " channels");
    }
    c.set_output(0, c.dtype(7), y);
  }

  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const int64_t channels = y.dim(1), plane = y.shape().count(2, y.rank());
    const float x_scale = c.input(1).data<float>()[0], y_scale = c.input(6).data<float>()[0];
    const std::span<const float> w_scale = c.input(4).values<float>();
    const int32_t zero = byte_values(&c.input(7))[0];
    const int32_t* bias = c.has_input(8) ? c.input(8).data<int32_t>() : nullptr;
    convolve(c, nullptr, bias, [&](int64_t n, const int32_t* sums) {
      c.pool().parallel_for(channels, std::max<int64_t>(1, (1 << 14) / plane), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) {
          const float f = x_scale * w_scale[w_scale.size() == 1 ? 0 : static_cast<size_t>(i)] / y_scale;
          const int64_t at = (n * channels + i) * plane;
          const size_t count = static_cast<size_t>(plane);
          if (y.dtype() == DType::uint8) {
            kernels::requantize_u8(sums + i * plane, y.data<uint8_t>() + at, count, f, zero);
          } else {
            kernels::requantize_s8(sums + i * plane, y.data<int8_t>() + at, count, f, zero);
          }
        }
      });
    });
  }
};

constexpr OpEntry kOps[] = {{"ConvInteger", 10, make_operator<ConvInteger>},
                            {"QLinearConv", 10, make_operator<QLinearConv>}};

}  // namespace

std::shared_ptr<Operator> make_scaled_conv_integer(const Attributes& attributes) {
  return std::make_shared<ConvInteger>(attributes, true);
}

std::span<const OpEntry> conv_integer_ops() { return kOps; }

}  // namespace sardonyx
