// ConvTranspose: transposed convolution over any number of spatial dimensions.
#include "kernels/conv/conv_transpose.h"

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/conv_geometry.h"
#include "ops/util/fused_steps.h"
#include "ops/util/macs.h"
#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

// The standard's formula directly, in type T, for any number of axes. w [groups * channels][out_channels][taps].
template <class T>
void transpose_plain(ThreadPool& pool, const WindowGeometry& g, int64_t batch, int64_t groups, int64_t channels,
                     int64_t out_channels, const T* x, const T* w, const T* bias, T* y) {
  // The geometry of the convolution that this one transposes: its outputs are our inputs.
  WindowGeometry forward = g;
  for (WindowAxis& a : forward.axes) std::swap(a.in, a.out);
  const int64_t in = g.in_size(), out = g.out_size(), taps = g.taps();
  pool.parallel_for(batch * groups * out_channels, 1, [&](int64_t from, int64_t to) {
    for (int64_t plane = from; plane < to; plane++) {
      const int64_t channel = plane % (groups * out_channels), group = channel / out_channels;
      const T* source = x + (plane / (groups * out_channels) * groups + group) * channels * in;
      T* target = y + plane * out;
      for (int64_t o = 0; o < out; o++) target[o] = bias ? bias[channel] : T{0};
      for (int64_t i = 0; i < in; i++) {
        for (int64_t t = 0; t < taps; t++) {
          const int64_t at = forward.offset(i, t);
          if (at < 0) continue;
          T sum{0};
          for (int64_t k = 0; k < channels; k++) {
            sum += source[k * in + i] * w[((group * channels + k) * out_channels + channel % out_channels) * taps + t];
          }
          target[at] += sum;
        }
      }
    }
  });
}

class ConvTranspose final : public Operator, public FusedSteps {
 public:
  explicit ConvTranspose(const Attributes& a)
      : window_(a),
        groups_(a.integer("group", 1)),
        output_padding_(a.ints("output_padding")),
        output_shape_(a.ints("output_shape")) {
    check(groups_ >= 1, ErrorCode::invalid_model, "group is ", groups_);
  }

  Fusible* fusible() override { return this; }

  void infer(InferContext& c) const override {
    c.require_inputs(2, 3);
    c.require_dtype(0, kFloat);
    c.require_same_dtype(0, 1);
    c.require_rank(0, 3);
    const Shape &x = c.shape(0), &w = c.shape(1);
    c.require_rank(1, x.rank(), x.rank());
    check(x[1] == w[0], ErrorCode::invalid_input, "X has ", x[1], " channels, W takes ", w[0]);
    check(x[1] % groups_ == 0, ErrorCode::invalid_model, x[1], " channels are no multiple of ", groups_, " groups");
    check(w[1] <= (int64_t{1} << 40) / groups_, ErrorCode::invalid_model, "group is ", groups_);
    const int64_t outputs = w[1] * groups_;
    if (c.has_input(2)) {
      c.require_same_dtype(0, 2);
      check(c.rank(2) == 1 && c.shape(2)[0] == outputs, ErrorCode::invalid_input, "B of shape ", c.shape(2), " is not ",
            outputs, " numbers");
    }
    check(!scaled() || static_cast<int64_t>(scale().size()) == outputs, ErrorCode::invalid_model, scale().size(),
          " fused scales for ", outputs, " channels");
    c.set_output(0, c.dtype(0), window_output_shape(x[0], outputs, geometry(x, w)));
  }

  // Each element of X is multiplied with all that its channel's weights reach.
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    return conv_macs(inputs[0].shape, inputs[1].shape);
  }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

  void prepare(PrepareContext& c) override {
    const Tensor* w = c.constant(1);
    if (!w || !w->has_data() || w->rank() < 3 || w->rank() > 5 || w->count() == 0) return;
    if (!kFloat.has(w->dtype()) || w->dtype() == DType::float64 || w->dim(0) % groups_ != 0) return;
    if (scaled() && static_cast<int64_t>(scale().size()) != w->dim(1) * groups_) return;
    packed_ = pack(scaled_weights(to_float32(*w)));
    c.release(1);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const WindowGeometry g = geometry(c.input(0).shape(), c.input(1).shape());
    if (c.output(0).dtype() == DType::float64) {
      run_plain<double>(c, g, c.input(0), c.input(1), c.has_input(2) ? c.input(2) : Tensor(), c.output(0));
      apply_scale(c.output(0).data<double>(), c.output(0).count(), g.out_size());
      return apply_tail(c.pool(), c.output(0));
    }
    const Tensor x = to_float32(c.input(0)), bias = bias_of(c);
    FloatOutput y(c.output(0));
    if (packed_.defined() || (g.fits_kernels() && c.input(1).count() > 0)) {
      run_kernel(c, g, x, bias, y.data());
    } else {
      Tensor out = y.tensor();
      run_plain<float>(c, g, x, scaled_weights(to_float32(c.input(1))), bias, out);
      y.store();
      return apply_tail(c.pool(), c.output(0));
    }
    y.store();
  }

 private:
  WindowGeometry geometry(const Shape& x, const Shape& w) const {
    return window_.transposed(x, w.dims().subspan(2), output_padding_, output_shape_);
  }

  // The shape of one group as far as the weights tell it.
  kernels::ConvShape shape_of(const Shape& w) const {
    kernels::ConvShape s;
    s.channels = static_cast<size_t>(w[0] / groups_);
    s.out_channels = static_cast<size_t>(w[1]);
    s.kernel[2] = static_cast<size_t>(w.count(2, w.rank()));
    return s;
  }

  Tensor pack(const Tensor& w) const {
    const kernels::ConvShape s = shape_of(w.shape());
    const int64_t size = static_cast<int64_t>(kernels::conv_transpose_weights_size(s));
    const int64_t group = w.count() / groups_;
    Tensor packed = Tensor::allocate(DType::float32, {groups_, size});
    for (int64_t i = 0; i < groups_; i++) {
      kernels::conv_transpose_pack_weights(s, w.data<float>() + i * group, packed.data<float>() + i * size);
    }
    return packed;
  }

  Tensor scaled_weights(const Tensor& w) const {
    if (!scaled() || w.count() == 0) return w;
    Tensor y = w.clone();
    const int64_t taps = w.shape().count(2, w.rank()), group = w.count() / groups_;
    for (int64_t i = 0; i < w.count(); i++) {
      y.data<float>()[i] *= scale()[static_cast<size_t>(i / group * w.dim(1) + i / taps % w.dim(1))];
    }
    return y;
  }

  Tensor bias_of(RunContext& c) const {
    if (!scaled()) return c.has_input(2) ? to_float32(c.input(2)) : Tensor();
    Tensor bias = Tensor::allocate(DType::float32, {static_cast<int64_t>(scale().size())});
    const Tensor b = c.has_input(2) ? to_float32(c.input(2)) : Tensor();
    for (size_t i = 0; i < scale().size(); i++) {
      bias.data<float>()[i] = shift()[i] + (b.defined() ? b.data<float>()[i] * scale()[i] : 0);
    }
    return bias;
  }

  void run_kernel(RunContext& c, const WindowGeometry& g, const Tensor& x, const Tensor& bias, float* y) const {
    const Shape& w = c.input(1).shape();
    const Tensor packed = packed_.defined() ? packed_ : pack(scaled_weights(to_float32(c.input(1))));
    const kernels::ConvShape s{g.window(), static_cast<size_t>(w[0] / groups_), static_cast<size_t>(w[1])};
    const int64_t size = static_cast<int64_t>(kernels::conv_transpose_weights_size(s));
    const int64_t chunks = static_cast<int64_t>(kernels::conv_transpose_chunks(s));
    ScratchSlots<float> slots(c, static_cast<int64_t>(kernels::conv_transpose_scratch_size(s)));
    c.pool().parallel_for(x.dim(0) * groups_ * chunks, 1, [&](int64_t from, int64_t to) {
      ScratchSlots<float>::Lease scratch(slots);
      for (int64_t i = from; i < to; i++) {
        const int64_t part = i / chunks, group = part % groups_;
        const size_t chunk = static_cast<size_t>(i % chunks);
        kernels::Epilogue e = clamp();
        if (bias.defined()) e.row_bias = bias.data<float>() + static_cast<size_t>(group) * s.out_channels;
        kernels::conv_transpose_f32(s, packed.data<float>() + group * size,
                                    x.data<float>() + static_cast<size_t>(part) * s.channels * s.in_size(),
                                    y + static_cast<size_t>(part) * s.out_channels * s.out_size(), chunk, chunk + 1,
                                    scratch.data(), e);
      }
    });
  }

  template <class T>
  void run_plain(RunContext& c, const WindowGeometry& g, const Tensor& x, const Tensor& w, const Tensor& bias,
                 Tensor& y) const {
    transpose_plain(c.pool(), g, x.dim(0), groups_, w.dim(0) / groups_, w.dim(1), x.data<T>(), w.data<T>(),
                    bias.defined() ? bias.data<T>() : nullptr, y.data<T>());
  }

  WindowAttributes window_;
  int64_t groups_;
  std::vector<int64_t> output_padding_, output_shape_;
  Tensor packed_;
};

constexpr OpEntry kOps[] = {{"ConvTranspose", 1, make_operator<ConvTranspose>},
                            {"ConvTranspose", 11, make_operator<ConvTranspose>},
                            {"ConvTranspose", 22, make_operator<ConvTranspose>}};

}  // namespace

std::span<const OpEntry> conv_transpose_ops() { return kOps; }

}  // namespace sardonyx
