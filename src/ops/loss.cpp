// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include <cmath>

#include "kernels/norm/softmax.h"
#include "ops/families.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

enum Reduction { kNone, kSum, kMean };

// y = log(softmax(x)) over axis 1 of x [n][classes][d].
void log_softmax(RunContext& c, const Tensor& x, int64_t classes, int64_t d, Tensor& y) {
  if (x.count() == 0) return;
  const int64_t image = classes * d;
  c.pool().parallel_for(x.dim(0), std::max<int64_t>(1, (1 << 13) / image), [&](int64_t from, int64_t to) {
    if (x.dtype() == DType::float32) {
      kernels::log_softmax_axis_f32(x.data<float>() + from * image, y.data<float>() + from * image,
                                    static_cast<size_t>(to - from), static_cast<size_t>(classes),
                                    static_cast<size_t>(d));
      return;
    }
    for (int64_t i = from * d; i < to * d; i++) {
      const int64_t first = i / d * image + i % d;
      const double* in = x.data<double>() + first;
      double most = in[0], sum = 0;
      for (int64_t k = 1; k < classes; k++) most = std::max(most, in[k * d]);
      for (int64_t k = 0; k < classes; k++) sum += std::exp(in[k * d] - most);
      for (int64_t k = 0; k < classes; k++) y.data<double>()[first + k * d] = in[k * d] - most - std::log(sum);
    }
  });
}

// Input 0 [n][classes][d...] holds log-probabilities, or scores whose log-softmax these are.
class Loss final : public Operator {
 public:
  Loss(const Attributes& a, bool scores)
      : scores_(scores),
        has_ignored_(a.has("ignore_index")),
        ignored_(a.integer("ignore_index", 0)),
        reduction_(a.choice("reduction", {"none", "sum", "mean"}, kMean)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 3);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 2);
    c.require_dtype(1, kIndex);
    const Shape& x = c.shape(0);
    Shape samples = x;
    samples.erase(1);
    check(c.shape(1) == samples, ErrorCode::invalid_input, scores_ ? "labels" : "target", " of shape ", c.shape(1),
          " for ", x, ", not ", samples);
    if (c.has_input(2)) {
      c.require_same_dtype(0, 2);
      check(c.shape(2) == Shape{x[1]}, ErrorCode::invalid_input, scores_ ? "weights" : "weight", " of shape ",
            c.shape(2), " for ", x[1], " classes");
    }
    c.set_output(0, c.dtype(0), reduction_ == kNone ? samples : Shape{});
    if (scores_ && c.has_output(1)) c.set_output_like(1, 0);
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    if (!scores_) return reduce(c, x);
    const bool wide = x.dtype() == DType::float64;
    const Tensor in = wide ? x : to_float32(x);
    Tensor logs =
        c.has_output(1) && c.output(1).dtype() == in.dtype() ? c.output(1) : Tensor::allocate(in.dtype(), in.shape());
    log_softmax(c, in, x.dim(1), x.shape().count(2, x.rank()), logs);
    if (c.has_output(1) && is_half(x.dtype())) {
      store_floats(x.dtype(), logs.data<float>(), c.output(1).bytes(), 0, logs.count());
    }
    reduce(c, logs);
  }

 private:
  void reduce(RunContext& c, const Tensor& logs) const {
    const int64_t classes = logs.dim(1), d = logs.shape().count(2, logs.rank());
    const std::vector<int64_t> labels = c.input(1).to_int64();
    Tensor& out = c.output(0);
    double sum = 0, weights = 0;
    for (size_t i = 0; i < labels.size(); i++) {
      const int64_t label = labels[i], at = static_cast<int64_t>(i);
      double loss = 0;
      if (!has_ignored_ || label != ignored_) {
        check(label >= 0 && label < classes, ErrorCode::runtime_error, "class ", label, " at ", at,
              " is out of range for ", classes, " classes");
        const double weight = c.has_input(2) ? float_at(c.input(2), label) : 1;
        loss = -float_at(logs, (at / d * classes + label) * d + at % d) * weight;
        weights += weight;
      }
      if (reduction_ == kNone) put_float(out, at, loss);
      sum += loss;
    }
    if (reduction_ == kSum) put_float(out, 0, sum);
    if (reduction_ == kMean) put_float(out, 0, sum / weights);
  }

  bool scores_, has_ignored_;
  int64_t ignored_;
  int reduction_;
};

std::unique_ptr<Operator> make_nll(const Attributes& a) { return std::make_unique<Loss>(a, false); }
std::unique_ptr<Operator> make_cross_entropy(const Attributes& a) { return std::make_unique<Loss>(a, true); }

constexpr OpEntry kOps[] = {{"NegativeLogLikelihoodLoss", 12, make_nll},
                            {"NegativeLogLikelihoodLoss", 13, make_nll},
                            {"NegativeLogLikelihoodLoss", 22, make_nll},
                            {"SoftmaxCrossEntropyLoss", 12, make_cross_entropy},
                            {"SoftmaxCrossEntropyLoss", 13, make_cross_entropy}};

}  // namespace

std::span<const OpEntry> loss_ops() { return kOps; }

}  // namespace sardonyx
