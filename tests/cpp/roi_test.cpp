// RoiAlign and MaxRoiPool beyond the ONNX suite: exact on linear data, types, regions off the map, errors.
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

// 2 channels of [6][8]: row * 10 + column, and its negative.
Tensor ramp(DType type) {
  Tensor x = Tensor::allocate(type, {1, 2, 6, 8});
  for (int64_t i = 0; i < x.count(); i++) {
    const float v = static_cast<float>(i / 8 % 6 * 10 + i % 8) * (i < 48 ? 1.0f : -1.0f);
    if (type == DType::float32) x.data<float>()[i] = v;
    if (type == DType::float64) x.data<double>()[i] = static_cast<double>(v);
    if (type == DType::float16) x.data<Float16>()[i] = Float16(v);
    if (type == DType::bfloat16) x.data<BFloat16>()[i] = BFloat16(v);
  }
  return x;
}

Tensor converted(const Tensor& x, DType type) {
  Tensor y = Tensor::allocate(type, x.shape());
  for (int64_t i = 0; i < x.count(); i++) {
    const float v = x.data<float>()[i];
    if (type == DType::float32) y.data<float>()[i] = v;
    if (type == DType::float64) y.data<double>()[i] = static_cast<double>(v);
    if (type == DType::float16) y.data<Float16>()[i] = Float16(v);
    if (type == DType::bfloat16) y.data<BFloat16>()[i] = BFloat16(v);
  }
  return y;
}

Attributes align(int64_t height, int64_t width, const char* mode = "avg", int64_t ratio = 0) {
  Attributes a;
  a.add("output_height", height);
  a.add("output_width", width);
  a.add("mode", std::string(mode));
  a.add("sampling_ratio", ratio);
  return a;
}

TEST(RoiAlign, MeanOfLinearDataIsItsValueAtTheBinsCenter) {
  // Region x 1..5, y 1..4: bins of 2 x 1.5.
  const Tensor rois = tensor<float>({1, 4}, {1, 1, 5, 4}), images = tensor<int64_t>({1}, {0});
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    for (int64_t ratio : {0, 1, 3}) {
      for (int opset : {10, 16, 22}) {
        const double shift = opset == 10 ? 0 : 0.5;
        std::vector<double> wanted;
        for (double sign : {1.0, -1.0}) {
          for (double y : {1.75, 3.25}) {
            for (double x : {2.0, 4.0}) wanted.push_back(sign * ((y - shift) * 10 + x - shift));
          }
        }
        const Tensor y =
            run_op("RoiAlign", opset, align(2, 2, "avg", ratio), {ramp(type), converted(rois, type), images})[0]
                .tensor();
        EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 2}));
        expect_near(y, wanted, cat(type, " ", ratio, " ", opset));
      }
    }
  }
}

TEST(RoiAlign, RegionsOffTheMapCountAsZeros) {
  const auto value = [](std::initializer_list<float> roi, const char* mode) {
    const Tensor x = tensor<float>({1, 1, 2, 2}, {-1, -1, -1, -1});
    return doubles(
        run_op("RoiAlign", 10, align(1, 1, mode, 0), {x, tensor<float>({1, 4}, roi), tensor<int64_t>({1}, {0})})[0]
            .tensor())[0];
  };
  EXPECT_EQ(value({10, 10, 12, 12}, "avg"), 0);
  EXPECT_EQ(value({10, 10, 12, 12}, "max"), 0);
  EXPECT_EQ(value({0, 0, 4, 1}, "avg"), -0.5);  // two of four samples
  EXPECT_EQ(value({0, 0, 4, 1}, "max"), 0);
  EXPECT_EQ(value({0.25f, 0.25f, 1.25f, 1.25f}, "max"), -0.0625);  // the least of the four weighted pixels
  // Of huge regions only the samples on the map are visited: rows 1 and 2 of 1e9, likewise the columns.
  EXPECT_NEAR(value({0, 0, 1e9f, 1}, "avg"), -2e-9, 1e-12);
  EXPECT_NEAR(value({-1e9f, -1e9f, 1e9f, 1e9f}, "avg"), 0, 1e-12);
  for (float odd : {INFINITY, -INFINITY, NAN}) EXPECT_FALSE(std::isinf(value({odd, 0, odd, 1}, "avg")));
}

TEST(MaxRoiPool, BinsOfWholePixels) {
  Attributes a;
  a.add("pooled_shape", std::vector<int64_t>{2, 2});
  a.add("spatial_scale", 0.5f);
  // Scaled: columns 1 to 4, rows 0 to 2 of the ramp: bins of 2 columns and of 1.5 rows, which overlap in row 1.
  const Tensor rois = tensor<float>({2, 5}, {0, 2, 0, 8, 4, 0, 40, 40, 50, 50});
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    for (int opset : {1, 22}) {
      expect_near(run_op("MaxRoiPool", opset, a, {ramp(type), converted(rois, type)})[0].tensor(),
                  {12, 14, 22, 24, -1, -3, -11, -13, 0, 0, 0, 0, 0, 0, 0, 0}, cat(type));
    }
  }
}

TEST(Roi, ZeroSizesAndErrors) {
  const auto run = [](const Shape& x, const Shape& rois, std::initializer_list<int64_t> images, Attributes a = {}) {
    const Shape n{static_cast<int64_t>(images.size())};
    return run_op("RoiAlign", 16, std::move(a),
                  {random_tensor(x, 1), random_tensor(rois, 2), tensor<int64_t>(n, images)})[0]
        .tensor()
        .shape();
  };
  EXPECT_EQ(run({1, 2, 3, 3}, {0, 4}, {}), (Shape{0, 2, 1, 1}));
  EXPECT_EQ(run({1, 0, 3, 3}, {1, 4}, {0}), (Shape{1, 0, 1, 1}));
  EXPECT_NE(error_of([&] { run({1, 2, 3, 3}, {1, 4}, {1}); }, ErrorCode::runtime_error)
                .find("batch index 1 is out of range for 1 images"),
            std::string::npos);
  error_of([&] { run({1, 2, 3, 3}, {1, 4}, {-1}); }, ErrorCode::runtime_error);
  error_of([&] { run({1, 2, 0, 3}, {1, 4}, {0}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 2, 3, 3}, {1, 5}, {0}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 2, 3, 3}, {1, 4}, {0, 0}); }, ErrorCode::invalid_input);
  error_of([&] { run({2, 3, 3}, {1, 4}, {0}); });
  error_of([&] { run({1, 2, 3, 3}, {1, 4}, {0}, align(0, 1)); });
  error_of([&] { run({1, 2, 3, 3}, {1, 4}, {0}, align(1, 1, "mean")); });
  error_of([&] { run({1, 2, 3, 3}, {1, 4}, {0}, align(1, 1, "avg", -1)); });
  Attributes pool;
  pool.add("pooled_shape", std::vector<int64_t>{1, 1});
  error_of([&] { run_op("MaxRoiPool", 1, pool, {ramp(DType::float32), tensor<float>({1, 5}, {1, 0, 0, 1, 1})}); },
           ErrorCode::runtime_error);
  error_of([&] { run_op("MaxRoiPool", 1, {}, {ramp(DType::float32), tensor<float>({1, 5}, {0, 0, 0, 1, 1})}); });
}

}  // namespace
}  // namespace sardonyx
