// Momentum, Adam, Adagrad of ai.onnx.preview.training: one step of an optimizer.
#include <cmath>

#include "ops/families.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kReal{DType::float32, DType::float64};

// What all have in common. Inputs: R (learning rate), T (steps made), then for n tensors all X, all G (gradients), and
// kStates lists of states; outputs: all new X, then the new states.
template <int kStates>
class Optimizer : public Operator {
 public:
  void infer(InferContext& c) const final {
    constexpr int kKinds = kStates + 2;
    c.require_inputs(2 + kKinds, InferContext::kAnyCount);
    check((c.input_count() - 2) % kKinds == 0, ErrorCode::invalid_model, "takes R, T and ", kKinds,
          " inputs for each tensor, not ", c.input_count());
    c.require_dtype(0, kReal);
    c.require_dtype(1, {DType::int64});
    for (int i = 0; i < 2; i++) {
      check(c.shape(i).count() == 1, ErrorCode::invalid_model, "input ", i, " must be one number, not ", c.shape(i));
    }
    const int n = (c.input_count() - 2) / kKinds;
    check(c.output_count() <= n * (kStates + 1), ErrorCode::invalid_model, "gives ", n * (kStates + 1),
          " outputs, not ", c.output_count());
    for (int i = 0; i < n * kKinds; i++) {
      const int x = 2 + i % n;
      c.require_dtype(2 + i, kReal);
      c.require_same_dtype(2 + i, x);
      check(c.shape(2 + i) == c.shape(x), ErrorCode::invalid_model, "inputs ", x, " and ", 2 + i,
            " have different shapes");
    }
    for (int o = 0; o < n * (kStates + 1); o++) {
      if (c.has_output(o)) c.set_output_like(o, 2 + o % n);
    }
  }
  void run(RunContext& c) const final {
    const int n = (c.input_count() - 2) / (kStates + 2);
    const double rate = float_at(c.input(0), 0);
    const auto steps = static_cast<double>(c.input(1).data<int64_t>()[0]);
    for (int k = 0; k < n; k++) {
      const Tensor &x = c.input(2 + k), &g = c.input(2 + n + k);
      for (int64_t i = 0; i < x.count(); i++) {
        double state[kStates];
        for (int s = 0; s < kStates; s++) state[s] = float_at(c.input(2 + (s + 2) * n + k), i);
        const double value = float_at(x, i);
        const double next = step(rate, steps, value, float_at(g, i) + norm_ * value, state);
        if (c.has_output(k)) put_float(c.output(k), i, next);
        for (int s = 0; s < kStates; s++) {
          if (c.has_output((s + 1) * n + k)) put_float(c.output((s + 1) * n + k), i, state[s]);
        }
      }
    }
  }

 protected:
  explicit Optimizer(double norm) : norm_(norm) {}
  // The new x of one element; changes its states. g has the regularization's part.
  virtual double step(double rate, double steps, double x, double g, double* state) const noexcept = 0;

 private:
  double norm_;
};

double real(const Attributes& a, std::string_view name) { return static_cast<double>(a.number(name)); }
double real(const Attributes& a, std::string_view name, float otherwise) {
  return static_cast<double>(a.number(name, otherwise));
}

class Momentum final : public Optimizer<1> {
 public:
  explicit Momentum(const Attributes& a)
      : Optimizer(real(a, "norm_coefficient")),
        alpha_(real(a, "alpha")),
        beta_(real(a, "beta")),
        nesterov_(a.choice("mode", {"standard", "nesterov"}, -1) == 1) {
    check(a.has("mode"), ErrorCode::invalid_model, "attribute \"mode\" is missing");
  }

 private:
  double step(double rate, double steps, double x, double g, double* v) const noexcept override {
    *v = alpha_ * *v + (steps > 0 ? beta_ : 1) * g;
    return x - rate * (nesterov_ ? g + alpha_ * *v : *v);
  }
  double alpha_, beta_;
  bool nesterov_;
};

class Adam final : public Optimizer<2> {
 public:
  explicit Adam(const Attributes& a)
      : Optimizer(real(a, "norm_coefficient", 0)),
        alpha_(real(a, "alpha", 0.9f)),
        beta_(real(a, "beta", 0.999f)),
        epsilon_(real(a, "epsilon", 1e-6f)),
        post_(real(a, "norm_coefficient_post", 0)) {}

 private:
  double step(double rate, double steps, double x, double g, double* s) const noexcept override {
    s[0] = alpha_ * s[0] + (1 - alpha_) * g;
    s[1] = beta_ * s[1] + (1 - beta_) * g * g;
    if (steps > 0) rate *= std::sqrt(1 - std::pow(beta_, steps)) / (1 - std::pow(alpha_, steps));
    return (1 - post_) * (x - rate * s[0] / (std::sqrt(s[1]) + epsilon_));
  }
  double alpha_, beta_, epsilon_, post_;
};

class Adagrad final : public Optimizer<1> {
 public:
  explicit Adagrad(const Attributes& a)
      : Optimizer(real(a, "norm_coefficient", 0)),
        decay_(real(a, "decay_factor", 0)),
        epsilon_(real(a, "epsilon", 1e-6f)) {}

 private:
  double step(double rate, double steps, double x, double g, double* h) const noexcept override {
    *h += g * g;
    return x - rate / (1 + steps * decay_) * g / (std::sqrt(*h) + epsilon_);
  }
  double decay_, epsilon_;
};

constexpr OpEntry kOps[] = {
    {"Momentum", 1, make_operator<Momentum>},
    {"Adam", 1, make_operator<Adam>},
    {"Adagrad", 1, make_operator<Adagrad>},
};

}  // namespace

std::span<const OpEntry> optimizer_ops() { return kOps; }

}  // namespace sardonyx
