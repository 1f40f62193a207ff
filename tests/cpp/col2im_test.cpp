// Col2Im beyond the ONNX suite: types, one and three axes, zero sizes, errors.
#include <gtest/gtest.h>

#include <complex>

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

Attributes window(std::vector<int64_t> strides, std::vector<int64_t> pads, std::vector<int64_t> dilations) {
  Attributes a;
  a.add("strides", std::move(strides));
  a.add("pads", std::move(pads));
  a.add("dilations", std::move(dilations));
  return a;
}

TEST(Col2Im, ThreeAxesOfEveryFloatType) {
  // Image 3x4x5, block 2x1x3, strides 1 2 1, dilations 2 1 1, pads 1 0 1 / 0 0 1: blocks 2x2x5.
  const Tensor image = tensor<int64_t>({3}, {3, 4, 5}), block = tensor<int64_t>({3}, {2, 1, 3});
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const Tensor x = random_tensor({2, 2 * 6, 20}, 5, type);
    const std::vector<double> in = doubles(x);
    std::vector<double> wanted(2 * 2 * 60);
    for (size_t i = 0; i < in.size(); i++) {
      const int l = static_cast<int>(i) % 20, tap = static_cast<int>(i) / 20 % 6, plane = static_cast<int>(i) / 120;
      const int d = l / 10 + tap / 3 * 2 - 1, h = l / 5 % 2 * 2, w = l % 5 + tap % 3 - 1;
      if (d < 0 || d >= 3 || w < 0 || w >= 5) continue;
      wanted[static_cast<size_t>(plane * 60 + d * 20 + h * 5 + w)] += in[i];
    }
    const Tensor y =
        run_op("Col2Im", 18, window({1, 2, 1}, {1, 0, 1, 0, 0, 1}, {2, 1, 1}), {x, image, block})[0].tensor();
    EXPECT_EQ(y.shape(), (Shape{2, 2, 3, 4, 5}));
    expect_near(y, wanted, std::string(dtype_name(type)));
  }
}

TEST(Col2Im, OneAxisOfOtherTypes) {
  const Tensor image = tensor<int64_t>({1}, {3}), block = tensor<int64_t>({1}, {2});
  const auto run = [&](Tensor x) { return run_op("Col2Im", 18, {}, {x, image, block})[0].tensor(); };
  EXPECT_EQ(doubles(run(tensor<uint8_t>({1, 2, 2}, {200, 1, 100, 3}))), (std::vector<double>{200, 101, 3}));
  EXPECT_EQ(doubles(run(tensor<uint8_t>({1, 2, 2}, {1, 200, 100, 3}))), (std::vector<double>{1, 44, 3}));
  EXPECT_EQ(doubles(run(tensor<int64_t>({1, 2, 2}, {1, INT64_MIN, -1, 3}))),
            (std::vector<double>{1, static_cast<double>(INT64_MAX), 3}));
  const Tensor flags = run(tensor<bool>({1, 2, 2}, {false, true, true, false}));
  EXPECT_EQ(std::vector<bool>(flags.data<bool>(), flags.data<bool>() + 3), (std::vector<bool>{false, true, false}));
  Tensor x = Tensor::allocate(DType::complex64, {1, 2, 2});
  const float parts[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::copy_n(parts, 8, x.data<float>());
  const Tensor y = run(x);
  EXPECT_EQ(std::vector<float>(y.data<float>(), y.data<float>() + 6), (std::vector<float>{1, 2, 8, 10, 7, 8}));
}

TEST(Col2Im, ZeroSizesAndErrors) {
  const auto run = [](const Shape& x, std::initializer_list<int64_t> image, std::initializer_list<int64_t> block,
                      Attributes a = {}) {
    const Shape n{static_cast<int64_t>(image.size())}, m{static_cast<int64_t>(block.size())};
    return run_op("Col2Im", 18, std::move(a),
                  {random_tensor(x, 1), tensor<int64_t>(n, image), tensor<int64_t>(m, block)})[0]
        .tensor()
        .shape();
  };
  EXPECT_EQ(run({0, 4, 4}, {3, 3}, {2, 2}), (Shape{0, 1, 3, 3}));
  EXPECT_EQ(run({2, 0, 4}, {3, 3}, {2, 2}), (Shape{2, 0, 3, 3}));
  EXPECT_NE(error_of([&] { run({1, 4, 5}, {3, 3}, {2, 2}); }, ErrorCode::invalid_input)
                .find("input has 5 blocks, the image 4"),
            std::string::npos);
  error_of([&] { run({1, 5, 4}, {3, 3}, {2, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 4, 4}, {3, 3}, {2}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 4, 4}, {3, 3}, {2, 5}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 4, 4}, {3, 3}, {2, 0}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 4, 4}, {3, -3}, {2, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 4, 4}, {INT64_MAX, 3}, {2, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 4, 4}, {3, 3}, {2, 2}, window({1}, {}, {})); });
  error_of([&] { run({1, 4, 4}, {3, 3}, {2, 2}, window({0, 1}, {}, {})); }, ErrorCode::invalid_input);
  error_of([&] { run({4, 4}, {3, 3}, {2, 2}); });
}

}  // namespace
}  // namespace sardonyx
