// GridSample beyond the ONNX suite: one to three axes and every padding against a naive loop, types, odd positions,
// zero sizes, errors.
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

Attributes sampling(const char* mode, const char* padding = "zeros", bool corners = false) {
  Attributes a;
  a.add("mode", std::string(mode));
  a.add("padding_mode", std::string(padding));
  a.add("align_corners", int64_t{corners});
  return a;
}

// One line, sampled by the definitions of the standard: unnormalize, pad, weigh.
struct Line {
  std::string mode, padding;
  bool corners;

  double mirror(double p, double n) const {
    const double low = corners ? 0 : -0.5, high = corners ? n - 1 : n - 0.5;
    if (high == low) return low;
    while (p < low || p > high) p = p < low ? 2 * low - p : 2 * high - p;
    return p;
  }
  double pixel(const std::vector<double>& line, double i) const {
    const double n = static_cast<double>(line.size());
    if (padding == "zeros") return i < 0 || i >= n ? 0 : line[static_cast<size_t>(i)];
    if (padding == "reflection") i = mirror(i, n);
    return line[static_cast<size_t>(std::min(std::max(i, 0.0), n - 1))];
  }
  double operator()(const std::vector<double>& line, double p) const {
    const double n = static_cast<double>(line.size());
    p = corners ? (p + 1) / 2 * (n - 1) : ((p + 1) * n - 1) / 2;
    if (mode == "nearest") p = std::nearbyint(p);
    if (padding == "border" && mode != "cubic" && (p < (corners ? 0 : -0.5) || p > n - (corners ? 1 : 0.5))) {
      p = std::min(std::max(p, 0.0), n - 1);
    }
    if (padding == "reflection") p = mirror(p, n);
    if (mode == "nearest") return pixel(line, p);
    const double f = std::floor(p), t = p - f, a = -0.75;
    if (mode == "linear") return (1 - t) * pixel(line, f) + t * pixel(line, f + 1);
    double sum = 0;
    for (int k = -1; k <= 2; k++) {
      const double d = std::abs(t - k);
      const double w = d <= 1 ? (a + 2) * d * d * d - (a + 3) * d * d + 1 : a * (d * d * d - 5 * d * d + 8 * d - 4);
      sum += w * pixel(line, f + k);
    }
    return sum;
  }
};

// At grid positions p (innermost first), axis after axis from the innermost.
double sampled(const Line& line, std::vector<double> values, const Shape& spatial, const double* p) {
  for (int axis = spatial.rank() - 1; axis >= 0; axis--) {
    std::vector<double> next;
    for (size_t i = 0; i < values.size(); i += static_cast<size_t>(spatial[axis])) {
      next.push_back(
          line({values.begin() + static_cast<ptrdiff_t>(i), values.begin() + static_cast<ptrdiff_t>(i) + spatial[axis]},
               p[spatial.rank() - 1 - axis]));
    }
    values = std::move(next);
  }
  return values[0];
}

TEST(GridSample, EveryModeEqualsTheDefinition) {
  for (const Shape& spatial : {Shape{5}, Shape{3, 4}, Shape{2, 3, 4}, Shape{1, 3}}) {
    const int axes = spatial.rank();
    Shape shape{2, 3}, points{2};
    for (int64_t d : spatial) shape.push_back(d), points.push_back(4);
    points.push_back(axes);
    const Tensor x = random_tensor(shape, 1, DType::float64);
    Tensor grid = random_tensor(points, 2, DType::float64);
    for (int64_t i = 0; i < grid.count(); i++) grid.data<double>()[i] *= 2.371;
    const std::vector<double> in = doubles(x), at = doubles(grid);
    const int64_t plane = spatial.count(), places = points.count(1, axes + 1);
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      for (const char* padding : {"zeros", "border", "reflection"}) {
        for (bool corners : {false, true}) {
          std::vector<double> wanted;
          for (int64_t i = 0; i < 6 * places; i++) {
            const int64_t channel = i / places;
            wanted.push_back(sampled({mode, padding, corners},
                                     {in.begin() + channel * plane, in.begin() + (channel + 1) * plane}, spatial,
                                     at.data() + (channel / 3 * places + i % places) * axes));
          }
          expect_near(run_op("GridSample", 20, sampling(mode, padding, corners), {x, grid})[0].tensor(), wanted,
                      cat(mode, " ", padding, " ", spatial, corners ? " corners" : ""));
        }
      }
    }
  }
}

TEST(GridSample, TypesThatAreNoFloats) {
  // Positions of the pixels 0, 0.5, 1 and 5.
  const Tensor grid = tensor<float>({1, 4, 1}, {-1, 0, 1, 9});
  const auto run = [&](const Tensor& x, const char* mode) {
    return run_op("GridSample", 22, sampling(mode, "zeros", true), {x, grid})[0].tensor();
  };
  EXPECT_EQ(doubles(run(tensor<uint8_t>({1, 1, 2}, {10, 21}), "linear")), (std::vector<double>{10, 15, 21, 0}));
  EXPECT_EQ(doubles(run(tensor<int64_t>({1, 1, 2}, {-10, -21}), "linear")), (std::vector<double>{-10, -15, -21, 0}));
  EXPECT_EQ(doubles(run(tensor<int64_t>({1, 1, 2}, {INT64_MAX, 5}), "nearest")),
            (std::vector<double>{static_cast<double>(INT64_MAX), static_cast<double>(INT64_MAX), 5, 0}));
  for (DType type : {DType::float16, DType::bfloat16}) {
    Tensor x = random_tensor({1, 1, 2}, 3, type);
    const std::vector<double> v = doubles(x);
    expect_near(run(x, "linear"), {v[0], (v[0] + v[1]) / 2, v[1], 0});
  }
  const Tensor text = run(tensor<std::string>({1, 1, 2}, {"a", "long enough for the heap"}), "nearest");
  EXPECT_EQ(text.data<std::string>()[2], "long enough for the heap");
  EXPECT_EQ(text.data<std::string>()[3], "");
  Tensor x = Tensor::allocate(DType::complex64, {1, 1, 2});
  const float parts[] = {1, 2, 3, 6};
  std::copy_n(parts, 4, x.data<float>());
  const Tensor y = run(x, "linear");
  EXPECT_EQ(std::vector<float>(y.data<float>(), y.data<float>() + 8), (std::vector<float>{1, 2, 2, 4, 3, 6, 0, 0}));
}

TEST(GridSample, PositionsThatAreNoNumbers) {
  const Tensor x = tensor<float>({1, 1, 2}, {3, 4}), grid = tensor<float>({1, 4, 1}, {NAN, INFINITY, -INFINITY, 3e38f});
  for (const char* mode : {"linear", "nearest", "cubic"}) {
    const auto run = [&](const char* padding) {
      return doubles(run_op("GridSample", 20, sampling(mode, padding), {x, grid})[0].tensor());
    };
    EXPECT_EQ(run("zeros"), (std::vector<double>{0, 0, 0, 0})) << mode;
    EXPECT_EQ(run("border"), (std::vector<double>{3, 4, 3, 4})) << mode;
    for (double v : run("reflection")) EXPECT_TRUE(v > 2.5 && v < 4.5) << mode;
  }
}

TEST(GridSample, ZeroSizesAndErrors) {
  const auto run = [](int opset, const Shape& x, const Shape& grid, Attributes a = {}) {
    return run_op("GridSample", opset, std::move(a), {random_tensor(x, 1), random_tensor(grid, 2)})[0].tensor().shape();
  };
  EXPECT_EQ(run(16, {0, 2, 3, 3}, {0, 4, 5, 2}), (Shape{0, 2, 4, 5}));
  EXPECT_EQ(run(16, {1, 0, 3, 3}, {1, 4, 5, 2}), (Shape{1, 0, 4, 5}));
  EXPECT_EQ(run(16, {1, 2, 0, 3}, {1, 0, 5, 2}), (Shape{1, 2, 0, 5}));
  EXPECT_EQ(run(16, {1, 1, 2, 2}, {1, 1, 1, 2}, sampling("bicubic")), (Shape{1, 1, 1, 1}));
  error_of([&] { run(16, {1, 2, 0, 3}, {1, 1, 5, 2}); }, ErrorCode::invalid_input);
  EXPECT_NE(error_of([&] { run(20, {1, 2, 3, 3}, {1, 4, 5, 3}); }, ErrorCode::invalid_input)
                .find("grid of shape 1x4x5x3 does not fit X of shape 1x2x3x3"),
            std::string::npos);
  error_of([&] { run(20, {1, 2, 3, 3}, {2, 4, 5, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run(20, {1, 2, 3, 3}, {1, 4, 2}); }, ErrorCode::invalid_input);
  error_of([&] { run(20, {1, 2}, {1, 0}); });
  error_of([&] { run(20, {1, 1, 2, 2}, {1, 1, 1, 2}, sampling("bilinear")); });
  error_of([&] { run(16, {1, 1, 2, 2}, {1, 1, 1, 2}, sampling("cubic")); });
  error_of([&] { run(16, {1, 1, 2, 2}, {1, 1, 1, 2}, sampling("nearest", "wrap")); });
  error_of([&] { run(20, {1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 5}, sampling("cubic")); }, ErrorCode::invalid_input);
  error_of(
      [] { run_op("GridSample", 20, {}, {tensor<std::string>({1, 1, 1}, {"a"}), tensor<float>({1, 1, 1}, {0})}); });
}

}  // namespace
}  // namespace sardonyx
