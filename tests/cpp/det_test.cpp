// Det beyond the ONNX suite: against the expansion by minors, singular and empty matrices, types, errors.
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

double by_minors(const std::vector<double>& m, size_t n) {
  if (n == 0) return 1;
  double sum = 0;
  for (size_t column = 0; column < n; column++) {
    std::vector<double> minor;
    for (size_t i = n; i < n * n; i++) {
      if (i % n != column) minor.push_back(m[i]);
    }
    sum += (column % 2 ? -1 : 1) * m[column] * by_minors(minor, n - 1);
  }
  return sum;
}

TEST(Det, EqualsTheExpansionByMinors) {
  for (int64_t n : {1, 2, 3, 5}) {
    for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
      const Tensor x = random_tensor({2, 3, n, n}, static_cast<uint32_t>(n), type);
      const std::vector<double> all = doubles(x);
      std::vector<double> wanted;
      for (auto at = all.begin(); at != all.end(); at += n * n) {
        wanted.push_back(by_minors({at, at + n * n}, static_cast<size_t>(n)));
      }
      const Tensor y = run_op("Det", 22, {}, {x})[0].tensor();
      EXPECT_EQ(y.shape(), (Shape{2, 3}));
      expect_near(y, wanted, std::string(dtype_name(type)));
    }
  }
}

TEST(Det, SingularPermutedAndEmptyMatrices) {
  const auto det = [](Tensor x) { return run_op("Det", 11, {}, {x})[0].tensor(); };
  EXPECT_EQ(doubles(det(tensor<float>({2, 2}, {1, 2, 2, 4}))), std::vector<double>{0});
  EXPECT_EQ(doubles(det(tensor<float>({3, 3}, {0, 1, 0, 1, 0, 0, 0, 0, 1}))), std::vector<double>{-1});
  EXPECT_EQ(doubles(det(tensor<float>({2, 2}, {0, 0, 0, 0}))), std::vector<double>{0});
  EXPECT_TRUE(std::isnan(doubles(det(tensor<float>({2, 2}, {NAN, 1, 1, 1})))[0]));
  EXPECT_EQ(doubles(det(Tensor::allocate(DType::float32, {2, 0, 0}))), (std::vector<double>{1, 1}));
  EXPECT_EQ(det(Tensor::allocate(DType::float32, {0, 3, 3})).shape(), Shape{0});
}

TEST(Det, BadInputIsNamed) {
  EXPECT_NE(
      error_of([] { run_op("Det", 11, {}, {Tensor::allocate(DType::float32, {2, 3})}); }, ErrorCode::invalid_input)
          .find("matrices of 2x3 are not square"),
      std::string::npos);
  error_of([] { run_op("Det", 11, {}, {Tensor::allocate(DType::float32, {3})}); });
  error_of([] { run_op("Det", 11, {}, {Tensor::allocate(DType::int32, {3, 3})}); });
}

}  // namespace
}  // namespace sardonyx
