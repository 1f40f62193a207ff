// AffineGrid beyond the ONNX suite: types, lengths of 0 and 1, errors.
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

Attributes aligned(bool corners) {
  Attributes a;
  a.add("align_corners", int64_t{corners});
  return a;
}

TEST(AffineGrid, EveryTypeIn3D) {
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const Tensor theta = random_tensor({2, 3, 4}, 3, type);
    const std::vector<double> m = doubles(theta);
    for (bool corners : {false, true}) {
      const Tensor grid =
          run_op("AffineGrid", 20, aligned(corners), {theta, tensor<int64_t>({5}, {2, 1, 2, 3, 4})})[0].tensor();
      EXPECT_EQ(grid.shape(), (Shape{2, 2, 3, 4, 3}));
      const auto at = [&](int i, int n) { return corners ? 2.0 * i / (n - 1) - 1 : (2.0 * i + 1) / n - 1; };
      std::vector<double> wanted;
      for (size_t n = 0; n < 2; n++) {
        for (int z = 0; z < 2; z++) {
          for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 4; x++) {
              for (size_t r = 0; r < 3; r++) {
                const double* row = m.data() + n * 12 + r * 4;
                wanted.push_back(row[0] * at(x, 4) + row[1] * at(y, 3) + row[2] * at(z, 2) + row[3]);
              }
            }
          }
        }
      }
      expect_near(grid, wanted, std::string(dtype_name(type)));
    }
  }
}

TEST(AffineGrid, LengthsOfZeroAndOne) {
  const Tensor identity = tensor<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0});
  for (bool corners : {false, true}) {  // the only pixel is the center
    EXPECT_EQ(
        doubles(run_op("AffineGrid", 20, aligned(corners), {identity, tensor<int64_t>({4}, {1, 1, 1, 1})})[0].tensor()),
        (std::vector<double>{0, 0}));
  }
  EXPECT_EQ(run_op("AffineGrid", 20, {}, {identity, tensor<int64_t>({4}, {1, 1, 0, 3})})[0].tensor().shape(),
            (Shape{1, 0, 3, 2}));
}

TEST(AffineGrid, BadInputIsNamed) {
  const Tensor theta = random_tensor({1, 2, 3}, 1);
  const auto run = [&](const Shape& shape, std::initializer_list<int64_t> size) {
    run_op("AffineGrid", 20, {}, {theta, tensor<int64_t>(shape, size)});
  };
  error_of([&] { run({3}, {1, 1, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run({5}, {1, 1, 2, 2, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run({4}, {2, 1, 2, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run({4}, {1, 1, -2, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run({4}, {1, 1, INT64_MAX, 2}); }, ErrorCode::out_of_memory);
  error_of([&] { run({1, 4}, {1, 1, 2, 2}); });
}

}  // namespace
}  // namespace sardonyx
