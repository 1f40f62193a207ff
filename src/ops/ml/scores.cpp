// Transforms of scores, and labels.
#include "ops/ml/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace sardonyx {
namespace {

// The normal distribution's quantile, with Winitzki's approximation of the inverse error function that the standard's
// reference has.
double probit(double p) noexcept {
  constexpr double kPi = 3.14159265358979324, kA = 0.147;
  const double x = 2 * p - 1, rest = (1 - x) * (1 + x);
  if (rest == 0) return x * std::numeric_limits<double>::infinity();
  const double log = std::log(rest), v = 2 / (kPi * kA) + 0.5 * log;
  const double inverse = std::sqrt(-v + std::sqrt(v * v - log / kA));
  return 1.41421356 * (x < 0 ? -inverse : inverse);
}

// With `zeros`, scores of 0 stay near it: they take no exponential.
void softmax(double* s, int64_t n, bool zeros) noexcept {
  const double most = *std::max_element(s, s + n);
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const bool zero = zeros && std::abs(s[i]) <= 1e-7;
    s[i] = zero ? s[i] * std::exp(-most) : std::exp(s[i] - most);
    sum += s[i];
  }
  for (int64_t i = 0; i < n; i++) s[i] = sum == 0 ? 0.5 : s[i] / sum;
}

}  // namespace

double logistic(double x) noexcept {
  const double v = 1 / (1 + std::exp(-std::abs(x)));
  return x < 0 ? 1 - v : v;
}

PostTransform post_transform_of(const Attributes& a) {
  return static_cast<PostTransform>(
      a.choice("post_transform", {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}, 0));
}

void transform_scores(PostTransform transform, double* s, int64_t n) noexcept {
  if (n == 0 || (n == 1 && transform != PostTransform::probit)) return;
  switch (transform) {
    case PostTransform::none:
      return;
    case PostTransform::softmax:
    case PostTransform::softmax_zero:
      return softmax(s, n, transform == PostTransform::softmax_zero);
    case PostTransform::logistic:
      return static_cast<void>(std::transform(s, s + n, s, logistic));
    case PostTransform::probit:
      return static_cast<void>(std::transform(s, s + n, s, probit));
  }
}

ClassLabels::ClassLabels(const Attributes& a, std::string_view strings, std::string_view ints)
    : words_(a.strings(strings)), numbers_(a.ints(ints)) {
  check(words_.empty() || numbers_.empty(), ErrorCode::invalid_model, "both attributes \"", strings, "\" and \"", ints,
        "\" have labels");
}

void ClassLabels::put(int64_t index, Tensor& y, int64_t row) const {
  const auto at = static_cast<size_t>(index);
  if (y.dtype() == DType::string) {
    y.data<std::string>()[row] = at < words_.size() ? words_[at] : std::string();
  } else {
    y.data<int64_t>()[row] = numbers_.size() > 1 && at < numbers_.size() ? numbers_[at] : index;
  }
}

}  // namespace sardonyx
