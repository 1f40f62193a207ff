// Elementwise operators: broadcasting against plain index arithmetic, integer corners, old opsets, messages, aliasing.
#include <cmath>
#include <limits>

#include "tests/cpp/error_of.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor run1(std::string type, int opset, Attributes a, std::vector<Value> inputs) {
  return run_op(std::move(type), opset, std::move(a), std::move(inputs))[0].tensor();
}

std::string message_of(std::string type, int opset, Attributes a, std::vector<Value> inputs) {
  return testing::reason_of([&] { run_op(std::move(type), opset, std::move(a), std::move(inputs)); });
}

// The index in a tensor of `shape` that output index `flat` of shape `out` reads.
int64_t source(int64_t flat, const Shape& out, const Shape& shape) {
  int64_t at = 0, step = 1;
  for (int i = out.rank() - 1; i >= 0; i--) {
    const int64_t index = flat % out[i];
    flat /= out[i];
    const int own = i - (out.rank() - shape.rank());
    if (own < 0) continue;
    if (shape[own] != 1) at += index * step;
    step *= shape[own];
  }
  return at;
}

void check_broadcast(const Shape& sa, const Shape& sb) {
  const Shape out = broadcast(sa, sb);
  for (DType type : {DType::float32, DType::float64, DType::float16}) {
    const Tensor a = random_tensor(sa, 1, type), b = random_tensor(sb, 2, type);
    const std::vector<double> va = doubles(a), vb = doubles(b);
    std::vector<double> sum, less;
    for (int64_t i = 0; i < out.count(); i++) {
      const double x = va[static_cast<size_t>(source(i, out, sa))], y = vb[static_cast<size_t>(source(i, out, sb))];
      sum.push_back(x + y);
      less.push_back(x < y);
    }
    const Tensor y = run1("Add", 14, {}, {a, b});
    EXPECT_TRUE(y.shape() == out) << y.describe();
    expect_near(y, sum, cat(sa, " + ", sb));
    const Tensor below = run1("Less", 13, {}, {a, b});
    for (int64_t i = 0; i < out.count(); i++) {
      ASSERT_EQ(below.data<uint8_t>()[i], less[static_cast<size_t>(i)]) << cat(sa, " < ", sb, " at ", i);
    }
  }
}

TEST(Broadcast, AgreesWithIndexArithmetic) {
  const Shape shapes[][2] = {
      {{}, {}},
      {{1}, {}},
      {{5}, {}},
      {{3, 1}, {1, 4}},
      {{2, 3, 4}, {4}},
      {{2, 3, 4}, {3, 1}},
      {{2, 1, 4}, {3, 1}},
      {{2, 3, 4, 5}, {1, 3, 1, 1}},
      {{1, 3, 1, 5}, {2, 1, 4, 1}},
      {{2, 3, 1, 5, 2}, {1, 3, 4, 1, 2}},
      {{0, 3}, {1}},
      {{2, 0}, {2, 1}},
      {{1, 0}, {4, 1}},
      {{70, 301}, {301}},
      {{3, 40000}, {3, 1}},
      {{2, 3, 20000}, {3, 1}},
      {{40001}, {1}},
      {{1, 1, 40001}, {1, 2, 1}},
      {{5000, 3}, {5000, 1}},
  };
  for (const auto& [a, b] : shapes) {
    check_broadcast(a, b);
    check_broadcast(b, a);
  }
}

TEST(Broadcast, WhereTakesThreeShapes) {
  const Shape sc{2, 1, 4}, sx{3, 1}, sy{2, 1, 1}, out{2, 3, 4};
  Tensor c = Tensor::allocate(DType::boolean, sc);
  for (int64_t i = 0; i < c.count(); i++) c.data<uint8_t>()[i] = i % 3 == 0 ? 2 : 0;  // any byte but 0 is true
  Tensor x = Tensor::allocate(DType::string, sx), y = Tensor::allocate(DType::string, sy);
  for (int64_t i = 0; i < 3; i++) x.data<std::string>()[i] = cat("x", i);
  for (int64_t i = 0; i < 2; i++) y.data<std::string>()[i] = cat("y", i);
  const Tensor got = run1("Where", 16, {}, {c, x, y});
  ASSERT_TRUE(got.shape() == out);
  for (int64_t i = 0; i < out.count(); i++) {
    const std::string wanted = c.data<uint8_t>()[source(i, out, sc)] ? x.data<std::string>()[source(i, out, sx)]
                                                                     : y.data<std::string>()[source(i, out, sy)];
    EXPECT_EQ(got.data<std::string>()[i], wanted) << i;
  }
}

TEST(Broadcast, FirstOpsetsPlaceBByAxis) {
  const Tensor a = random_tensor({2, 3, 4}, 3), b = random_tensor({3}, 4);
  Attributes at_1;
  at_1.add("broadcast", int64_t{1});
  at_1.add("axis", int64_t{1});
  std::vector<double> wanted;
  for (int64_t i = 0; i < 24; i++) wanted.push_back(double{a.data<float>()[i]} * b.data<float>()[i / 4 % 3]);
  expect_near(run1("Mul", 6, at_1, {a, b}), wanted);

  Attributes suffix;
  suffix.add("broadcast", int64_t{1});
  suffix.add("consumed_inputs", std::vector<int64_t>{0, 0});
  const Tensor last = random_tensor({3, 4}, 5);
  wanted.clear();
  for (int64_t i = 0; i < 24; i++) wanted.push_back(double{a.data<float>()[i]} - last.data<float>()[i % 12]);
  expect_near(run1("Sub", 1, suffix, {a, last}), wanted);

  EXPECT_EQ(message_of("Add", 6, {}, {a, b}), "shapes 2x3x4 and 3 differ and attribute \"broadcast\" is not set");
  EXPECT_EQ(message_of("Add", 7, {}, {a, b}), "shapes 2x3x4 and 3 cannot be broadcast");
  Attributes stale;
  stale.add("broadcast", int64_t{1});
  EXPECT_EQ(message_of("Add", 7, stale, {a, a}), "attribute \"broadcast\" is not one of Add-7");
}

template <class T>
std::vector<T> values(const Tensor& t) {
  return {t.data<T>(), t.data<T>() + t.count()};
}

TEST(Binary, IntegersWrapAndNeverTrap) {
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min(), kHigh = std::numeric_limits<int32_t>::max();
  const Tensor a = tensor<int32_t>({5}, {7, -7, kLow, kHigh, 5}), b = tensor<int32_t>({5}, {-2, 2, -1, 1, 0});
  EXPECT_EQ(values<int32_t>(run1("Div", 14, {}, {a, b})), (std::vector<int32_t>{-3, -3, kLow, kHigh, 0}));
  EXPECT_EQ(values<int32_t>(run1("Add", 14, {}, {a, b})), (std::vector<int32_t>{5, -5, kHigh, kLow, 5}));
  EXPECT_EQ(values<int32_t>(run1("Mod", 13, {}, {a, b})), (std::vector<int32_t>{-1, 1, 0, 0, 0}));
  Attributes fmod;
  fmod.add("fmod", int64_t{1});
  EXPECT_EQ(values<int32_t>(run1("Mod", 13, fmod, {a, b})), (std::vector<int32_t>{1, -1, 0, 0, 0}));
  const Tensor u = tensor<uint16_t>({2}, {65535, 300});
  EXPECT_EQ(values<uint16_t>(run1("Mul", 14, {}, {u, u})), (std::vector<uint16_t>{1, 24464}));
  const Tensor s = tensor<int8_t>({3}, {-128, 127, -1});
  EXPECT_EQ(values<int8_t>(run1("Sub", 14, {}, {s, tensor<int8_t>({}, {1})})), (std::vector<int8_t>{127, 126, -2}));
  EXPECT_EQ(values<int8_t>(run1("Div", 14, {}, {s, tensor<int8_t>({}, {-1})})), (std::vector<int8_t>{-128, -127, 1}));
  const Tensor wide = tensor<uint64_t>({1}, {uint64_t{1} << 63});
  EXPECT_EQ(values<uint64_t>(run1("Div", 14, {}, {wide, tensor<uint64_t>({1}, {3})}))[0], (uint64_t{1} << 63) / 3);
}

TEST(Binary, ModOfFloats) {
  const Tensor a = tensor<float>({6}, {5.5f, -5.5f, 0.0f, 3.0f, kInf, 2.0f});
  const Tensor b = tensor<float>({6}, {2.0f, 2.0f, -3.0f, -kInf, 2.0f, 0.0f});
  EXPECT_NE(message_of("Mod", 13, {}, {a, b}), "");
  const auto floor = values<float>(run1("Mod", 28, {}, {a, b}));
  EXPECT_EQ(floor[0], 1.5f);
  EXPECT_EQ(floor[1], 0.5f);
  EXPECT_TRUE(floor[2] == 0 && std::signbit(floor[2]));
  EXPECT_EQ(floor[3], -kInf);
  EXPECT_TRUE(std::isnan(floor[4]) && std::isnan(floor[5]));
  Attributes fmod;
  fmod.add("fmod", int64_t{1});
  const auto truncated = values<float>(run1("Mod", 13, fmod, {a, b}));
  EXPECT_EQ(truncated[1], -1.5f);
  EXPECT_EQ(truncated[3], 3.0f);
}

TEST(Binary, ShiftsBeyondTheWidth) {
  Attributes left, right;
  left.add("direction", std::string("LEFT"));
  right.add("direction", std::string("RIGHT"));
  const Tensor x = tensor<uint8_t>({3}, {255, 255, 129}), by = tensor<uint8_t>({3}, {8, 200, 1});
  EXPECT_EQ(values<uint8_t>(run1("BitShift", 11, left, {x, by})), (std::vector<uint8_t>{0, 0, 2}));
  EXPECT_EQ(values<uint8_t>(run1("BitShift", 11, right, {x, by})), (std::vector<uint8_t>{0, 0, 64}));
  const Tensor s = tensor<int32_t>({3}, {-8, -8, 8}), n = tensor<int32_t>({3}, {1, -1, 32});
  EXPECT_EQ(values<int32_t>(run1("BitShift", 28, right, {s, n})), (std::vector<int32_t>{-4, -1, 0}));
  EXPECT_EQ(values<int32_t>(run1("BitShift", 28, left, {s, n})), (std::vector<int32_t>{-16, 0, 0}));
  EXPECT_EQ(message_of("BitShift", 11, {}, {x, by}), "attribute \"direction\" is missing");
}

TEST(Binary, PowOfMixedTypes) {
  const Tensor i = tensor<int32_t>({4}, {2, -3, 0, 10});
  EXPECT_EQ(values<int32_t>(run1("Pow", 15, {}, {i, tensor<int64_t>({4}, {10, 3, 0, -1})})),
            (std::vector<int32_t>{1024, -27, 1, 0}));
  EXPECT_EQ(values<int32_t>(run1("Pow", 15, {}, {i, tensor<float>({}, {2.0f})})), (std::vector<int32_t>{4, 9, 0, 100}));
  const Tensor f = tensor<float>({3}, {2, 9, -2});
  EXPECT_EQ(values<float>(run1("Pow", 13, {}, {f, tensor<int8_t>({3}, {3, 2, 3})})), (std::vector<float>{8, 81, -8}));
  const Tensor d = tensor<double>({2}, {2, 3});
  EXPECT_EQ(values<double>(run1("Pow", 13, {}, {d, tensor<float>({}, {2.0f})})), (std::vector<double>{4, 9}));
  Tensor h = Tensor::allocate(DType::float16, {2});
  h.data<Float16>()[0] = Float16(3.0f);
  h.data<Float16>()[1] = Float16(0.5f);
  expect_near(run1("Pow", 15, {}, {h, tensor<int32_t>({}, {2})}), {9, 0.25});
}

TEST(Unary, IntegersAndTests) {
  EXPECT_EQ(values<int8_t>(run1("Abs", 13, {}, {tensor<int8_t>({3}, {-128, -5, 5})})),
            (std::vector<int8_t>{-128, 5, 5}));
  EXPECT_EQ(values<int64_t>(run1("Neg", 13, {}, {tensor<int64_t>({2}, {std::numeric_limits<int64_t>::min(), 4})})),
            (std::vector<int64_t>{std::numeric_limits<int64_t>::min(), -4}));
  EXPECT_EQ(values<uint16_t>(run1("Sign", 13, {}, {tensor<uint16_t>({2}, {0, 9})})), (std::vector<uint16_t>{0, 1}));
  EXPECT_EQ(values<int32_t>(run1("Relu", 14, {}, {tensor<int32_t>({2}, {-3, 3})})), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(values<uint8_t>(run1("BitwiseNot", 18, {}, {tensor<uint8_t>({2}, {0, 0xf0})})),
            (std::vector<uint8_t>{255, 15}));
  const float nan = std::nanf("");
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    Attributes to;
    to.add("to", static_cast<int64_t>(type));
    const Tensor x = run1("Cast", 13, to, {tensor<float>({4}, {kInf, -kInf, nan, 1.0f})});
    EXPECT_EQ(values<uint8_t>(run1("IsNaN", 13, {}, {x})), (std::vector<uint8_t>{0, 0, 1, 0}));
    Attributes only_negative;
    only_negative.add("detect_positive", int64_t{0});
    EXPECT_EQ(values<uint8_t>(run1("IsInf", 20, only_negative, {x})), (std::vector<uint8_t>{0, 1, 0, 0}));
  }
  // A double beyond the range of float32 is no infinity.
  EXPECT_EQ(values<uint8_t>(run1("IsInf", 10, {}, {tensor<double>({1}, {1e300})})), (std::vector<uint8_t>{0}));
  Tensor b = Tensor::allocate(DType::boolean, {3});
  for (int i = 0; i < 3; i++) b.data<uint8_t>()[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(values<uint8_t>(run1("Not", 1, {}, {b})), (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(message_of("Sqrt", 13, {}, {tensor<int32_t>({1}, {4})}),
            "input 0 is int32; allowed are float32, float16, float64 or bfloat16");
}

// Every function of one element in all four float types, against double.
TEST(Unary, FunctionsInAllFloatTypes) {
  struct Case {
    const char* type;
    double (*f)(double);
  };
  const Case cases[] = {
      {"Exp", std::exp},
      {"Tanh", std::tanh},
      {"Erf", std::erf},
      {"Sin", std::sin},
      {"Atan", std::atan},
      {"Sinh", std::sinh},
      {"Round", [](double x) { return std::nearbyint(x); }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Softplus", [](double x) { return std::log1p(std::exp(x)); }},
      {"Softsign", [](double x) { return x / (1 + std::fabs(x)); }},
      {"HardSwish", [](double x) { return x * std::fmin(1, std::fmax(0, x / 6 + 0.5)); }},
      {"Mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"Gelu", [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }},
      {"Swish", [](double x) { return x / (1 + std::exp(-x)); }},
      {"Elu", [](double x) { return x < 0 ? std::expm1(x) : x; }},
      {"Celu", [](double x) { return x < 0 ? std::expm1(x) : x; }},
      {"Selu",
       [](double x) { return 1.05070102214813232421875 * (x < 0 ? 1.67326319217681884765625 * std::expm1(x) : x); }},
      {"LeakyRelu", [](double x) { return x < 0 ? 0.01 * x : x; }},
      {"ThresholdedRelu", [](double x) { return x > 1 ? x : 0; }},
      {"HardSigmoid", [](double x) { return std::fmin(1, std::fmax(0, 0.2 * x + 0.5)); }},
  };
  for (const Case& c : cases) {
    for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
      for (int64_t n : {0, 1, 7, 1025, 20000}) {
        const Tensor x = random_tensor({n}, 11, type);
        std::vector<double> wanted;
        for (double v : doubles(x)) wanted.push_back(c.f(v));
        // float attributes (0.01f, 0.2f) are not exact in double.
        const Tensor y = run1(c.type, 24, {}, {x});
        if (type != DType::float64) {
          expect_near(y, wanted, c.type);
        } else {
          const std::vector<double> got = doubles(y);
          for (size_t i = 0; i < got.size(); i++) ASSERT_NEAR(got[i], wanted[i], 1e-8) << c.type;
        }
      }
    }
  }
}

TEST(Activation, FirstOpsets) {
  Attributes a;
  a.add("consumed_inputs", std::vector<int64_t>{0});
  a.add("alpha", 0.5f);
  EXPECT_EQ(values<float>(run1("LeakyRelu", 1, a, {tensor<float>({2}, {-2, 2})})), (std::vector<float>{-1, 2}));
  EXPECT_EQ(message_of("LeakyRelu", 6, a, {tensor<float>({1}, {1})}),
            "attribute \"consumed_inputs\" is not one of LeakyRelu-6");
  expect_near(run1("Selu", 1, {}, {tensor<float>({2}, {1, -1})}), {1.0507, 1.0507 * 1.6732 * std::expm1(-1.0)});
  // PRelu's slope is per channel, whatever comes after that axis.
  const Tensor x = tensor<float>({1, 2, 2}, {-1, -2, -3, 4}), slope = tensor<float>({2}, {2, 3});
  EXPECT_EQ(values<float>(run1("PRelu", 6, {}, {x, slope})), (std::vector<float>{-2, -4, -9, 4}));
  EXPECT_EQ(values<float>(run1("PRelu", 7, {}, {x, slope})), (std::vector<float>{-2, -6, -6, 4}));
  EXPECT_EQ(message_of("PRelu", 7, {}, {slope, x}), "slope of shape 1x2x2 cannot be broadcast to 2");
}

TEST(Clip, LimitsOfEveryForm) {
  const Tensor x = tensor<float>({5}, {-kInf, -2, 0.5f, 2, std::nanf("")});
  Attributes old;
  old.add("min", -1.0f);
  auto y = values<float>(run1("Clip", 6, old, {x}));
  EXPECT_EQ((std::vector<float>{y.begin(), y.begin() + 4}), (std::vector<float>{-1, -1, 0.5f, 2}));
  EXPECT_TRUE(std::isnan(y[4]));
  y = values<float>(run1("Clip", 11, {}, {x, Value(), tensor<float>({}, {1})}));
  EXPECT_EQ((std::vector<float>{y.begin(), y.begin() + 4}), (std::vector<float>{-kInf, -2, 0.5f, 1}));
  EXPECT_EQ(
      values<int64_t>(
          run1("Clip", 12, {}, {tensor<int64_t>({3}, {-9, 0, 9}), tensor<int64_t>({}, {3}), tensor<int64_t>({}, {1})})),
      (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(message_of("Clip", 13, {}, {x, tensor<float>({2}, {0, 1})}), "min must be a scalar, not of shape 2");
}

TEST(Variadic, FoldsAndPropagatesNaN) {
  const float nan = std::nanf("");
  const Tensor a = tensor<float>({2, 1}, {1, nan}), b = tensor<float>({3}, {0, 2, -1}), c = tensor<float>({}, {0.5f});
  const auto max = values<float>(run1("Max", 13, {}, {a, b, c}));
  EXPECT_EQ((std::vector<float>{max.begin(), max.begin() + 3}), (std::vector<float>{1, 2, 1}));
  EXPECT_TRUE(std::isnan(max[3]) && std::isnan(max[5]));
  EXPECT_EQ(
      values<uint64_t>(run1("Min", 13, {}, {tensor<uint64_t>({2}, {5, ~uint64_t{0}}), tensor<uint64_t>({}, {7})})),
      (std::vector<uint64_t>{5, 7}));
  EXPECT_EQ(values<double>(
                run1("Mean", 13, {}, {tensor<double>({2}, {1, 2}), tensor<double>({}, {4}), tensor<double>({}, {1})})),
            (std::vector<double>{2, 7.0 / 3}));
  Tensor big = Tensor::allocate(DType::float16, {1});
  big.data<Float16>()[0] = Float16(40000.0f);
  expect_near(run1("Mean", 13, {}, {big, big, big}), {40000});  // the sum does not fit float16
  EXPECT_EQ(values<float>(run1("Sum", 8, {}, {b})), values<float>(b));
  EXPECT_EQ(message_of("Sum", 6, {}, {a, b}), "shapes 2x1 and 3 differ");
  EXPECT_EQ(message_of("Max", 13, {}, {}), "takes at least 1 input, not 0");
}

TEST(Compare, BooleansAndStrings) {
  Tensor a = Tensor::allocate(DType::boolean, {3}), b = Tensor::allocate(DType::boolean, {});
  for (int i = 0; i < 3; i++) a.data<uint8_t>()[i] = static_cast<uint8_t>(i);
  b.data<uint8_t>()[0] = 1;
  EXPECT_EQ(values<uint8_t>(run1("Equal", 7, {}, {a, b})), (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(values<uint8_t>(run1("And", 7, {}, {a, b})), (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(values<uint8_t>(run1("Xor", 7, {}, {a, b})), (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(
      values<uint8_t>(run1("GreaterOrEqual", 16, {}, {tensor<uint8_t>({2}, {200, 1}), tensor<uint8_t>({}, {100})})),
      (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(message_of("Less", 13, {}, {a, b}).substr(0, 24), "input 0 is bool; allowed");
  EXPECT_EQ(message_of("Equal", 13, {}, {a, tensor<float>({}, {1})}),
            "inputs 0 and 1 must have the same type, not bool and float32");
}

class Services final : public RunServices {
 public:
  ThreadPool& pool() override { return *pool_; }
  std::byte* scratch(uint64_t) override { fail(ErrorCode::runtime_error, "no scratch here"); }
  void check_abort() override {}

 private:
  std::unique_ptr<ThreadPool> pool_ = ThreadPool::create(1);
};

// Runs an operator with output 0 in the memory of input `alias`.
Tensor run_in_place(const std::string& type, int opset, std::vector<Value> inputs, size_t alias) {
  Graph graph;
  Node node;
  node.op_type = type;
  node.opset = opset;
  for (size_t i = 0; i < inputs.size(); i++) node.inputs.push_back(graph.add_value(cat("in", i)));
  node.outputs.push_back(graph.add_value("out"));
  bind_operator(node, graph);
  EXPECT_TRUE(node.op->in_place() >> alias & 1) << type;
  std::vector<const Value*> given;
  for (const Value& v : inputs) given.push_back(&v);
  Value out = inputs[alias].tensor();
  Value* const outputs[] = {&out};
  Services services;
  RunContext run(services, given, outputs);
  node.op->run(run);
  return out.tensor();
}

TEST(InPlace, GivesWhatFreshMemoryGives) {
  for (DType type : {DType::float32, DType::bfloat16}) {
    for (size_t alias : {0, 1}) {
      for (const char* op : {"Add", "Sub", "Div", "Max", "Sum"}) {
        const Tensor a = random_tensor({3, 700}, 1, type), b = random_tensor({3, 700}, 2, type);
        const std::vector<double> wanted = doubles(run1(op, 14, {}, {a, b}));
        EXPECT_EQ(doubles(run_in_place(op, 14, {a.clone(), b.clone()}, alias)), wanted) << op;
      }
    }
    const Tensor x = random_tensor({5000}, 3, type);
    for (const char* op : {"Tanh", "Relu", "Gelu", "Clip", "Softmax"}) {
      EXPECT_EQ(doubles(run_in_place(op, 20, {x.clone()}, 0)), doubles(run1(op, 20, {}, {x}))) << op;
    }
  }
  const Tensor x = random_tensor({9}, 1), y = random_tensor({9}, 2);
  const std::vector<double> wanted = doubles(run1("Sum", 13, {}, {x, y, x}));
  const Tensor shared = x.clone();
  EXPECT_EQ(doubles(run_in_place("Sum", 13, {shared, y, shared}, 0)), wanted);
}

}  // namespace
}  // namespace sardonyx::testing
