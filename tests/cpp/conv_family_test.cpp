// ConvTranspose as the adjoint of Conv, integer convolutions against Conv in double, pools against plain windows.
#include <gtest/gtest.h>

#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::random_tensor;
using testing::run_op;

struct Geometry {
  std::vector<int64_t> strides, pads, dilations;
  int64_t group = 1;
  Attributes attributes() const {
    Attributes a;
    a.add("strides", strides);
    a.add("pads", pads);
    a.add("dilations", dilations);
    a.add("group", group);
    return a;
  }
};

double inner_product(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = doubles(a), y = doubles(b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); i++) sum += x[i] * y[i];
  return sum;
}

TEST(ConvTranspose, IsTheAdjointOfConv) {
  struct Case {
    Shape x, w;
    Geometry g;
  };
  const Case cases[] = {
      {{1, 4, 9, 8}, {6, 4, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}}},
      {{2, 4, 9, 9}, {6, 4, 3, 3}, {{2, 2}, {1, 1, 1, 1}, {1, 1}}},
      {{1, 6, 11, 8}, {4, 3, 2, 4}, {{3, 2}, {0, 1, 1, 1}, {2, 1}, 2}},
      {{1, 3, 17}, {5, 3, 5}, {{2}, {2, 2}, {2}}},
      {{1, 2, 5, 6, 7}, {3, 2, 3, 2, 3}, {{2, 2, 2}, {1, 0, 1, 1, 0, 1}, {1, 1, 1}}},
      {{1, 2, 3, 4, 3, 4}, {2, 2, 2, 2, 2, 2}, {{1, 1, 1, 1}, {1, 0, 0, 0, 0, 1, 0, 0}, {1, 1, 1, 1}}},
  };
  for (const Case& c : cases) {
    for (DType type : {DType::float32, DType::float64}) {
      for (uint32_t constant : {0u, 2u}) {
        const Tensor x = random_tensor(c.x, 1, type), w = random_tensor(c.w, 2, type);
        const Tensor y = run_op("Conv", 11, c.g.attributes(), {x, w})[0].tensor();
        const Tensor v = random_tensor(y.shape(), 3, type);
        // What the strides of the convolution left over comes back as output_padding.
        std::vector<int64_t> extra;
        for (int i = 2; i < c.x.rank(); i++) {
          const size_t at = static_cast<size_t>(i - 2), n = c.g.strides.size();
          const int64_t full = (y.dim(i) - 1) * c.g.strides[at] + (c.w[i] - 1) * c.g.dilations[at] + 1;
          extra.push_back(c.x[i] - (full - c.g.pads[at] - c.g.pads[at + n]));
        }
        Attributes t = c.g.attributes();
        t.add("output_padding", extra);
        const Tensor back = run_op("ConvTranspose", 11, t, {v, w}, 1, constant)[0].tensor();
        ASSERT_EQ(back.shape(), c.x);
        const double scale = static_cast<double>(c.w.count());
        EXPECT_NEAR(inner_product(y, v), inner_product(x, back), scale * (type == DType::float32 ? 1e-4 : 1e-10))
            << c.x.to_string();
      }
    }
  }
}

Tensor random_bytes(const Shape& shape, uint32_t seed, DType type) {
  std::mt19937 engine(seed);
  Tensor t = Tensor::allocate(type, shape);
  for (int64_t i = 0; i < t.count(); i++) t.data<uint8_t>()[i] = static_cast<uint8_t>(engine());
  return t;
}

// Elements less their zero point, as double.
Tensor shifted(const Tensor& t, const std::vector<double>& zero) {
  const std::vector<double> v = doubles(t);
  const int64_t per_line = t.count() / std::max<int64_t>(1, t.dim(0));
  Tensor y = Tensor::allocate(DType::float64, t.shape());
  for (int64_t i = 0; i < t.count(); i++) {
    y.data<double>()[i] = v[static_cast<size_t>(i)] - zero[zero.size() == 1 ? 0 : static_cast<size_t>(i / per_line)];
  }
  return y;
}

TEST(ConvInteger, EqualsTheExactConvolution) {
  struct Case {
    Shape x, w;
    Geometry g;
  };
  const Case cases[] = {
      {{2, 5, 9, 10}, {7, 5, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}}},
      {{1, 16, 13, 11}, {9, 16, 1, 1}, {{1, 1}, {0, 0, 0, 0}, {1, 1}}},
      {{1, 8, 10, 9}, {6, 4, 3, 5}, {{2, 1}, {2, 1, 0, 3}, {1, 2}, 2}},
      {{1, 6, 9, 9}, {6, 1, 3, 3}, {{2, 2}, {1, 1, 1, 1}, {1, 1}, 6}},
      {{1, 3, 20}, {4, 3, 5}, {{2}, {2, 2}, {2}}},
      {{1, 2, 3, 4, 3, 4}, {2, 2, 2, 2, 2, 2}, {{1, 1, 1, 1}, {1, 0, 0, 0, 0, 1, 0, 0}, {1, 1, 1, 1}}},
      {{2, 9, 23, 30}, {13, 9, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}}},
      {{1, 8, 21, 18}, {5, 8, 3, 3}, {{1, 1}, {2, 0, 3, 1}, {2, 2}}},
  };
  for (const Case& c : cases) {
    for (DType type : {DType::uint8, DType::int8}) {
      for (uint32_t constant : {0u, 10u}) {
        for (bool per_channel : {false, true}) {
          const Tensor x = random_bytes(c.x, 1, type), w = random_bytes(c.w, 2, DType::int8);
          const Tensor x_zero = random_bytes({}, 3, type);
          const Tensor w_zero = random_bytes(per_channel ? Shape{c.w[0]} : Shape{}, 4, DType::int8);
          const Tensor y = run_op("ConvInteger", 10, c.g.attributes(), {x, w, x_zero, w_zero}, 1, constant)[0].tensor();
          const Tensor wanted =
              run_op("Conv", 11, c.g.attributes(), {shifted(x, doubles(x_zero)), shifted(w, doubles(w_zero))})[0]
                  .tensor();
          ASSERT_EQ(doubles(y), doubles(wanted)) << c.x.to_string();
        }
      }
    }
  }
}

TEST(QLinearConv, RoundsTheExactSums) {
  for (const int64_t channels : {4, 9}) {
    const Tensor x = random_bytes({1, channels, 6, 7}, 1, DType::uint8),
                 w = random_bytes({5, channels, 3, 3}, 2, DType::int8);
    const Tensor x_zero = testing::tensor<uint8_t>({}, {100}), w_zero = testing::tensor<int8_t>({5}, {0, 1, -2, 3, 4});
    const Tensor w_scale = testing::tensor<float>({5}, {0.25f, 0.5f, 0.125f, 1, 2});
    const Tensor bias = testing::tensor<int32_t>({5}, {0, 1000, -1000, 7, 2000});
    const Tensor y = run_op("QLinearConv", 10, {},
                            {x, testing::tensor<float>({}, {0.5f}), x_zero, w, w_scale, w_zero,
                             testing::tensor<float>({}, {64}), testing::tensor<int8_t>({}, {-3}), bias},
                            1, 40)[0]
                         .tensor();
    const std::vector<double> sums =
        doubles(run_op("Conv", 11, {}, {shifted(x, {100}), shifted(w, doubles(w_zero))})[0].tensor());
    const std::vector<double> got = doubles(y);
    ASSERT_EQ(got.size(), sums.size());
    for (size_t i = 0; i < got.size(); i++) {
      const size_t channel = i / (sums.size() / 5);
      const double v = (sums[i] + bias.data<int32_t>()[channel]) * 0.5 * w_scale.data<float>()[channel] / 64;
      ASSERT_EQ(got[i], std::clamp(std::nearbyint(v) - 3, -128.0, 127.0)) << i;
    }
  }
}

TEST(MaxPool, PositionsAreOfTheWholeTensorInEitherOrder) {
  const Tensor x = random_tensor({2, 2, 5, 6}, 9);
  Attributes rows, columns;
  for (Attributes* a : {&rows, &columns}) {
    a->add("kernel_shape", std::vector<int64_t>{2, 3});
    a->add("dilations", std::vector<int64_t>{2, 1});
    a->add("pads", std::vector<int64_t>{1, 0, 0, 1});
  }
  columns.add("storage_order", int64_t{1});
  const std::vector<Value> a = run_op("MaxPool", 12, rows, {x}, 2), b = run_op("MaxPool", 12, columns, {x}, 2);
  const Tensor &y = a[0].tensor(), &i = a[1].tensor(), &j = b[1].tensor();
  EXPECT_EQ(y.shape(), (Shape{2, 2, 4, 5}));
  for (int64_t k = 0; k < y.count(); k++) {
    const int64_t at = i.data<int64_t>()[k];
    ASSERT_EQ(y.data<float>()[k], x.data<float>()[at]);
    const int64_t plane = at / 30, row = at % 30 / 6, column = at % 6;
    EXPECT_EQ(j.data<int64_t>()[k], plane * 30 + column * 5 + row);
    // Nothing in the window is larger.
    const int64_t oy = k % 20 / 5, ox = k % 5;
    for (int64_t t = 0; t < 6; t++) {
      const int64_t py = oy - 1 + t / 3 * 2, px = ox + t % 3;
      if (py < 0 || py >= 5 || px >= 6) continue;
      ASSERT_LE(x.data<float>()[k / 20 * 30 + py * 6 + px], y.data<float>()[k]);
    }
  }
}

TEST(MaxPool, BytesAndManyAxes) {
  Attributes a;
  a.add("kernel_shape", std::vector<int64_t>{3});
  EXPECT_EQ(doubles(run_op("MaxPool", 12, a, {testing::tensor<int8_t>({1, 1, 5}, {-5, -7, -128, 3, -1})})[0].tensor()),
            (std::vector<double>{-5, 3, 3}));
  EXPECT_EQ(doubles(run_op("MaxPool", 12, a, {testing::tensor<uint8_t>({1, 1, 4}, {200, 7, 9, 3})})[0].tensor()),
            (std::vector<double>{200, 9}));
  Attributes many;
  many.add("kernel_shape", std::vector<int64_t>{2, 2, 2, 2});
  const Tensor x = random_tensor({1, 1, 2, 2, 2, 2}, 4);
  const std::vector<double> v = doubles(x);
  EXPECT_EQ(doubles(run_op("MaxPool", 12, many, {x})[0].tensor())[0], *std::ranges::max_element(v));
}

TEST(AveragePool, CountsPaddingOnlyWhenAsked) {
  const Tensor x = testing::tensor<float>({1, 1, 4}, {1, 2, 3, 4});
  Attributes without, with;
  for (Attributes* a : {&without, &with}) {
    a->add("kernel_shape", std::vector<int64_t>{3});
    a->add("strides", std::vector<int64_t>{2});
    a->add("pads", std::vector<int64_t>{1, 1});
    a->add("ceil_mode", int64_t{1});
  }
  with.add("count_include_pad", int64_t{1});
  testing::expect_near(run_op("AveragePool", 11, without, {x})[0].tensor(), {1.5, 3, 4});
  testing::expect_near(run_op("AveragePool", 11, with, {x})[0].tensor(), {1, 3, 2});  // the last window has 2 places
}

TEST(Pools, RefuseWhatTheyCannotDo) {
  Attributes a;
  a.add("kernel_shape", std::vector<int64_t>{2, 2});
  EXPECT_THROW(run_op("MaxPool", 12, a, {random_tensor({1, 1, 5}, 1)}), Error);
  EXPECT_THROW(run_op("MaxPool", 12, {}, {random_tensor({1, 1, 5}, 1)}), Error);
  Attributes huge;
  huge.add("kernel_shape", std::vector<int64_t>{int64_t{1} << 62});
  EXPECT_THROW(run_op("MaxPool", 12, huge, {random_tensor({1, 1, 5}, 1)}), Error);
}

}  // namespace
}  // namespace sardonyx
