// What classifiers and regressors do with their scores at the end.
#pragma once
#include <vector>

#include "graph/attributes.h"

namespace sardonyx {

// Numbered as TreeEnsemble's post_transform.
enum class PostTransform : uint8_t { none, softmax, logistic, softmax_zero, probit };

// The attribute "post_transform" by its name.
PostTransform post_transform_of(const Attributes& attributes);

// Transforms the scores of one row in place. A score alone is only changed by probit, as in onnxruntime.
void transform_scores(PostTransform transform, double* scores, int64_t count) noexcept;

double logistic(double x) noexcept;

// The labels of a classifier: strings or integers.
class ClassLabels {
 public:
  // The attribute `strings` or the attribute `ints`; neither: classes are told by their numbers.
  ClassLabels(const Attributes& attributes, std::string_view strings, std::string_view ints);

  DType dtype() const { return words_.empty() ? DType::int64 : DType::string; }
  int64_t count() const { return static_cast<int64_t>(words_.size() + numbers_.size()); }
  // y[row] = the label of class `index`; the number itself where there are no labels, or only one.
  void put(int64_t index, Tensor& y, int64_t row) const;

 private:
  std::vector<std::string> words_;
  std::vector<int64_t> numbers_;
};

}  // namespace sardonyx
