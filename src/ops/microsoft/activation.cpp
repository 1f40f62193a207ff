// com.microsoft Gelu, FastGelu, BiasGelu and QuickGelu.
#include <algorithm>
#include <cmath>

#include "kernels/elementwise/binary_f32.h"
#include "kernels/math/math_f32.h"
#include "ops/families.h"
#include "ops/microsoft/standard.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

// y = gelu(x + bias), the bias along the last axis.
class BiasedGelu final : public Operator {
 public:
  BiasedGelu(int least, bool with_tanh) : least_(least), with_tanh_(with_tanh) {}

  void infer(InferContext& c) const override {
    c.require_inputs(least_, 2);
    c.require_dtype(0, kFloat);
    if (c.has_input(1)) {
      c.require_same_dtype(0, 1);
      c.require_rank(0, 1);
      check(c.shape(1) == Shape{c.shape(0).back()}, ErrorCode::invalid_input, "bias of shape ", c.shape(1),
            " for rows of ", c.shape(0).back());
    }
    c.set_output_like(0, 0);
  }

  void run(RunContext& c) const override {
    Tensor& out = c.output(0);
    if (out.count() == 0) return;
    if (out.dtype() == DType::float64) return run_double(c, out);
    const Tensor x = to_float32(c.input(0)), bias = c.has_input(1) ? to_float32(c.input(1)) : Tensor();
    FloatOutput y(out);
    const int64_t n = bias.defined() ? bias.count() : out.count();
    const auto f = with_tanh_ ? kernels::gelu_tanh_f32 : kernels::gelu_f32;
    if (!bias.defined()) {
      c.pool().parallel_for(n, 1 << 13, [&](int64_t from, int64_t to) {
        f(x.data<float>() + from, y.data() + from, static_cast<size_t>(to - from));
      });
    } else {
      c.pool().parallel_for(out.count() / n, std::max<int64_t>(1, (1 << 13) / n), [&](int64_t from, int64_t to) {
        for (int64_t r = from; r < to; r++) {
          float* row = y.data() + r * n;
          kernels::add_f32(x.data<float>() + r * n, 1, bias.data<float>(), 1, row, static_cast<size_t>(n));
          f(row, row, static_cast<size_t>(n));
        }
      });
    }
    y.store();
  }

  uint32_t in_place() const override { return 1; }

 private:
  void run_double(RunContext& c, Tensor& out) const {
    for (int64_t i = 0; i < out.count(); i++) {
      double x = c.input(0).data<double>()[i];
      if (c.has_input(1)) x += c.input(1).data<double>()[i % c.input(1).count()];
      const double inner = with_tanh_ ? std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))
                                      : std::erf(x * 0.70710678118654752440);
      out.data<double>()[i] = x / 2 * (1 + inner);
    }
  }

  int least_;
  bool with_tanh_;
};

std::unique_ptr<Operator> make_gelu(const Attributes& a) { return make_standard(activation_ops(), "Gelu", 20, a); }
std::unique_ptr<Operator> make_bias_gelu(const Attributes&) { return std::make_unique<BiasedGelu>(2, false); }
std::unique_ptr<Operator> make_fast_gelu(const Attributes&) { return std::make_unique<BiasedGelu>(1, true); }

// x * sigmoid(alpha * x), as Swish with another default.
std::unique_ptr<Operator> make_quick_gelu(const Attributes& a) {
  Attributes own = a;
  if (!a.has("alpha")) own.add("alpha", 1.702f);
  auto op = make_standard(activation_ops(), "Swish", 24, own);
  a.ignore("alpha");
  return op;
}

constexpr OpEntry kOps[] = {
    {"Gelu", 1, make_gelu},
    {"BiasGelu", 1, make_bias_gelu},
    {"FastGelu", 1, make_fast_gelu},
    {"QuickGelu", 1, make_quick_gelu},
};

}  // namespace

std::span<const OpEntry> ms_activation_ops() { return kOps; }

}  // namespace sardonyx
