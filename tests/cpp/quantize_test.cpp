// Quantization and products of bytes beyond the ONNX suite: every type, axis and block, against the formulas.
#include <gtest/gtest.h>

#include "ops/util/float_blocks.h"
#include "tests/cpp/error_of.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::random_tensor;
using testing::run_op;

Attributes axis_and_block(int64_t axis, int64_t block) {
  Attributes a;
  a.add("axis", axis);
  if (block) a.add("block_size", block);
  return a;
}

std::vector<float> floats(const Tensor& t) {
  std::vector<float> v(static_cast<size_t>(t.count()));
  load_floats(t.dtype(), t.bytes(), 0, t.count(), v.data());
  return v;
}

struct Integer {
  DType type;
  double lo, hi;
};
const Integer kIntegers[] = {{DType::uint8, 0, 255}, {DType::int8, -128, 127},      {DType::uint16, 0, 65535},
                             {DType::uint4, 0, 15},  {DType::int16, -32768, 32767}, {DType::int4, -8, 7},
                             {DType::uint2, 0, 3},   {DType::int2, -2, 1}};

// Which scale belongs to element i of a 4 x 6 x 5 tensor, for scales over axis 1 in blocks of `block` (0: one each).
int64_t scale_of(int64_t i, int64_t block) {
  if (block == 0) return i / 5 % 6;
  return (i / 30 * ((6 + block - 1) / block) + i / 5 % 6 / block) * 5 + i % 5;
}

TEST(QuantizeLinear, EveryIntegerTypeAxisAndBlock) {
  const Tensor x = random_tensor({4, 6, 5}, 1);
  for (const Integer& t : kIntegers) {
    for (int64_t block : {0, 2, 4, 6}) {
      const Shape shape = block == 0 ? Shape{6} : Shape{4, (6 + block - 1) / block, 5};
      Tensor scale = random_tensor(shape, 2);
      for (int64_t i = 0; i < scale.count(); i++) {
        scale.data<float>()[i] = (std::abs(scale.data<float>()[i]) + 0.5f) / static_cast<float>(t.hi);
      }
      Attributes a = axis_and_block(1, block);
      a.add("output_dtype", static_cast<int64_t>(t.type));
      const Tensor q = run_op("QuantizeLinear", 25, a, {x, scale})[0].tensor();
      ASSERT_EQ(q.dtype(), t.type);
      const std::vector<float> got = floats(q);
      const Tensor back = run_op("DequantizeLinear", 25, axis_and_block(1, block), {q, scale})[0].tensor();
      for (int64_t i = 0; i < x.count(); i++) {
        const float s = scale.data<float>()[scale_of(i, block)];
        const double wanted = std::clamp<double>(std::nearbyint(x.data<float>()[i] / s), t.lo, t.hi);
        ASSERT_EQ(static_cast<double>(got[static_cast<size_t>(i)]), wanted) << dtype_name(t.type) << " " << i;
        ASSERT_FLOAT_EQ(back.data<float>()[i], static_cast<float>(wanted) * s);
      }
    }
  }
}

TEST(QuantizeLinear, ScalesThatDoNotFit) {
  const Tensor x = random_tensor({4, 6, 5}, 1);
  const auto reason = [&](Attributes a, const Shape& scale) {
    return testing::reason_of([&] { run_op("QuantizeLinear", 21, std::move(a), {x, random_tensor(scale, 1)}); });
  };
  EXPECT_EQ(reason(axis_and_block(1, 0), {4}), "scales of shape 4 are not 6 for axis 1");
  EXPECT_EQ(reason(axis_and_block(1, 4), {4, 3, 5}), "scales of shape 4x3x5 are not blocks of 4 along axis 1 of 4x6x5");
  EXPECT_NE(reason(axis_and_block(7, 0), {4}), "");
}

TEST(DynamicQuantizeLinear, CoversTheRange) {
  const Tensor x = random_tensor({3, 41}, 7);
  const auto y = run_op("DynamicQuantizeLinear", 11, {}, {x}, 3);
  float lo = 0, hi = 0;
  for (float v : x.values<float>()) lo = std::min(lo, v), hi = std::max(hi, v);
  const float scale = y[1].tensor().data<float>()[0];
  EXPECT_FLOAT_EQ(scale, (hi - lo) / 255);
  const uint8_t zero = y[2].tensor().data<uint8_t>()[0];
  EXPECT_EQ(zero, static_cast<uint8_t>(std::nearbyint(-lo / scale)));
  for (int64_t i = 0; i < x.count(); i++) {
    EXPECT_NEAR((y[0].tensor().data<uint8_t>()[i] - zero) * scale, x.data<float>()[i], scale * 0.501f);
  }
  EXPECT_EQ(run_op("DynamicQuantizeLinear", 11, {}, {random_tensor({0}, 1)}, 3)[0].tensor().count(), 0);
}

Tensor random_bytes(const Shape& shape, uint32_t seed, DType type) {
  std::mt19937 engine(seed);
  Tensor t = Tensor::allocate(type, shape);
  for (int64_t i = 0; i < t.count(); i++) t.data<uint8_t>()[i] = static_cast<uint8_t>(engine());
  return t;
}

TEST(MatMulInteger, ZeroPointsPerRowAndColumn) {
  struct Case {
    Shape a, b, a_zero, b_zero;
  };
  const Case cases[] = {{{5, 7}, {7, 9}, {}, {}},           {{5, 7}, {7, 9}, {5}, {9}},
                        {{2, 5, 7}, {7, 9}, {5}, {9}},      {{2, 5, 7}, {2, 7, 9}, {2, 5, 1}, {2, 1, 9}},
                        {{2, 5, 7}, {7, 9}, {2, 5, 1}, {}}, {{3, 1, 8}, {1, 8, 4}, {}, {4}}};
  for (const Case& c : cases) {
    for (uint32_t constant : {0u, 10u}) {
      const Tensor a = random_bytes(c.a, 1, DType::uint8), b = random_bytes(c.b, 2, DType::int8);
      const Tensor az = random_bytes(c.a_zero, 3, DType::uint8), bz = random_bytes(c.b_zero, 4, DType::int8);
      const Tensor y = run_op("MatMulInteger", 10, {}, {a, b, az, bz}, 1, constant)[0].tensor();
      Tensor left = Tensor::allocate(DType::float64, c.a), right = Tensor::allocate(DType::float64, c.b);
      const std::vector<double> av = doubles(a), bv = doubles(b), azv = doubles(az), bzv = doubles(bz);
      const int64_t k = c.a.back(), n = c.b.back();
      for (int64_t i = 0; i < a.count(); i++) {
        left.data<double>()[i] = av[static_cast<size_t>(i)] - azv[static_cast<size_t>(i / k) % azv.size()];
      }
      for (int64_t i = 0; i < b.count(); i++) {
        const int64_t column = (bzv.size() > static_cast<size_t>(n) ? i / (k * n) * n : 0) + i % n;
        right.data<double>()[i] = bv[static_cast<size_t>(i)] - bzv[static_cast<size_t>(column) % bzv.size()];
      }
      ASSERT_EQ(doubles(y), doubles(run_op("MatMul", 13, {}, {left, right})[0].tensor())) << c.a.to_string();
    }
  }
}

TEST(QLinearMatMul, Float8GoesThroughFloat32) {
  Attributes to;
  to.add("to", static_cast<int64_t>(DType::float8e4m3fn));
  const auto small = [&](std::initializer_list<float> v, const Shape& shape) {
    return run_op("Cast", 19, to, {testing::tensor<float>(shape, v)})[0].tensor();
  };
  const Tensor zero = small({0}, {}), one = testing::tensor<float>({}, {1}), half = testing::tensor<float>({}, {0.5f});
  const Tensor y =
      run_op("QLinearMatMul", 21, {},
             {small({1, 2, 3, 4}, {2, 2}), half, zero, small({1, 0, 0, 2}, {2, 2}), one, zero, half, zero})[0]
          .tensor();
  EXPECT_EQ(y.dtype(), DType::float8e4m3fn);
  EXPECT_EQ(floats(y), (std::vector<float>{1, 4, 3, 8}));
}

}  // namespace
}  // namespace sardonyx
