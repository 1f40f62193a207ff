// SVMClassifier and SVMRegressor.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/families.h"
#include "ops/ml/scores.h"
#include "ops/util/convert.h"
#include "ops/util/macs.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kMl{DType::float32, DType::float64, DType::int64, DType::int32};

enum class KernelType : uint8_t { linear, poly, rbf, sigmoid };

// k(a, b) of two vectors: a b, (gamma a b + coef0)^degree, exp(-gamma |a - b|^2), tanh(gamma a b + coef0).
class Kernel {
 public:
  explicit Kernel(const Attributes& a)
      : type_(static_cast<KernelType>(a.choice("kernel_type", {"LINEAR", "POLY", "RBF", "SIGMOID"}, 0))) {
    const auto params = a.floats("kernel_params");
    check(params.empty() || params.size() == 3, ErrorCode::invalid_model, "attribute \"kernel_params\" has ",
          params.size(), " values, not 3");
    if (params.empty()) return;
    gamma_ = static_cast<double>(params[0]);
    coef0_ = static_cast<double>(params[1]);
    degree_ = static_cast<double>(params[2]);
  }
  void make_linear() { type_ = KernelType::linear; }
  double operator()(const double* a, const float* b, size_t n) const noexcept {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      const double v = static_cast<double>(b[i]);
      sum += type_ == KernelType::rbf ? (a[i] - v) * (a[i] - v) : a[i] * v;
    }
    switch (type_) {
      case KernelType::linear:
        return sum;
      case KernelType::poly:
        return std::pow(gamma_ * sum + coef0_, degree_);
      case KernelType::rbf:
        return std::exp(-gamma_ * sum);
      case KernelType::sigmoid:
        break;
    }
    return std::tanh(gamma_ * sum + coef0_);
  }

 private:
  KernelType type_;
  double gamma_ = 0, coef0_ = 0, degree_ = 0;
};

// What both have: a kernel, vectors and coefficients. Without support vectors the coefficients are the vectors.
class Svm : public Operator {
 public:
  // Every row meets every vector; what is summed of the kernels' values is not counted.
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    return matmul_macs(inputs[0].shape, met_);
  }

 protected:
  explicit Svm(const Attributes& a)
      : kernel_(a),
        transform_(post_transform_of(a)),
        coefficients_(a.floats("coefficients")),
        vectors_(a.floats("support_vectors")),
        rho_(a.floats("rho")) {
    check(!coefficients_.empty(), ErrorCode::invalid_model, "attribute \"coefficients\" is missing or empty");
    check(!rho_.empty(), ErrorCode::invalid_model, "attribute \"rho\" is missing or empty");
  }
  // `count` vectors of how many features?
  void set_features(const std::vector<float>& vectors, int64_t count, std::string_view name) {
    check(count > 0 && vectors.size() % static_cast<size_t>(count) == 0, ErrorCode::invalid_model, "attribute \"", name,
          "\" has ", vectors.size(), " values for ", count, " vectors");
    features_ = vectors.size() / static_cast<size_t>(count);
    met_ = count;
  }
  int64_t infer_rows(const InferContext& c) const {
    c.require_inputs(1, 1);
    c.require_dtype(0, kMl);
    c.require_rank(0, 1, 2);
    check(c.shape(0).back() == static_cast<int64_t>(features_), ErrorCode::invalid_model, "the input has ",
          c.shape(0).back(), " features, the vectors have ", features_);
    return c.rank(0) == 1 ? 1 : c.shape(0)[0];
  }
  double kernel(const double* row, const std::vector<float>& vectors, size_t i) const noexcept {
    return kernel_(row, vectors.data() + i * features_, features_);
  }
  double rho(size_t i) const { return static_cast<double>(rho_[i]); }

  Kernel kernel_;
  PostTransform transform_;
  std::vector<float> coefficients_, vectors_, rho_;
  size_t features_ = 0;

 private:
  int64_t met_ = 0;  // vectors that a row is multiplied with
};

class SvmRegressor final : public Svm {
 public:
  explicit SvmRegressor(const Attributes& a)
      : Svm(a), count_(a.integer("n_supports", 0)), one_class_(a.flag("one_class", false)) {
    check(count_ >= 0, ErrorCode::invalid_model, "attribute \"n_supports\" is ", count_);
    if (count_ > 0) {
      set_features(vectors_, count_, "support_vectors");
      check(coefficients_.size() == static_cast<size_t>(count_), ErrorCode::invalid_model,
            "attribute \"coefficients\" has ", coefficients_.size(), " values for ", count_, " vectors");
    } else {
      kernel_.make_linear();
      set_features(coefficients_, 1, "coefficients");
    }
  }
  void infer(InferContext& c) const override { c.set_output(0, DType::float32, Shape{infer_rows(c), 1}); }
  void run(RunContext& c) const override {
    const Tensor x = convert(c.input(0), DType::float64);
    Tensor& y = c.output(0);
    for (int64_t row = 0; row < y.dim(0); row++) {
      const double* values = x.data<double>() + row * static_cast<int64_t>(features_);
      double sum = rho(0);
      if (count_ == 0) sum += kernel(values, coefficients_, 0);
      for (size_t i = 0; i < static_cast<size_t>(count_); i++) {
        sum += static_cast<double>(coefficients_[i]) * kernel(values, vectors_, i);
      }
      if (one_class_) {
        sum = sum > 0 ? 1 : -1;
      } else {
        transform_scores(transform_, &sum, 1);
      }
      y.data<float>()[row] = static_cast<float>(sum);
    }
  }

 private:
  int64_t count_;
  bool one_class_;
};

// Probabilities of k classes from those of each pair, r[i * k + j] = p(i | i or j): method 2 of Wu, Lin and Weng,
// "Probability Estimates for Multi-class Classification by Pairwise Coupling" (2004), iterated as LIBSVM does.
std::vector<double> couple(const std::vector<double>& r, size_t k) {
  std::vector<double> q(k * k), qp(k), p(k, 1 / static_cast<double>(k));
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < k; j++) {
      if (j == i) continue;
      q[i * k + i] += r[j * k + i] * r[j * k + i];
      q[i * k + j] = -r[j * k + i] * r[i * k + j];
    }
  }
  const double enough = 0.005 / static_cast<double>(k);
  for (size_t round = 0; round < std::max<size_t>(100, k); round++) {
    double pqp = 0, error = 0;
    for (size_t i = 0; i < k; i++) {
      qp[i] = std::inner_product(p.begin(), p.end(), q.begin() + static_cast<ptrdiff_t>(i * k), 0.0);
      pqp += p[i] * qp[i];
    }
    for (size_t i = 0; i < k; i++) error = std::max(error, std::abs(qp[i] - pqp));
    if (error < enough) break;
    for (size_t i = 0; i < k; i++) {
      const double step = (pqp - qp[i]) / q[i * k + i];
      p[i] += step;
      pqp = (pqp + step * (step * q[i * k + i] + 2 * qp[i])) / ((1 + step) * (1 + step));
      for (size_t j = 0; j < k; j++) {
        qp[j] = (qp[j] + step * q[i * k + j]) / (1 + step);
        p[j] /= 1 + step;
      }
    }
  }
  return p;
}

// With support vectors each pair of classes has a decision, and a vote; without, each class has a score.
class SvmClassifier final : public Svm {
 public:
  explicit SvmClassifier(const Attributes& a)
      : Svm(a),
        labels_(a, "classlabels_strings", "classlabels_ints"),
        prob_a_(a.floats("prob_a")),
        prob_b_(a.floats("prob_b")) {
    size_t first = 0;
    for (int64_t n : a.ints("vectors_per_class")) {
      check(n >= 0 && n <= INT32_MAX, ErrorCode::invalid_model, "attribute \"vectors_per_class\" has ", n);
      ends_.push_back(first += static_cast<size_t>(n));
    }
    if (first > 0) {
      classes_ = ends_.size();
      check(classes_ >= 2, ErrorCode::invalid_model, "there is one class only");
      set_features(vectors_, static_cast<int64_t>(first), "support_vectors");
      check(coefficients_.size() == (classes_ - 1) * first, ErrorCode::invalid_model, "attribute \"coefficients\" has ",
            coefficients_.size(), " values, not ", (classes_ - 1) * first);
      check(rho_.size() == pairs(), ErrorCode::invalid_model, "attribute \"rho\" has ", rho_.size(), " values, not ",
            pairs());
    } else {
      ends_.clear();
      kernel_.make_linear();
      classes_ = static_cast<size_t>(std::max<int64_t>(labels_.count(), 1));
      set_features(coefficients_, static_cast<int64_t>(classes_), "coefficients");
    }
    check(labels_.count() <= 1 || labels_.count() >= static_cast<int64_t>(classes_), ErrorCode::invalid_model,
          "there are ", labels_.count(), " labels for ", classes_, " classes");
    check(prob_a_.size() == prob_b_.size() && (prob_a_.empty() || (!ends_.empty() && prob_a_.size() == pairs())),
          ErrorCode::invalid_model, "attribute \"prob_a\" has ", prob_a_.size(), " values, \"prob_b\" ",
          prob_b_.size());
  }
  void infer(InferContext& c) const override {
    const int64_t rows = infer_rows(c);
    c.set_output(0, labels_.dtype(), Shape{rows});
    if (c.has_output(1)) c.set_output(1, DType::float32, Shape{rows, static_cast<int64_t>(shown())});
  }
  void run(RunContext& c) const override {
    const Tensor x = convert(c.input(0), DType::float64);
    const int64_t rows = c.input(0).rank() == 1 ? 1 : c.input(0).dim(0);
    for (int64_t row = 0; row < rows; row++) {
      const double* values = x.data<double>() + row * static_cast<int64_t>(features_);
      std::vector<double> scores;
      const int64_t best = ends_.empty() ? by_score(values, scores) : by_votes(values, scores);
      if (c.has_output(0)) labels_.put(best, c.output(0), row);
      if (!c.has_output(1)) continue;
      finish(scores);
      std::transform(scores.begin(), scores.end(), c.output(1).data<float>() + row * static_cast<int64_t>(shown()),
                     [](double s) { return static_cast<float>(s); });
    }
  }

 private:
  size_t pairs() const { return classes_ * (classes_ - 1) / 2; }
  // Scores of a row in output 1: of two classes both are shown though one was decided on.
  size_t shown() const {
    if (ends_.empty() || !prob_a_.empty()) return classes_;
    return classes_ == 2 ? 2 : pairs();
  }

  int64_t by_score(const double* row, std::vector<double>& scores) const {
    for (size_t i = 0; i < classes_; i++) scores.push_back(kernel(row, coefficients_, i) + rho(0));
    return std::max_element(scores.begin(), scores.end()) - scores.begin();
  }

  int64_t by_votes(const double* row, std::vector<double>& scores) const {
    const size_t count = ends_.back();
    std::vector<double> kernels(count);
    for (size_t i = 0; i < count; i++) kernels[i] = kernel(row, vectors_, i);
    const auto part = [&](size_t owner, size_t line) {
      double sum = 0;
      for (size_t i = owner ? ends_[owner - 1] : 0; i < ends_[owner]; i++) {
        sum += static_cast<double>(coefficients_[line * count + i]) * kernels[i];
      }
      return sum;
    };
    std::vector<double> votes(classes_);
    for (size_t i = 0; i < classes_; i++) {
      for (size_t j = i + 1; j < classes_; j++) {
        const double sum = rho(scores.size()) + part(i, j - 1) + part(j, i);
        scores.push_back(sum);
        votes[sum > 0 ? i : j]++;
      }
    }
    if (!prob_a_.empty()) scores = probabilities(scores);
    return std::max_element(votes.begin(), votes.end()) - votes.begin();
  }

  std::vector<double> probabilities(const std::vector<double>& scores) const {
    std::vector<double> r(classes_ * classes_);
    size_t at = 0;
    for (size_t i = 0; i < classes_; i++) {
      for (size_t j = i + 1; j < classes_; j++, at++) {
        const double v = 1 - logistic(scores[at] * static_cast<double>(prob_a_[at]) + static_cast<double>(prob_b_[at]));
        r[i * classes_ + j] = std::clamp(v, 1e-7, 1 - 1e-7);
        r[j * classes_ + i] = 1 - r[i * classes_ + j];
      }
    }
    return couple(r, classes_);
  }

  void finish(std::vector<double>& scores) const {
    if (scores.size() == 1 && shown() == 2) return share(scores);
    transform_scores(transform_, scores.data(), static_cast<int64_t>(scores.size()));
  }

  // Both classes' scores from the one that decided.
  void share(std::vector<double>& scores) const {
    double s = scores[0];
    if (transform_ == PostTransform::logistic) {
      scores = {logistic(-s), logistic(s)};
    } else if (transform_ == PostTransform::softmax || transform_ == PostTransform::softmax_zero) {
      scores = {1 - s, s};
    } else {
      transform_scores(transform_, &s, 1);
      scores = {-s, s};
    }
  }

  ClassLabels labels_;
  std::vector<float> prob_a_, prob_b_;
  std::vector<size_t> ends_;  // of each class's vectors; empty without support vectors
  size_t classes_ = 1;
};

constexpr OpEntry kOps[] = {
    {"SVMClassifier", 1, make_operator<SvmClassifier>},
    {"SVMRegressor", 1, make_operator<SvmRegressor>},
};

}  // namespace

std::span<const OpEntry> ml_svm_ops() { return kOps; }

}  // namespace sardonyx
