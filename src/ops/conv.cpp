// Conv: convolution over any number of spatial dimensions.
#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/conv_f32.h"
#include "ops/util/fused_steps.h"
#include "ops/util/macs.h"
#include "ops/util/mirrored_conv.h"

namespace sardonyx {
namespace {

class Conv final : public Operator, public FusedSteps {
 public:
  explicit Conv(const Attributes& a) : FusedSteps(3), window_(a), groups_(a.integer("group", 1)) {
    check(groups_ >= 1, ErrorCode::invalid_model, "group is ", groups_);
  }

  Fusible* fusible() override { return this; }
  void avoid_winograd() override { winograd_ = false; }

  void infer(InferContext& c) const override {
    c.require_inputs(2, most_inputs(3));
    c.require_dtype(0, kFloat);
    require_weight_dtype(c);
    c.require_rank(0, 3);
    const Shape &x = c.shape(0), &w = c.shape(1);
    c.require_rank(1, x.rank(), x.rank());
    check(x[1] == w[1] * groups_, ErrorCode::invalid_input, "X has ", x[1], " channels, W takes ", w[1], " in each of ",
          groups_, " groups");
    check(w[0] % groups_ == 0, ErrorCode::invalid_model, "W gives ", w[0], " channels, no multiple of ", groups_,
          " groups");
    if (c.has_input(2)) {
      c.require_same_dtype(0, 2);
      check(c.rank(2) == 1 && c.shape(2)[0] == w[0], ErrorCode::invalid_input, "B of shape ", c.shape(2), " is not ",
            w[0], " numbers");
    }
    check(!scaled() || static_cast<int64_t>(scale().size()) == w[0], ErrorCode::invalid_model, scale().size(),
          " fused scales for ", w[0], " channels");
    const Shape product = window_output_shape(x[0], w[0], window_.geometry(x, w.dims().subspan(2)));
    c.set_output(0, c.dtype(0), result_shape(c, product));
  }

  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const Shape &x = inputs[0].shape, &w = inputs[1].shape;
    return conv_macs(window_output_shape(x[0], w[0], window_.geometry(x, w.dims().subspan(2))), w);
  }

  uint32_t in_place() const override { return residual_inputs(); }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

  void prepare(PrepareContext& c) override {
    const Tensor* w = c.constant(1);
    if (!w || !w->has_data() || w->rank() < 3 || w->count() == 0 || w->dim(0) % groups_ != 0) return;
    // What infer would refuse, and what runs plainly, is left as it is.
    if (!kFloat.has(w->dtype()) || w->dtype() == DType::float64 || w->rank() > 5) return;
    if (scaled() && static_cast<int64_t>(scale().size()) != w->dim(0)) return;
    const ConvKind kind = kind_of(w->shape());
    if (w->dtype() == DType::float16 && kind == ConvKind::gemm && !scaled())
      unit_ = pack_half_conv(c, groups_, packed_);
    if (w->dtype() == DType::float32 && kind == ConvKind::gemm && winograd_)
      mirrored_ = mirrored_conv(*w, groups_, window_, scale(), packed_);
    if (mirrored_) {
      c.release(1);
      return;
    }
    if (unit_ == 0) packed_ = pack_own_conv(kind, c.take_float32(1), groups_, window_, scale());
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Shape& w = c.input(1).shape();
    const WindowGeometry g = window_.geometry(c.input(0).shape(), w.dims().subspan(2));
    const Shape product = window_output_shape(c.input(0).dim(0), w[0], g);
    Target t = packed_.defined() || g.fits_kernels() ? target(c, product, false) : apart(c, product);
    if (t.y.dtype() == DType::float64) {
      run_double(c, g, t.y);
    } else {
      run_float32(c, g, t);
    }
    end(c, t);
  }

 private:
  ConvKind kind_of(const Shape& w) const {
    const ConvKind kind = choose_conv(w, groups_, window_);
    const bool transforms = kind == ConvKind::winograd || kind == ConvKind::winograd_line;
    return transforms && !winograd_ ? ConvKind::gemm : kind;
  }

  // B in float32, with what was fused; undefined where there is none.
  Tensor bias_of(RunContext& c) const {
    if (!scaled()) return c.has_input(2) ? to_float32(c.input(2)) : Tensor();
    Tensor bias = Tensor::allocate(DType::float32, {static_cast<int64_t>(scale().size())});
    std::ranges::copy(shift(), bias.data<float>());
    if (c.has_input(2)) {
      const Tensor b = to_float32(c.input(2));
      for (size_t i = 0; i < scale().size(); i++) bias.data<float>()[i] += b.data<float>()[i] * scale()[i];
    }
    return bias;
  }

  void run_float32(RunContext& c, const WindowGeometry& g, Target& t) const {
    const Tensor x = to_float32(c.input(0));
    const Tensor bias = bias_of(c);
    FloatOutput y(t.y);
    if (packed_.defined() || g.fits_kernels()) {
      run_kernels(c, g, x, bias, t.epilogue, y.data());
    } else {
      run_many_axes(c, g, x, bias, y.data());
    }
    y.store();
  }

  void run_kernels(RunContext& c, const WindowGeometry& g, const Tensor& x, const Tensor& bias,
                   const kernels::Epilogue& epilogue, float* y) const {
    const Shape& w = c.input(1).shape();
    const ConvKind kind = kind_of(w);
    const Tensor packed = packed_.defined() ? (unit_ ? widen_conv(c, packed_, unit_) : packed_)
                          : w.count() == 0  ? Tensor::allocate(DType::float32, {0})
                                            : pack_conv(kind, to_float32(c.input(1)), groups_, window_, scale());
    kernels::ConvShape s{g.window(), static_cast<size_t>(w[1]), static_cast<size_t>(w[0] / groups_)};
    const ConvF32 conv{kind, s, x.dim(0), groups_, x.data<float>(), packed, bias.data<float>(), epilogue, y};
    if (mirrored_) return run_mirrored_conv(c, *mirrored_, conv);
    run_conv_f32(c, conv);
  }

  void run_many_axes(RunContext& c, const WindowGeometry& g, const Tensor& x, const Tensor& bias, float* y) const {
    const Tensor w = scaled() ? pack_conv(ConvKind::depthwise, to_float32(c.input(1)), groups_, window_, scale())
                              : to_float32(c.input(1));
    conv_plain(c.pool(), g, x.dim(0), groups_, w.dim(1), w.dim(0) / groups_, x.data<float>(), w.data<float>(),
               bias.data<float>(), y);
  }

  void run_double(RunContext& c, const WindowGeometry& g, Tensor& y) const {
    const Tensor& w = c.input(1);
    conv_plain(c.pool(), g, c.input(0).dim(0), groups_, w.dim(1), w.dim(0) / groups_, c.input(0).data<double>(),
               w.data<double>(), c.has_input(2) ? c.input(2).data<double>() : nullptr, y.data<double>());
    apply_scale(y.data<double>(), y.count(), g.out_size());
  }

  WindowAttributes window_;
  int64_t groups_;
  bool winograd_ = true;
  Tensor packed_;
  std::optional<MirroredConv> mirrored_;  // where packed_ is the halves of mirrored kernels
  float unit_ = 0;                        // where it is in 16 bits
};

constexpr OpEntry kOps[] = {
    {"Conv", 1, make_operator<Conv>}, {"Conv", 11, make_operator<Conv>}, {"Conv", 22, make_operator<Conv>}};

}  // namespace

std::span<const OpEntry> conv_ops() { return kOps; }

}  // namespace sardonyx
