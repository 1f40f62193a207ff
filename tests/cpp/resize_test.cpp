// Resize and Upsample beyond the ONNX suite: types, old versions, many axes, errors; DepthToSpace and back.
#include <gtest/gtest.h>

#include "tests/cpp/error_of.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::expect_near;
using testing::random_tensor;
using testing::reason_of;
using testing::run_op;

Attributes mode(const char* name, const char* coordinates = nullptr) {
  Attributes a;
  a.add("mode", std::string(name));
  if (coordinates) a.add("coordinate_transformation_mode", std::string(coordinates));
  return a;
}

TEST(Resize, NearestOfEveryElementSize) {
  const Tensor scales = testing::tensor<float>({2}, {1, 2});
  const Value none;
  const auto resized = [&](const Tensor& x) {
    return run_op("Resize", 13, mode("nearest", "asymmetric"), {x, none, scales})[0].tensor();
  };
  EXPECT_EQ(doubles(resized(testing::tensor<uint8_t>({1, 2}, {3, 200}))), (std::vector<double>{3, 3, 200, 200}));
  EXPECT_EQ(doubles(resized(testing::tensor<int64_t>({1, 2}, {-3, 5}))), (std::vector<double>{-3, -3, 5, 5}));
  const Tensor text = resized(testing::tensor<std::string>({1, 2}, {"a", "long enough for the heap"}));
  EXPECT_EQ(text.data<std::string>()[1], "a");
  EXPECT_EQ(text.data<std::string>()[2], "long enough for the heap");
}

TEST(Resize, LinearIsExactOnLinearData) {
  // Inside the borders, a linear function stays itself whatever the axes.
  Tensor x = Tensor::allocate(DType::float32, {2, 3, 4, 5, 6});
  for (int64_t i = 0; i < x.count(); i++) {
    x.data<float>()[i] = static_cast<float>(i % 6 + 10 * (i / 6 % 5) + 100 * (i / 30 % 4));
  }
  const Tensor sizes = testing::tensor<int64_t>({5}, {2, 3, 7, 9, 11});
  const Value none;
  for (DType type : {DType::float32, DType::float64}) {
    Tensor in = x;
    if (type == DType::float64) {
      in = Tensor::allocate(type, x.shape());
      std::copy_n(x.data<float>(), x.count(), in.data<double>());
    }
    const Tensor y = run_op("Resize", 13, mode("linear", "align_corners"), {in, none, none, sizes})[0].tensor();
    std::vector<double> wanted;
    for (int64_t i = 0; i < y.count(); i++) {
      wanted.push_back(static_cast<double>(i % 11) * 5 / 10 + 10 * static_cast<double>(i / 11 % 9) * 4 / 8 +
                       100 * static_cast<double>(i / 99 % 7) * 3 / 6);
    }
    expect_near(y, wanted, std::string(dtype_name(type)));
  }
}

TEST(Resize, IntegersAreRoundedAndHalfFloatsFollow) {
  const Tensor scales = testing::tensor<float>({1}, {2});
  const Value none;
  const Tensor bytes = testing::tensor<uint8_t>({3}, {0, 255, 7});
  EXPECT_EQ(doubles(run_op("Resize", 13, mode("cubic"), {bytes, none, scales})[0].tensor()).size(), 6u);
  const Tensor x = random_tensor({2, 3, 4}, 1, DType::float16);
  Tensor wide = Tensor::allocate(DType::float32, x.shape());
  for (int64_t i = 0; i < x.count(); i++) wide.data<float>()[i] = x.data<Float16>()[i];
  const Tensor twice = testing::tensor<float>({3}, {1, 2, 1.5f});
  expect_near(run_op("Resize", 13, mode("cubic"), {x, none, twice})[0].tensor(),
              doubles(run_op("Resize", 13, mode("cubic"), {wide, none, twice})[0].tensor()));
}

TEST(Upsample, OldVersions) {
  const Tensor x = testing::tensor<float>({1, 1, 1, 2}, {1, 3});
  Attributes one, seven;
  one.add("height_scale", 2.0f);
  one.add("width_scale", 2.0f);
  one.add("mode", std::string("bilinear"));
  expect_near(run_op("Upsample", 1, one, {x})[0].tensor(), {1, 2, 3, 3, 1, 2, 3, 3});
  seven.add("scales", std::vector<float>{1, 1, 1, 2});
  expect_near(run_op("Upsample", 7, seven, {x})[0].tensor(), {1, 1, 3, 3});
  expect_near(run_op("Upsample", 9, mode("nearest"), {x, testing::tensor<float>({4}, {1, 1, 2, 1})})[0].tensor(),
              {1, 3, 1, 3});
  expect_near(run_op("Resize", 10, mode("linear"), {x, testing::tensor<float>({4}, {1, 1, 1, 2})})[0].tensor(),
              {1, 2, 3, 3});
}

TEST(Resize, Errors) {
  const auto reason = [](std::vector<Value> inputs) {
    return reason_of([&] { run_op("Resize", 13, mode("nearest"), std::move(inputs)); });
  };
  const Tensor x = random_tensor({1, 2}, 1);
  const Value none;
  EXPECT_EQ(reason({x}), "there are neither scales nor sizes");
  EXPECT_EQ(reason({x, none, testing::tensor<float>({1}, {2})}), "there are 1 scales for 2 axes");
  EXPECT_EQ(reason({x, none, testing::tensor<float>({2}, {1, -2})}), "a scale is -2, not above 0");
  EXPECT_EQ(reason({random_tensor({1, 0}, 1), none, none, testing::tensor<int64_t>({2}, {1, 2})}),
            "an empty dimension cannot be resized to 2");
  EXPECT_NE(reason({x, none, testing::tensor<float>({2}, {1, 1e30f})}), "");
}

TEST(DepthToSpace, AndBack) {
  for (const char* order : {"DCR", "CRD"}) {
    Attributes a, back;
    a.add("blocksize", int64_t{2});
    back.add("blocksize", int64_t{2});
    a.add("mode", std::string(order));
    const Tensor x = random_tensor({2, 12, 3, 2}, 5);
    const Tensor y = run_op("DepthToSpace", 13, a, {x})[0].tensor();
    EXPECT_EQ(y.shape(), (Shape{2, 3, 6, 4}));
    // Pixel (1, 0) of the first block of channel 1.
    const int64_t from = std::string(order) == "DCR" ? 2 * 3 + 1 : 1 * 4 + 2;
    EXPECT_EQ(y.data<float>()[24 + 4], x.data<float>()[from * 6]);
    if (std::string(order) == "DCR") EXPECT_EQ(doubles(run_op("SpaceToDepth", 13, back, {y})[0].tensor()), doubles(x));
  }
}

}  // namespace
}  // namespace sardonyx
