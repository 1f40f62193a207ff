// LinearClassifier and LinearRegressor.
#include <algorithm>

#include "ops/families.h"
#include "ops/ml/scores.h"
#include "ops/util/convert.h"
#include "ops/util/macs.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kMl{DType::float32, DType::float64, DType::int64, DType::int32};

// x [N, F] (or [F]) times coefficients [targets, F], plus intercepts.
class LinearModel : public Operator {
 public:
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    return matmul_macs(inputs[0].shape, targets_);
  }

 protected:
  LinearModel(const Attributes& a, int64_t targets)
      : transform_(post_transform_of(a)),
        targets_(targets),
        coefficients_(a.floats("coefficients")),
        intercepts_(a.floats("intercepts")) {
    check(targets_ > 0, ErrorCode::invalid_model, "there are ", targets_, " targets");
    check(coefficients_.size() % static_cast<size_t>(targets_) == 0, ErrorCode::invalid_model,
          "attribute \"coefficients\" has ", coefficients_.size(), " values for ", targets_, " targets");
    check(intercepts_.empty() || intercepts_.size() == static_cast<size_t>(targets_), ErrorCode::invalid_model,
          "attribute \"intercepts\" has ", intercepts_.size(), " values for ", targets_, " targets");
  }
  int64_t features() const { return static_cast<int64_t>(coefficients_.size()) / targets_; }

  // Of the rows that the input has.
  int64_t infer_rows(const InferContext& c) const {
    c.require_inputs(1, 1);
    c.require_dtype(0, kMl);
    c.require_rank(0, 1, 2);
    check(c.shape(0).back() == features(), ErrorCode::invalid_model, "the input has ", c.shape(0).back(),
          " features, the coefficients are for ", features());
    return c.rank(0) == 1 ? 1 : c.shape(0)[0];
  }

  // Calls body(row, scores) with the targets_ scores of each row; scores has room for one more.
  template <class Body>
  void each_row(const Tensor& input, int64_t rows, Body&& body) const {
    const Tensor x = convert(input, DType::float64);
    std::vector<double> scores(static_cast<size_t>(targets_) + 1);
    for (int64_t row = 0; row < rows; row++) {
      const double* values = x.data<double>() + row * features();
      const float* factor = coefficients_.data();
      for (size_t t = 0; t < static_cast<size_t>(targets_); t++) {
        double sum = intercepts_.empty() ? 0 : static_cast<double>(intercepts_[t]);
        for (int64_t i = 0; i < features(); i++) sum += values[i] * static_cast<double>(*factor++);
        scores[t] = sum;
      }
      body(row, scores.data());
    }
  }

  PostTransform transform_;
  int64_t targets_;

 private:
  std::vector<float> coefficients_, intercepts_;
};

class LinearRegressor final : public LinearModel {
 public:
  explicit LinearRegressor(const Attributes& a) : LinearModel(a, a.integer("targets", 1)) {}
  void infer(InferContext& c) const override { c.set_output(0, DType::float32, Shape{infer_rows(c), targets_}); }
  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    each_row(c.input(0), y.dim(0), [&](int64_t row, double* scores) {
      transform_scores(transform_, scores, targets_);
      std::transform(scores, scores + targets_, y.data<float>() + row * targets_,
                     [](double s) { return static_cast<float>(s); });
    });
  }
};

// Two labels may share one score: that of the second.
class LinearClassifier final : public LinearModel {
 public:
  explicit LinearClassifier(const Attributes& a)
      : LinearModel(a, classes_of(a)), labels_(a, "classlabels_strings", "classlabels_ints") {
    a.ignore("multi_class");
    both_ = targets_ == 1 && labels_.count() == 2;
    check(labels_.count() == 0 || labels_.count() >= targets_, ErrorCode::invalid_model, "there are ", labels_.count(),
          " labels for ", targets_, " scores");
  }
  void infer(InferContext& c) const override {
    const int64_t rows = infer_rows(c);
    c.set_output(0, labels_.dtype(), Shape{rows});
    if (c.has_output(1)) c.set_output(1, DType::float32, Shape{rows, both_ ? 2 : targets_});
  }
  void run(RunContext& c) const override {
    const int64_t rows = c.input(0).rank() == 1 ? 1 : c.input(0).dim(0), shown = both_ ? 2 : targets_;
    each_row(c.input(0), rows, [&](int64_t row, double* scores) {
      const int64_t best = targets_ == 1 ? scores[0] > 0 : std::max_element(scores, scores + targets_) - scores;
      if (c.has_output(0)) labels_.put(best, c.output(0), row);
      if (!c.has_output(1)) return;
      finish(scores);
      std::transform(scores, scores + shown, c.output(1).data<float>() + row * shown,
                     [](double s) { return static_cast<float>(s); });
    });
  }

 private:
  static int64_t classes_of(const Attributes& a) {
    const size_t intercepts = a.floats("intercepts").size();
    if (intercepts > 0) return static_cast<int64_t>(intercepts);
    return static_cast<int64_t>(
        std::max<size_t>({1, a.strings("classlabels_strings").size(), a.ints("classlabels_ints").size()}));
  }
  void finish(double* scores) const {
    if (!both_) return transform_scores(transform_, scores, targets_);
    const bool each = transform_ == PostTransform::logistic;
    if (transform_ == PostTransform::probit) transform_scores(transform_, scores, 1);
    scores[1] = each ? logistic(scores[0]) : scores[0];
    scores[0] = each ? logistic(-scores[0]) : 1 - scores[0];
  }
  ClassLabels labels_;
  bool both_;
};

constexpr OpEntry kOps[] = {
    {"LinearClassifier", 1, make_operator<LinearClassifier>},
    {"LinearRegressor", 1, make_operator<LinearRegressor>},
};

}  // namespace

std::span<const OpEntry> ml_linear_ops() { return kOps; }

}  // namespace sardonyx
