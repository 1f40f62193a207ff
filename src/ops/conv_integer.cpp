// ConvInteger and QLinearConv: exact convolutions of 8-bit integers.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/conv/conv_gemm.h"
#include "kernels/quant/conv_quads_x8.h"
#include "kernels/quant/conv_x8.h"
#include "kernels/quant/matmul_x8.h"
#include "kernels/quant/quantize.h"
#include "ops/conv_integer.h"
#include "ops/families.h"
#include "ops/fusible.h"
#include "ops/util/conv_f32.h"
#include "ops/util/macs.h"
#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kBytes{DType::int8, DType::uint8};

bool is_signed(const Tensor& t) noexcept { return t.dtype() == DType::int8; }

// The elements of an int8 or uint8 tensor; none for null.
std::vector<int32_t> byte_values(const Tensor* t) {
  std::vector<int32_t> v;
  if (!t) return v;
  for (int64_t i = 0; i < t->count(); i++) v.push_back(is_signed(*t) ? t->data<int8_t>()[i] : t->data<uint8_t>()[i]);
  return v;
}

// Positions of the inputs.
struct Inputs {
  int x, x_zero, w, w_zero, bias;
};
constexpr Inputs kConvInteger{0, 2, 1, 3, -1};
constexpr Inputs kQLinearConv{0, 2, 3, 5, 8};

// Weights packed for the kernels: quads, or with their zero points taken off; depthwise ones are only widened.
struct IntegerWeights {
  std::vector<int16_t> data;
  std::vector<uint8_t> quads;
  kernels::FormX8 form = kernels::FormX8::pairs;
  size_t group_size = 0;
  bool depthwise = false;

  IntegerWeights() = default;
  // zero: empty, one, or one per output channel.
  IntegerWeights(const Tensor& w, const std::vector<int32_t>& zero, int64_t groups) {
    const size_t outputs = static_cast<size_t>(w.dim(0) / groups),
                 k = static_cast<size_t>(w.shape().count(1, w.rank()));
    depthwise = w.dim(1) == 1 && groups > 1;
    if (depthwise) {
      group_size = outputs * k;
      const std::vector<int32_t> values = byte_values(&w);
      for (size_t i = 0; i < values.size(); i++) {
        const int32_t z = zero.empty() ? 0 : zero.size() == 1 ? zero[0] : zero[i / k];
        data.push_back(static_cast<int16_t>(values[i] - z));
      }
      data.resize(data.size() + Buffer::kSlack / sizeof(int16_t));
      return;
    }
    form = kernels::best_form_x8(k, static_cast<size_t>(w.dim(0)), {w.bytes(), 1, k, is_signed(w), nullptr, false});
    const bool in_quads = form != kernels::FormX8::pairs;
    group_size = in_quads ? kernels::conv_quads_weights_size(outputs, k) : kernels::gemm_x8_packed_a_size(outputs, k);
    in_quads ? quads.resize(group_size * static_cast<size_t>(groups) + Buffer::kSlack)
             : data.resize(group_size * static_cast<size_t>(groups));
    for (size_t g = 0; g < static_cast<size_t>(groups); g++) {
      const int32_t* z = zero.empty() ? nullptr : zero.size() == 1 ? zero.data() : zero.data() + g * outputs;
      const kernels::MatrixX8 rows{w.bytes() + g * outputs * k, k, 1, is_signed(w), z, zero.size() > 1};
      if (in_quads)
        kernels::conv_quads_pack_weights(form, outputs, k, rows, quads.data() + g * group_size);
      else
        kernels::gemm_x8_pack_a(outputs, k, rows, data.data() + g * group_size);
    }
  }

  uint64_t byte_size() const noexcept { return data.size() * sizeof(int16_t) + quads.size(); }
};

// What is to be done with sums as soon as they are there: n adjacent ones of an output channel.
class SumsRow {
 public:
  virtual void done(size_t channel, int32_t* sums, size_t n) const noexcept = 0;

 protected:
  ~SumsRow() = default;
};

// The int32 sums of one image for all groups. y [out channels][out]. Takes the run's scratch.
struct IntegerConv {
  const IntegerWeights& weights;
  kernels::ConvShape shape;
  int64_t groups;
  bool x_signed;
  int32_t x_zero;
  const int32_t* bias;
  const SumsRow* row;  // or null

  void run(RunContext& c, const std::byte* x, int32_t* y) const {
    const kernels::ConvShape& s = shape;
    if (s.out_size() == 0 || s.out_channels == 0) return;
    if (weights.depthwise) return run_depthwise(c.pool(), x, y);
    if (weights.form != kernels::FormX8::pairs) return run_quads(c, x, y);
    const size_t panels = kernels::conv_panels(s), step = kernels::conv_x8_block_panels(s);
    const int64_t blocks = static_cast<int64_t>((panels + step - 1) / step);
    ScratchSlots<int16_t> slots(c, static_cast<int64_t>(kernels::conv_x8_scratch_size(s)));
    c.pool().parallel_for(groups * blocks, 1, [&](int64_t from, int64_t to) {
      ScratchSlots<int16_t>::Lease scratch(slots);
      for (int64_t i = from; i < to; i++) {
        const size_t g = static_cast<size_t>(i / blocks), p = static_cast<size_t>(i % blocks) * step;
        kernels::conv_x8_i32(s, weights.data.data() + g * weights.group_size, x + g * s.channels * s.in_size(),
                             x_signed, x_zero, bias ? bias + g * s.out_channels : nullptr,
                             y + g * s.out_channels * s.out_size(), p, std::min(panels, p + step), scratch.data());
        rows_done(g, p, p + step, y);
      }
    });
  }

 private:
  // Panels [p0, p1) of group g.
  void rows_done(size_t g, size_t p0, size_t p1, int32_t* y) const noexcept {
    const size_t n = shape.out_size(), first = p0 * 8, end = std::min(n, p1 * 8);
    for (size_t i = g * shape.out_channels; row && i < (g + 1) * shape.out_channels; i++) {
      row->done(i, y + i * n + first, end - first);
    }
  }

  void run_quads(RunContext& c, const std::byte* x, int32_t* y) const {
    const kernels::ConvShape& s = shape;
    const size_t panels = kernels::conv_panels(s), step = kernels::conv_quads_block_panels(s),
                 plane = kernels::conv_quads_plane(s);
    const int64_t blocks = static_cast<int64_t>((panels + step - 1) / step),
                  channels = groups * static_cast<int64_t>(s.channels);
    const uint64_t padded_size = static_cast<uint64_t>(channels) * plane + Buffer::kSlack;
    check(padded_size < uint64_t{1} << 31, ErrorCode::runtime_error, "a padded image of ", padded_size, " bytes");
    ScratchSlots<uint8_t> slots(c, static_cast<int64_t>(kernels::conv_quads_scratch_size(s)),
                                static_cast<int64_t>(padded_size));
    uint8_t* padded = slots.shared();
    const kernels::ImageX8 image{x, x_signed, x_zero};
    c.pool().parallel_for(
        channels, std::max<int64_t>(1, (1 << 16) / static_cast<int64_t>(plane + 1)), [&](int64_t from, int64_t to) {
          kernels::conv_quads_pad(s, image, static_cast<size_t>(from), static_cast<size_t>(to), padded);
        });
    c.pool().parallel_for(groups * blocks, 1, [&](int64_t from, int64_t to) {
      ScratchSlots<uint8_t>::Lease scratch(slots);
      for (int64_t i = from; i < to; i++) {
        const size_t g = static_cast<size_t>(i / blocks), p = static_cast<size_t>(i % blocks) * step;
        kernels::conv_quads_i32(weights.form, s, weights.quads.data() + g * weights.group_size,
                                padded + g * s.channels * plane, image, bias ? bias + g * s.out_channels : nullptr,
                                y + g * s.out_channels * s.out_size(), p, std::min(panels, p + step), scratch.data());
        rows_done(g, p, p + step, y);
      }
    });
  }

  void run_depthwise(ThreadPool& pool, const std::byte* x, int32_t* y) const {
    const kernels::ConvShape& s = shape;
    pool.parallel_for(groups * static_cast<int64_t>(s.out_channels), 1, [&](int64_t from, int64_t to) {
      for (size_t i = static_cast<size_t>(from); i < static_cast<size_t>(to); i++) {
        kernels::depthwise_x8_i32(s, x + i / s.out_channels * s.in_size(), x_signed, x_zero,
                                  weights.data.data() + i * s.taps(), bias ? bias[i] : 0, y + i * s.out_size());
        if (row) row->done(i, y + i * s.out_size(), s.out_size());
      }
    });
  }
};

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
    packed_ = IntegerWeights(*w, byte_values(zero), groups_);
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
      made = IntegerWeights(w, byte_values(c.has_input(inputs_.w_zero) ? &c.input(inputs_.w_zero) : nullptr), groups_);
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
