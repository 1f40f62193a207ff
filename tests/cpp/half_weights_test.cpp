// Constant float16 weights stay 16 bits wide in memory; products with them against plain sums.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph_maker.h"
#include "op_values.h"
#include "ops/util/as_float.h"
#include "runtime/session.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::doubles;
using testing::GraphMaker;
using testing::random_tensor;

struct Case {
  std::string type;
  Attributes attributes;
  Shape x, w;
  Shape bias = {1};
  bool has_bias = false;
};

struct Made {
  std::unique_ptr<Session> session;
  Tensor y;
};

Made make(const Case& c, DType type) {
  const auto as = [&](const Tensor& t) { return type == DType::float16 ? t : to_float32(t); };
  GraphMaker g;
  const Tensor x = as(random_tensor(c.x, 1, DType::float16));
  g.input("x", type, std::vector<int64_t>(c.x.begin(), c.x.end()));
  g.constant("w", as(random_tensor(c.w, 2, DType::float16)));
  std::vector<std::string> inputs{"x", "w"};
  if (c.has_bias) g.constant("b", as(random_tensor(c.bias, 3, DType::float16))), inputs.push_back("b");
  g.node(c.type, inputs, {"y"}, c.attributes).output("y");
  Made made{Session::create(g.model(), {}), {}};
  made.y = made.session->run(std::vector<Value>{x}, std::vector<int>{0})[0].tensor();
  return made;
}

// alpha x w + beta b of the last two axes, one matrix w or one for each of x; all in double.
std::vector<double> expected(const Case& c, double alpha, double beta, bool turned_x, bool turned) {
  const std::vector<double> x = doubles(random_tensor(c.x, 1, DType::float16));
  const std::vector<double> w = doubles(random_tensor(c.w, 2, DType::float16));
  const std::vector<double> b = doubles(random_tensor(c.bias, 3, DType::float16));
  const int64_t rank = c.x.rank(), columns = c.w.rank() == 1 ? 1 : c.w[c.w.rank() - (turned ? 2 : 1)];
  const int64_t k = rank == 1 ? c.x[0] : c.x[static_cast<int>(rank) - (turned_x ? 2 : 1)];
  const int64_t rows = static_cast<int64_t>(x.size()) / k, matrices = static_cast<int64_t>(w.size()) / (k * columns);
  std::vector<double> y;
  for (int64_t i = 0; i < rows; i++) {
    const double* matrix = w.data() + i * matrices / rows * k * columns;
    for (int64_t j = 0; j < columns; j++) {
      double sum = 0;
      for (int64_t p = 0; p < k; p++) {
        sum +=
            x[static_cast<size_t>(turned_x ? p * rows + i : i * k + p)] * matrix[turned ? j * k + p : p * columns + j];
      }
      const int64_t at = (c.bias.rank() == 2 && c.bias[0] > 1 ? i : 0) * c.bias.back();
      y.push_back(alpha * sum + (c.has_bias ? beta * b[static_cast<size_t>(at + (c.bias.back() > 1 ? j : 0))] : 0));
    }
  }
  return y;
}

// Half a unit of float16, and what sums in float32 lose.
void expect_rounded(const Tensor& y, const std::vector<double>& wanted) {
  const std::vector<double> actual = doubles(y);
  ASSERT_EQ(actual.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); i++) {
    EXPECT_NEAR(actual[i], wanted[i], std::fabs(wanted[i]) * 0x1p-11 + 2e-5) << i;
  }
}

Attributes gemm(float alpha, float beta, bool turned_x, bool turned) {
  Attributes a = attribute("alpha", alpha);
  a.add("beta", beta);
  a.add("transA", int64_t{turned_x});
  a.add("transB", int64_t{turned});
  return a;
}

void expect_half(const Case& c, double alpha = 1, double beta = 1, bool turned_x = false, bool turned = false) {
  SCOPED_TRACE(c.type + " " + c.x.to_string() + " " + c.w.to_string() + " " + c.bias.to_string());
  const Made half = make(c, DType::float16), whole = make(c, DType::float32);
  expect_rounded(half.y, expected(c, alpha, beta, turned_x, turned));
  expect_rounded(whole.y, expected(c, alpha, beta, turned_x, turned));
  EXPECT_EQ(half.session->memory().weights, whole.session->memory().weights / 2);  // of the bias
  // A float32 weight that is packed where it lies has no slack.
  constexpr uint64_t kSlack = 64;
  EXPECT_LE(half.session->memory().packed, whole.session->memory().packed / 2 + kSlack);
  EXPECT_GT(half.session->memory().packed, 0u);
}

TEST(HalfWeights, MatMul) {
  const Case cases[] = {
      {"MatMul", {}, {2, 7, 24}, {24, 40}},   {"MatMul", {}, {1, 1, 24}, {24, 41}},
      {"MatMul", {}, {300, 24}, {24, 8}},     {"MatMul", {}, {5, 3, 24}, {5, 24, 9}},
      {"MatMul", {}, {5, 1, 24}, {5, 24, 9}}, {"MatMul", {}, {5, 24}, {24}},
      {"MatMul", {}, {24}, {24, 33}},         {"MatMul", {}, {16, 2000}, {2000, 100}},
      {"MatMul", {}, {1, 1}, {1, 1}},         {"MatMul", {}, {130, 1100}, {1100, 70}},
  };
  for (const Case& c : cases) expect_half(c);
}

TEST(HalfWeights, Gemm) {
  for (bool turned : {false, true}) {
    for (bool turned_x : {false, true}) {
      for (int64_t m : {1, 2, 13, 40}) {
        for (int64_t n : {1, 8, 41}) {
          for (float alpha : {1.0f, 0.5f, -3.0f}) {
            for (const Shape& bias : {Shape{}, Shape{n}, Shape{m, 1}, Shape{m, n}}) {
              const float beta = alpha == 1 ? 1 : 0.25f;
              expect_half({"Gemm", gemm(alpha, beta, turned_x, turned), turned_x ? Shape{19, m} : Shape{m, 19},
                           turned ? Shape{n, 19} : Shape{19, n}, bias.rank() ? bias : Shape{1}, bias.rank() > 0},
                          static_cast<double>(alpha), static_cast<double>(beta), turned_x, turned);
            }
          }
        }
      }
    }
  }
}

Attributes convolution(std::vector<int64_t> strides, int64_t pad, int64_t group) {
  Attributes a = attribute("strides", std::move(strides));
  a.add("pads", std::vector<int64_t>(4, pad));
  a.add("group", group);
  return a;
}

std::vector<double> convolved(const Case& c, int64_t stride, int64_t pad, int64_t groups, const Shape& out) {
  const std::vector<double> x = doubles(random_tensor(c.x, 1, DType::float16));
  const std::vector<double> w = doubles(random_tensor(c.w, 2, DType::float16));
  const std::vector<double> b = doubles(random_tensor(c.bias, 3, DType::float16));
  std::vector<double> y;
  for (int64_t i = 0; i < out.count(); i++) {
    const int64_t column = i % out[3], row = i / out[3] % out[2], m = i / out[3] / out[2] % out[1],
                  n = i / out.count(1, 4);
    double sum = c.has_bias ? b[static_cast<size_t>(m)] : 0;
    for (int64_t t = 0; t < c.w.count(1, 4); t++) {
      const int64_t kx = t % c.w[3], ky = t / c.w[3] % c.w[2], channel = t / c.w[3] / c.w[2];
      const int64_t at_y = row * stride - pad + ky, at_x = column * stride - pad + kx;
      if (at_y < 0 || at_y >= c.x[2] || at_x < 0 || at_x >= c.x[3]) continue;
      const int64_t from = n * c.x[1] + m / (c.w[0] / groups) * c.w[1] + channel;
      sum += x[static_cast<size_t>((from * c.x[2] + at_y) * c.x[3] + at_x)] *
             w[static_cast<size_t>(m * c.w.count(1, 4) + t)];
    }
    y.push_back(sum);
  }
  return y;
}

TEST(HalfWeights, Conv) {
  struct {
    Shape x, w;
    int64_t stride, pad, groups;
    bool half;  // 3x3 kernels of enough channels are transformed, depthwise ones stay as they are
  } const cases[] = {
      {{2, 16, 7, 7}, {24, 16, 1, 1}, 1, 0, 1, true},  {{1, 5, 11, 11}, {7, 5, 3, 3}, 2, 1, 1, true},
      {{2, 32, 9, 9}, {20, 16, 1, 1}, 1, 0, 2, true},  {{1, 3, 32, 32}, {16, 3, 7, 7}, 2, 3, 1, false},
      {{1, 6, 5, 5}, {2, 3, 3, 3}, 1, 0, 2, true},     {{1, 16, 11, 9}, {24, 16, 3, 3}, 1, 1, 1, false},
      {{1, 12, 9, 9}, {12, 1, 3, 3}, 1, 1, 12, false}, {{1, 300, 20, 20}, {130, 300, 1, 1}, 1, 0, 1, true},
  };
  for (const auto& c : cases) {
    const Case one{"Conv", convolution({c.stride, c.stride}, c.pad, c.groups), c.x, c.w, {c.w[0]}, true};
    SCOPED_TRACE(one.x.to_string() + " " + one.w.to_string());
    const Made half = make(one, DType::float16), whole = make(one, DType::float32);
    expect_rounded(half.y, convolved(one, c.stride, c.pad, c.groups, half.y.shape()));
    if (!c.half) continue;
    constexpr uint64_t kSlack = 64;
    EXPECT_LE(half.session->memory().packed, whole.session->memory().packed / 2 + kSlack);
    EXPECT_GT(half.session->memory().packed, 0u);
  }
}

// float16 weights that the model itself widens, for products in float32.
TEST(HalfWeights, BehindACast) {
  for (const char* type : {"MatMul", "Gemm", "Conv"}) {
    SCOPED_TRACE(type);
    const bool conv = type == std::string("Conv");
    GraphMaker g;
    const Shape x = conv ? Shape{1, 24, 3, 3} : Shape{5, 24}, w = conv ? Shape{40, 24, 1, 1} : Shape{24, 40};
    const Tensor weights = random_tensor(w, 2, DType::float16);
    g.input("x", DType::float32, std::vector<int64_t>(x.begin(), x.end())).constant("w", weights);
    g.node("Cast", {"w"}, {"wide"}, attribute("to", int64_t{1})).node(type, {"x", "wide"}, {"y"});
    g.node(type, {"x", "wide"}, {"z"}).output("y").output("z");
    auto session = Session::create(g.model(), {});
    EXPECT_EQ(session->memory().weights, 0u);
    EXPECT_LE(session->memory().packed, 2 * (24 * 40 * 2 + 64u));
    const Tensor fed = random_tensor(x, 1);
    const auto results = session->run(std::vector<Value>{fed}, std::vector<int>{0, 1});
    const std::vector<double> a = doubles(fed), b = doubles(weights), y = doubles(results[0].tensor());
    ASSERT_EQ(y.size(), conv ? 360u : 200u);
    EXPECT_EQ(doubles(results[1].tensor()), y);
    for (size_t i = 0; i < y.size(); i++) {
      double sum = 0;
      for (size_t p = 0; p < 24; p++)
        sum += conv ? a[p * 9 + i % 9] * b[i / 9 * 24 + p] : a[i / 40 * 24 + p] * b[p * 40 + i % 40];
      EXPECT_NEAR(y[i], sum, 1e-5);
    }
  }
}

// A product takes float16 weights beside float32 only where a Cast was there.
TEST(HalfWeights, TypesThatDifferAreRefused) {
  GraphMaker g;
  g.input("x", DType::float32, {5, 24}).constant("w", random_tensor({24, 40}, 2, DType::float16));
  g.node("MatMul", {"x", "w"}, {"y"}).output("y");
  EXPECT_THROW(Session::create(g.model(), {}), Error);
}

// Whose Cast is gone, too: the other input must be what the Cast made.
TEST(HalfWeights, TypesThatDifferBehindACastAreRefused) {
  for (const DType type : {DType::int32, DType::float64, DType::float16, DType::int64}) {
    for (const char* op : {"MatMul", "Gemm", "Conv"}) {
      for (const bool constant : {false, true}) {
        SCOPED_TRACE(op);
        const bool conv = op == std::string("Conv");
        const Shape x = conv ? Shape{1, 24, 3, 3} : Shape{5, 24}, w = conv ? Shape{40, 24, 1, 1} : Shape{24, 40};
        GraphMaker g;
        if (constant) {
          g.constant("x", random_tensor(x, 1, type));
        } else {
          g.input("x", type, std::vector<int64_t>(x.begin(), x.end()));
        }
        g.constant("w", random_tensor(w, 2, DType::float16));
        g.node("Cast", {"w"}, {"wide"}, attribute("to", int64_t{1})).node(op, {"x", "wide"}, {"y"}).output("y");
        EXPECT_THROW(
            {
              auto session = Session::create(g.model(), {});
              if (constant) session->run(std::vector<Value>{}, std::vector<int>{0});
            },
            Error);
      }
    }
  }
}

// What other passes make of the product keeps the weights as they are, and fuses as with float32 ones.
TEST(HalfWeights, BehindACastWithPadBiasAndResidual) {
  for (const int64_t kernel : {1, 3}) {
    const int64_t size = 8 - kernel;
    const Tensor weights = random_tensor({40, 24, kernel, kernel}, 2, DType::float16),
                 x = random_tensor({1, 24, 5, 5}, 1), residual = random_tensor({1, 40, size, size}, 3);
    std::vector<double> results[2];
    for (const bool half : {false, true}) {
      GraphMaker g;
      g.input("x", DType::float32, {1, 24, 5, 5}).input("r", DType::float32, {1, 40, size, size});
      g.constant("pads", Tensor::of(std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1}));
      g.node("Pad", {"x", "pads"}, {"padded"});
      if (half) {
        g.constant("w", weights).node("Cast", {"w"}, {"wide"}, attribute("to", int64_t{1}));
      } else {
        g.constant("wide", to_float32(weights));
      }
      g.node("Conv", {"padded", "wide"}, {"c"}).node("Add", {"c", "r"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y");
      auto session = Session::create(g.model(), {});
      EXPECT_EQ(session->model().graph.nodes.size(), 1u);
      results[half] = doubles(session->run(std::vector<Value>{x, residual}, std::vector<int>{0})[0].tensor());
    }
    ASSERT_EQ(results[0].size(), results[1].size());
    for (size_t i = 0; i < results[0].size(); i++) EXPECT_NEAR(results[0][i], results[1][i], 2e-4);
  }
}

// What 16 bits have no code for is packed in float32.
TEST(HalfWeights, InfiniteOnes) {
  for (int64_t rows : {1, 3}) {
    GraphMaker g;
    Tensor w = Tensor::allocate(DType::float16, {2, 3}), x = Tensor::allocate(DType::float16, {rows, 2});
    for (int i = 0; i < 6; i++) w.data<Float16>()[i] = Float16(static_cast<float>(i));
    w.data<Float16>()[1] = Float16(std::numeric_limits<float>::infinity());
    w.data<Float16>()[5] = Float16(std::numeric_limits<float>::quiet_NaN());
    for (int64_t i = 0; i < x.count(); i++) x.data<Float16>()[i] = Float16(-2.0f);
    g.input("x", DType::float16, {rows, 2}).constant("w", w).node("MatMul", {"x", "w"}, {"y"}).output("y");
    auto session = Session::create(g.model(), {});
    const auto y = doubles(session->run(std::vector<Value>{x}, std::vector<int>{0})[0].tensor());
    for (size_t i = 0; i < y.size(); i += 3) {
      EXPECT_EQ(y[i], -6);
      EXPECT_EQ(y[i + 1], -std::numeric_limits<double>::infinity());
      EXPECT_TRUE(std::isnan(y[i + 2]));
    }
  }
}

TEST(HalfWeights, AFactorIsMultipliedInTheRun) {
  for (const DType type : {DType::float16, DType::float32}) {
    const auto as = [&](const Tensor& t) { return type == DType::float16 ? t : to_float32(t); };
    for (int64_t rows : {1, 5}) {
      GraphMaker g;
      const Case c{"MatMul", {}, {rows, 24}, {24, 40}};
      g.input("x", type, {rows, 24}).constant("w", as(random_tensor(c.w, 2, DType::float16)));
      g.node("FusedMatMul", {"x", "w"}, {"y"}, attribute("alpha", -0.3f)).output("y");
      g.graph()->nodes[0].domain = "com.microsoft";
      g.graph()->nodes[0].opset = 1;
      auto session = Session::create(g.model(), {});
      const Tensor x = as(random_tensor(c.x, 1, DType::float16));
      expect_rounded(session->run(std::vector<Value>{x}, std::vector<int>{0})[0].tensor(),
                     expected(c, static_cast<double>(-0.3f), 0, false, false));
      EXPECT_EQ(session->memory().weights, 0u);
    }
  }
}

// A scale of each column, which is multiplied into weights of float32 where they lie.
TEST(HalfWeights, BeforeABatchNormalization) {
  for (const DType type : {DType::float16, DType::float32}) {
    const auto as = [&](const Tensor& t) { return type == DType::float16 ? t : to_float32(t); };
    for (bool turned : {false, true}) {
      for (int64_t n : {16, 21}) {
        GraphMaker g;
        const Case c{"Gemm", gemm(1, 1, false, turned), {5, 24}, turned ? Shape{n, 24} : Shape{24, n}};
        const Tensor scale = random_tensor({n}, 4, DType::float16), shift = random_tensor({n}, 5, DType::float16);
        Tensor mean = Tensor::allocate(DType::float16, {n}), variance = Tensor::allocate(DType::float16, {n});
        for (int64_t i = 0; i < n; i++)
          mean.data<Float16>()[i] = Float16(0.5f), variance.data<Float16>()[i] = Float16(4.0f);
        g.input("x", type, {5, 24}).constant("w", as(random_tensor(c.w, 2, DType::float16)));
        g.constant("s", as(scale)).constant("b", as(shift)).constant("m", as(mean)).constant("v", as(variance));
        g.node("Gemm", {"x", "w"}, {"p"}, c.attributes);
        g.node("BatchNormalization", {"p", "s", "b", "m", "v"}, {"y"}, attribute("epsilon", 0.0f)).output("y");
        auto session = Session::create(g.model(), {});
        const Tensor x = as(random_tensor(c.x, 1, DType::float16));
        const auto y = doubles(session->run(std::vector<Value>{x}, std::vector<int>{0})[0].tensor());
        const std::vector<double> product = expected(c, 1, 1, false, turned), s = doubles(scale), b = doubles(shift);
        for (size_t i = 0; i < y.size(); i++) {
          const size_t j = i % static_cast<size_t>(n);
          // A product of float16 may be rounded before the scale.
          EXPECT_NEAR(y[i], (product[i] - 0.5) / 2 * s[j] + b[j], type == DType::float16 ? 4e-3 : 1e-5);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sardonyx
