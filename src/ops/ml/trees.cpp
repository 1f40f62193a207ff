// TreeEnsemble, TreeEnsembleRegressor, TreeEnsembleClassifier.
#include <algorithm>

#include "ops/families.h"
#include "ops/ml/forest.h"
#include "ops/ml/scores.h"
#include "ops/util/as_float.h"
#include "ops/util/convert.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kMl{DType::float32, DType::float64, DType::int64, DType::int32};

std::vector<double> base_values(const Attributes& a, int64_t targets) {
  std::vector<double> base = reals_of(a, "base_values");
  const auto count = static_cast<int64_t>(base.size());
  check(count <= 1 || count == targets, ErrorCode::invalid_model, "attribute \"base_values\" has ", count,
        " values for ", targets, " targets");
  return base;
}

// ONNX TreeEnsemble and TreeEnsembleRegressor.
class TreeRegressor final : public Operator {
 public:
  explicit TreeRegressor(const Attributes& a, bool newest) : newest_(newest) {
    forest_ = newest ? forest5_of(a) : forest_of(a, "target");
    forest_.targets = a.integer("n_targets", 1);
    if (newest) {
      forest_.aggregate = static_cast<Aggregate>(small(a, "aggregate_function", 1, 3));
      transform_ = static_cast<PostTransform>(small(a, "post_transform", 0, 4));
    } else {
      forest_.aggregate = static_cast<Aggregate>(a.choice("aggregate_function", {"AVERAGE", "SUM", "MIN", "MAX"}, 1));
      transform_ = post_transform_of(a);
      base_ = base_values(a, forest_.targets);
      if (base_.size() == 1) base_.resize(static_cast<size_t>(forest_.targets), base_[0]);
    }
    forest_.validate();
  }
  void infer(InferContext& c) const override {
    const int64_t rows =
        forest_.infer_rows(c, newest_ ? DTypeSet{DType::float32, DType::float64, DType::float16} : kMl);
    c.set_output(0, newest_ ? c.dtype(0) : DType::float32, Shape{rows, forest_.targets});
  }
  void run(RunContext& c) const override {
    const Tensor x = convert(c.input(0), DType::float64);
    Tensor& y = c.output(0);
    const int64_t targets = forest_.targets;
    each_row_of(forest_, c.pool(), x, y.dim(0), [&](int64_t row, double* sums, const bool*) {
      for (size_t t = 0; t < base_.size(); t++) sums[t] += base_[t];
      transform_scores(transform_, sums, targets);
      for (int64_t t = 0; t < targets; t++) put_float(y, row * targets + t, sums[t]);
    });
  }

 private:
  static int64_t small(const Attributes& a, std::string_view name, int64_t otherwise, int64_t most) {
    const int64_t v = a.integer(name, otherwise);
    check(v >= 0 && v <= most, ErrorCode::invalid_model, "attribute \"", name, "\" is ", v);
    return v;
  }
  bool newest_;
  Forest forest_;
  PostTransform transform_;
  std::vector<double> base_;
};

// ONNX TreeEnsembleClassifier.
class TreeClassifier final : public Operator {
 public:
  explicit TreeClassifier(const Attributes& a)
      : labels_(a, "classlabels_strings", "classlabels_int64s"),
        forest_(forest_of(a, "class")),
        transform_(post_transform_of(a)) {
    forest_.targets = std::max<int64_t>(labels_.count(), 1);
    forest_.validate();
    base_ = base_values(a, forest_.targets);
    const auto ids = a.ints("class_ids");
    one_class_ = !ids.empty() && std::count(ids.begin(), ids.end(), ids[0]) == static_cast<int64_t>(ids.size());
    for (const auto& leaf : forest_.leaves) {
      for (const Vote& vote : leaf) positive_ = positive_ && vote.weight >= 0;
    }
  }
  void infer(InferContext& c) const override {
    const int64_t rows = forest_.infer_rows(c, kMl);
    c.set_output(0, labels_.dtype(), Shape{rows});
    if (c.has_output(1)) c.set_output(1, DType::float32, Shape{rows, shown()});
  }
  void run(RunContext& c) const override {
    const Tensor x = convert(c.input(0), DType::float64);
    const int64_t rows = c.input(0).rank() == 1 ? 1 : c.input(0).dim(0);
    each_row_of(forest_, c.pool(), x, rows, [&](int64_t row, double* sums, const bool* voted) {
      double both[2];
      double* scores = forest_.targets == 2 ? both : sums;
      const int64_t best = forest_.targets == 1   ? one(sums)
                           : forest_.targets == 2 ? two(sums, voted, both)
                                                  : many(sums, voted);
      if (c.has_output(0)) labels_.put(best, c.output(0), row);
      if (!c.has_output(1)) return;
      std::transform(scores, scores + shown(), c.output(1).data<float>() + row * shown(),
                     [](double s) { return static_cast<float>(s); });
    });
  }

 private:
  int64_t shown() const { return forest_.targets; }

  // One class: is its score positive?
  int64_t one(double* sums) const noexcept {
    if (!base_.empty()) sums[0] += base_[0];
    const int64_t best = sums[0] > 0;
    transform_scores(transform_, sums, 1);
    return best;
  }

  // More than two classes: the best one, its scores transformed.
  int64_t many(double* sums, const bool* voted) const noexcept {
    for (size_t t = 0; t < base_.size(); t++) sums[t] += base_[t];
    int64_t best = -1;
    for (int64_t t = 0; t < forest_.targets; t++) {
      if ((voted[t] || !base_.empty()) && (best < 0 || sums[t] > sums[best])) best = t;
    }
    transform_scores(transform_, sums, forest_.targets);
    return std::max<int64_t>(best, 0);
  }

  // Two classes: their scores to `both`; returns the better one. Where all leaves vote for one class, the sign of its
  // score decides, or whether it is above one half where all weights are positive (as in onnxruntime).
  int64_t two(const double* sums, const bool* voted, double* both) const noexcept {
    both[0] = voted[0] || !one_class_ ? sums[0] + (base_.empty() ? 0 : base_[0]) : 0;
    both[1] = voted[1] || !one_class_ ? sums[1] + (base_.size() == 2 ? base_[1] : 0) : 0;
    const double weight = voted[1] ? both[1] : both[0];
    const int64_t best = !one_class_ ? both[1] > both[0] : weight > (positive_ ? 0.5 : 0);
    if (one_class_ && !voted[1] && base_.size() < 2) {
      share(both);
    } else {
      transform_scores(transform_, both, 2);
    }
    return best;
  }

  // Both classes' scores from the one in both[0].
  void share(double* both) const noexcept {
    const double s = both[0];
    if (transform_ == PostTransform::logistic || transform_ == PostTransform::probit) {
      both[0] = -s;
      both[1] = s;
      if (transform_ == PostTransform::logistic) return transform_scores(transform_, both, 2);
      transform_scores(transform_, both + 1, 1);
      both[0] = -both[1];
    } else {
      both[0] = positive_ ? 1 - s : -s;
      both[1] = s;
    }
  }

  ClassLabels labels_;
  Forest forest_;
  PostTransform transform_;
  std::vector<double> base_;
  bool one_class_ = false, positive_ = true;
};

template <bool kNewest>
std::unique_ptr<Operator> make_regressor(const Attributes& a) {
  return std::make_unique<TreeRegressor>(a, kNewest);
}

constexpr OpEntry kOps[] = {
    {"TreeEnsemble", 5, make_regressor<true>},
    {"TreeEnsembleRegressor", 1, make_regressor<false>},
    {"TreeEnsembleRegressor", 3, make_regressor<false>},
    {"TreeEnsembleClassifier", 1, make_operator<TreeClassifier>},
    {"TreeEnsembleClassifier", 3, make_operator<TreeClassifier>},
};

}  // namespace

std::span<const OpEntry> ml_tree_ops() { return kOps; }

}  // namespace sardonyx
