// The losses beyond the ONNX suite: other types, ignored classes, nothing to average, bad classes and shapes.
#include <gtest/gtest.h>

#include "tests/cpp/error_of.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::error_of;
using testing::expect_near;
using testing::random_tensor;
using testing::run_op;
using testing::tensor;

Attributes reduced(const char* reduction, int64_t ignored = INT64_MAX) {
  Attributes a;
  a.add("reduction", std::string(reduction));
  if (ignored != INT64_MAX) a.add("ignore_index", ignored);
  return a;
}

TEST(Loss, CrossEntropyOfEveryTypeEqualsItsDefinition) {
  constexpr int64_t kClasses = 5, kInner = 6;
  const Tensor labels = tensor<int32_t>({2, 3, 2}, {0, 1, -7, 4, 3, 2, 2, -7, 0, 4, 1, 3});
  const std::vector<double> weights{0.5, 2, 1, 0.25, 4};
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const Tensor scores = random_tensor({2, kClasses, 3, 2}, 7, type);
    Tensor weight = Tensor::allocate(type, {kClasses});
    for (int64_t i = 0; i < kClasses; i++) {
      const float w = static_cast<float>(weights[static_cast<size_t>(i)]);
      if (type == DType::float32) weight.data<float>()[i] = w;
      if (type == DType::float64) weight.data<double>()[i] = static_cast<double>(w);
      if (type == DType::float16) weight.data<Float16>()[i] = Float16(w);
      if (type == DType::bfloat16) weight.data<BFloat16>()[i] = BFloat16(w);
    }
    const std::vector<double> x = doubles(scores);
    std::vector<double> logs(x.size()), losses;
    double sum = 0, total = 0;
    for (int64_t i = 0; i < 2 * kInner; i++) {
      const auto at = [&](int64_t k) { return static_cast<size_t>((i / kInner * kClasses + k) * kInner + i % kInner); };
      double exponentials = 0;
      for (int64_t k = 0; k < kClasses; k++) exponentials += std::exp(x[at(k)]);
      for (int64_t k = 0; k < kClasses; k++) logs[at(k)] = x[at(k)] - std::log(exponentials);
      const int32_t label = labels.data<int32_t>()[i];
      const double w = label < 0 ? 0 : weights[static_cast<size_t>(label)];
      losses.push_back(label < 0 ? 0 : -logs[at(label)] * w);
      sum += losses.back();
      total += w;
    }
    const std::string name(dtype_name(type));
    const auto none = run_op("SoftmaxCrossEntropyLoss", 13, reduced("none", -7), {scores, labels, weight}, 2);
    expect_near(none[0].tensor(), losses, name);
    expect_near(none[1].tensor(), logs, name);
    const auto mean = run_op("SoftmaxCrossEntropyLoss", 12, reduced("mean", -7), {scores, labels, weight});
    EXPECT_EQ(mean[0].tensor().rank(), 0);
    expect_near(mean[0].tensor(), {sum / total}, name);
    expect_near(run_op("NegativeLogLikelihoodLoss", 22, reduced("sum", -7), {none[1], labels, weight})[0].tensor(),
                {sum}, name);
  }
}

TEST(Loss, MeanCountsOnlyWhatIsNotIgnored) {
  const Tensor x = tensor<float>({3, 2}, {-1, -2, -3, -4, -5, -6});
  const Tensor target = tensor<int64_t>({3}, {1, 0, 1});
  const auto loss = [&](int64_t ignored) {
    return doubles(run_op("NegativeLogLikelihoodLoss", 13, reduced("mean", ignored), {x, target})[0].tensor())[0];
  };
  EXPECT_EQ(loss(1), 3);
  EXPECT_EQ(loss(-1), static_cast<double>(11.0f / 3));
  // Class 0 is ignored too where the attribute says so: it is no default.
  EXPECT_EQ(loss(0), 4);
}

TEST(Loss, NothingToAverageIsNan) {
  const Tensor x = Tensor::allocate(DType::float32, {0, 4}), target = Tensor::allocate(DType::int64, {0});
  for (const char* type : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) {
    EXPECT_TRUE(std::isnan(doubles(run_op(type, 13, reduced("mean"), {x, target})[0].tensor())[0]));
    EXPECT_EQ(doubles(run_op(type, 13, reduced("sum"), {x, target})[0].tensor())[0], 0);
    EXPECT_EQ(run_op(type, 13, reduced("none"), {x, target})[0].tensor().shape(), Shape{0});
  }
}

TEST(Loss, LargeScoresDoNotOverflow) {
  const Tensor x = tensor<float>({2, 2}, {1000, 0, 0, -1000}), target = tensor<int64_t>({2}, {1, 0});
  EXPECT_EQ(doubles(run_op("SoftmaxCrossEntropyLoss", 13, reduced("none"), {x, target})[0].tensor()),
            (std::vector<double>{1000, 0}));
}

TEST(Loss, BadInputIsNamed) {
  const Tensor x = tensor<float>({1, 2}, {-1, -2});
  const auto run = [&](Value target, Value weight = {}, const char* reduction = "mean") {
    return run_op("NegativeLogLikelihoodLoss", 13, reduced(reduction), {x, target, weight});
  };
  EXPECT_NE(error_of([&] { run(tensor<int64_t>({1}, {2})); }, ErrorCode::runtime_error)
                .find("class 2 at 0 is out of range for 2 classes"),
            std::string::npos);
  EXPECT_NE(error_of([&] { run(tensor<int64_t>({1}, {-1})); }, ErrorCode::runtime_error).find("class -1"),
            std::string::npos);
  EXPECT_NE(error_of([&] { run(tensor<int64_t>({2}, {0, 0})); }, ErrorCode::invalid_input).find("target of shape 2"),
            std::string::npos);
  error_of([&] { run(tensor<int64_t>({1}, {0}), tensor<float>({3}, {1, 1, 1})); }, ErrorCode::invalid_input);
  error_of([&] { run(tensor<int64_t>({1}, {0}), tensor<double>({2}, {1, 1})); });
  error_of([&] { run(tensor<float>({1}, {0})); });
  error_of([&] { run(tensor<int64_t>({1}, {0}), {}, "average"); });
  error_of(
      [&] { run_op("SoftmaxCrossEntropyLoss", 13, {}, {tensor<float>({2}, {1, 2}), tensor<int64_t>({2}, {0, 0})}); });
}

}  // namespace
}  // namespace sardonyx
