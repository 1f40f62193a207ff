// What products take over (residuals, activations, factors, transpositions) against the same nodes run one by one.
#include <gtest/gtest.h>

#include <functional>

#include "ops/fusible.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::expect_near;
using testing::random_tensor;
using testing::run_op;

using Fuse = std::function<void(Fusible&)>;

// The node with what `fuse` fuses; the weights (input 1) are packed before if `constant`.
Tensor run_fused(const std::string& type, const Attributes& attributes, const std::vector<Tensor>& inputs,
                 const Fuse& fuse, bool constant) {
  Graph graph;
  Node node;
  node.op_type = type;
  node.opset = 13;
  node.attributes = attributes;
  std::vector<Value> values;
  std::vector<const Value*> given;
  for (const Tensor& t : inputs) values.push_back(t.defined() ? Value(t) : Value());
  for (const Value& v : values) {
    node.inputs.push_back(v.is_none() ? kNoValue : graph.add_value());
    given.push_back(v.is_none() ? nullptr : &v);
  }
  node.outputs = {graph.add_value("y")};
  bind_operator(node, graph);
  fuse(*node.op->fusible());
  std::vector<const Tensor*> constants(inputs.size(), nullptr);
  if (constant) constants[1] = &inputs[1];
  PrepareContext prepare(constants);
  node.op->prepare(prepare);
  const char wanted[] = {1};
  return evaluate(*node.op, given, wanted)[0].tensor();
}

Tensor one(const std::string& type, std::vector<Value> inputs, Attributes attributes = {}, int opset = 13) {
  return run_op(type, opset, std::move(attributes), std::move(inputs))[0].tensor();
}

struct Product {
  const char* type;
  Attributes attributes;
  Shape a, b, y;
  size_t inputs;  // of its own
};

std::vector<Product> products() {
  Attributes two_groups, strided, transposed, same;
  two_groups.add("group", int64_t{2});
  strided.add("strides", std::vector<int64_t>{2, 2});
  transposed.add("transB", int64_t{1});
  same.add("pads", std::vector<int64_t>{1, 1, 1, 1});
  Attributes depthwise = same;
  depthwise.add("group", int64_t{16});
  return {
      {"Conv", {}, {2, 5, 6, 7}, {9, 5, 1, 1}, {2, 9, 6, 7}, 3},
      {"Conv", same, {2, 16, 9, 9}, {11, 16, 3, 3}, {2, 11, 9, 9}, 3},
      {"Conv", two_groups, {1, 4, 8, 9}, {6, 2, 2, 3}, {1, 6, 7, 7}, 3},
      {"Conv", strided, {1, 3, 19, 23}, {8, 3, 7, 7}, {1, 8, 7, 9}, 3},
      {"Conv", depthwise, {1, 16, 9, 9}, {16, 1, 3, 3}, {1, 16, 9, 9}, 3},
      {"Conv", {}, {1, 2, 3, 4, 3, 2}, {3, 2, 2, 2, 1, 1}, {1, 3, 2, 3, 3, 2}, 3},
      {"MatMul", {}, {2, 3, 5, 40}, {40, 9}, {2, 3, 5, 9}, 2},
      {"MatMul", {}, {2, 1, 5, 7}, {3, 7, 9}, {2, 3, 5, 9}, 2},
      {"MatMul", {}, {40}, {40, 21}, {21}, 2},
      {"MatMul", {}, {6, 40}, {40}, {6}, 2},
      {"Gemm", transposed, {1, 30}, {37, 30}, {1, 37}, 3},
      {"Gemm", {}, {13, 30}, {30, 37}, {13, 37}, 3},
  };
}

void test_residuals(const Product& p, DType type, bool constant, const std::vector<Shape>& shapes) {
  std::vector<Tensor> inputs = {random_tensor(p.a, 1, type), random_tensor(p.b, 2, type)};
  Tensor expected = one(p.type, {inputs[0], inputs[1]}, p.attributes);
  ASSERT_EQ(expected.shape(), p.y);
  inputs.resize(p.inputs);
  for (size_t i = 0; i < shapes.size(); i++) {
    inputs.push_back(random_tensor(shapes[i], static_cast<uint32_t>(3 + i), type));
    expected = one("Add", {expected, inputs.back()});
  }
  expected = one("Relu", {expected});
  const auto fuse = [&](Fusible& f) {
    for (size_t i = 0; i < shapes.size(); i++) EXPECT_EQ(f.fuse_residual(), static_cast<int>(p.inputs + i));
    EXPECT_TRUE(f.fuse_clamp(0, std::numeric_limits<float>::infinity()));
    EXPECT_EQ(f.fuse_residual(), -1);
  };
  const Tensor y = run_fused(p.type, p.attributes, inputs, fuse, constant);
  EXPECT_EQ(y.shape(), expected.shape());
  expect_near(y, doubles(expected), cat(p.type, " ", p.a, " residual ", shapes[0]));
}

TEST(Fused, Residuals) {
  for (const Product& p : products()) {
    const Shape row{p.y.back()}, wider = broadcast(p.y, Shape{3, 1, 1, 1, 1, 1, 1});
    for (bool constant : {false, true}) {
      test_residuals(p, DType::float32, constant, {p.y});
      test_residuals(p, DType::float32, constant, {row});
      test_residuals(p, DType::float32, constant, {row, p.y});
      test_residuals(p, DType::float32, constant, {p.y, p.y});
      test_residuals(p, DType::float32, constant, {Shape{}, p.y});
      test_residuals(p, DType::float32, constant, {wider});
      test_residuals(p, DType::float64, constant, {p.y, row});
    }
  }
}

TEST(Fused, ResidualsOfGemmWithC) {
  for (const Shape& c : {Shape{9}, Shape{5, 1}, Shape{5, 9}, Shape{}}) {
    std::vector<Tensor> inputs = {random_tensor({5, 7}, 1), random_tensor({7, 9}, 2), random_tensor(c, 3),
                                  random_tensor({5, 9}, 4)};
    const Tensor product = one("Gemm", {inputs[0], inputs[1], inputs[2]});
    const Tensor expected = one("Sigmoid", {one("Add", {product, inputs[3]})});
    for (bool constant : {false, true}) {
      const Tensor y = run_fused(
          "Gemm", {}, inputs,
          [](Fusible& f) {
            EXPECT_EQ(f.fuse_residual(), 3);
            EXPECT_TRUE(f.fuse_activation(Activation::sigmoid, 0, 0));
          },
          constant);
      expect_near(y, doubles(expected), cat("C ", c));
    }
  }
}

TEST(Fused, ResidualsOfIntegersWrap) {
  const Tensor a = testing::tensor<int32_t>({1, 1}, {INT32_MAX}), b = testing::tensor<int32_t>({1, 2}, {1, -1});
  const Tensor y =
      run_fused("MatMul", {}, {a, b, testing::tensor<int32_t>({1}, {1})}, [](Fusible& f) { f.fuse_residual(); }, false);
  EXPECT_EQ(doubles(y), (std::vector<double>{INT32_MIN, -INT32_MAX + 1.0}));
}

TEST(Fused, ResidualsMustFit) {
  const std::vector<Tensor> inputs = {random_tensor({2, 3}, 1), random_tensor({3, 4}, 2), random_tensor({3}, 3)};
  const auto fuse = [](Fusible& f) { f.fuse_residual(); };
  EXPECT_THROW(run_fused("MatMul", {}, inputs, fuse, false), Error);
  EXPECT_THROW(run_fused("MatMul", {}, {inputs[0], inputs[1], random_tensor({4}, 3, DType::float64)}, fuse, false),
               Error);
  EXPECT_THROW(run_fused("MatMul", {}, {inputs[0], inputs[1]}, fuse, false), Error);
}

struct Step {
  Activation kind;
  const char* type;
  int opset;
  float alpha, beta;
  bool takes_alpha = false, takes_beta = false, tanh = false;
};

TEST(Fused, Activations) {
  const Step steps[] = {
      {Activation::leaky_relu, "LeakyRelu", 13, 0.3f, 0, true},
      {Activation::sigmoid, "Sigmoid", 13, 0, 0},
      {Activation::hard_sigmoid, "HardSigmoid", 13, 0.4f, 0.3f, true, true},
      {Activation::hard_swish, "HardSwish", 14, 0, 0},
      {Activation::silu, "Swish", 24, 0, 0},
      {Activation::tanh, "Tanh", 13, 0, 0},
      {Activation::gelu, "Gelu", 20, 0, 0},
      {Activation::gelu_tanh, "Gelu", 20, 0, 0, false, false, true},
      {Activation::mish, "Mish", 18, 0, 0},
      {Activation::softplus, "Softplus", 13, 0, 0},
      {Activation::elu, "Elu", 13, 0.7f, 0, true},
  };
  for (const Step& s : steps) {
    Attributes attributes;
    if (s.takes_alpha) attributes.add("alpha", s.alpha);
    if (s.takes_beta) attributes.add("beta", s.beta);
    if (s.tanh) attributes.add("approximate", std::string("tanh"));
    for (const Product& p : products()) {
      for (DType type : {DType::float32, DType::float64}) {
        const std::vector<Tensor> inputs = {random_tensor(p.a, 1, type), random_tensor(p.b, 2, type)};
        const Tensor expected = one(s.type, {one(p.type, {inputs[0], inputs[1]}, p.attributes)}, attributes, s.opset);
        const auto fuse = [&](Fusible& f) {
          EXPECT_TRUE(f.fuse_activation(s.kind, s.alpha, s.beta));
          EXPECT_FALSE(f.fuse_activation(s.kind, s.alpha, s.beta));
          EXPECT_FALSE(f.fuse_clamp(0, 1));
        };
        expect_near(run_fused(p.type, p.attributes, inputs, fuse, true), doubles(expected), cat(s.type, " ", p.type));
      }
    }
  }
}

TEST(Fused, HalfTypesRoundAfterwards) {
  for (DType type : {DType::float16, DType::bfloat16}) {
    const std::vector<Tensor> inputs = {random_tensor({3, 8}, 1, type), random_tensor({8, 5}, 2, type),
                                        random_tensor({3, 5}, 3, type)};
    const Tensor expected = one("Tanh", {one("Add", {one("MatMul", {inputs[0], inputs[1]}), inputs[2]})});
    const Tensor y = run_fused(
        "MatMul", {}, inputs,
        [](Fusible& f) { EXPECT_TRUE(f.fuse_residual() == 2 && f.fuse_activation(Activation::tanh, 0, 0)); }, false);
    expect_near(y, doubles(expected));
  }
}

TEST(Fused, FactorsAndTranspositions) {
  const std::vector<int64_t> heads = {0, 2, 1, 3}, keys = {0, 2, 3, 1};
  const Tensor q = random_tensor({2, 5, 3, 8}, 1), k = random_tensor({2, 6, 3, 8}, 2);
  Attributes by_heads, by_keys;
  by_heads.add("perm", heads);
  by_keys.add("perm", keys);
  const Tensor scores = one("MatMul", {one("Transpose", {q}, by_heads), one("Transpose", {k}, by_keys)});
  const Tensor expected = one("Mul", {scores, testing::tensor<float>({}, {0.25f})});
  for (bool constant : {false, true}) {
    const auto fuse = [&](Fusible& f) {
      EXPECT_TRUE(f.fuse_transpose(0, heads) && f.fuse_transpose(1, keys) && f.fuse_factor(0.25f));
      EXPECT_FALSE(f.fuse_transpose(0, heads));
    };
    const Tensor y = run_fused("MatMul", {}, {q, k}, fuse, constant);
    EXPECT_EQ(y.shape(), (Shape{2, 3, 5, 6}));
    expect_near(y, doubles(expected));
  }
  const std::vector<int64_t> swap = {1, 0}, rows = {1, 0, 2};
  Attributes by_rows;
  by_rows.add("perm", rows);
  const Tensor x = random_tensor({4, 3, 8}, 3), w = random_tensor({8, 7}, 4);
  const Tensor y = run_fused("MatMul", {}, {x, w}, [&](Fusible& f) { EXPECT_TRUE(f.fuse_transpose(0, rows)); }, true);
  expect_near(y, doubles(one("MatMul", {one("Transpose", {x}, by_rows), w})));
  EXPECT_THROW(run_fused("MatMul", {}, {x, w}, [&](Fusible& f) { f.fuse_transpose(0, swap); }, false), Error);
}

// Rows that still lie at one step are one matrix, few rows that do not are put in order, many stay batches.
TEST(Fused, TransposedRowsBeforeOneMatrix) {
  using List = std::vector<int64_t>;
  const std::pair<Shape, List> cases[] = {
      {{1, 50, 8}, {1, 0, 2}},      {{50, 1, 8}, {1, 0, 2}},      {{4, 3, 8}, {1, 0, 2}}, {{1, 3, 2, 8}, {0, 2, 1, 3}},
      {{2, 5, 3, 8}, {0, 2, 1, 3}}, {{2, 3, 5, 8}, {1, 0, 2, 3}}, {{2, 8, 5}, {0, 2, 1}}, {{2, 8, 40}, {0, 2, 1}},
      {{3, 40, 8}, {1, 0, 2}},      {{40, 3, 8}, {1, 0, 2}},      {{8, 6}, {1, 0}}};
  for (const auto& [shape, perm] : cases) {
    Attributes attributes;
    attributes.add("perm", perm);
    for (const Shape& other : {Shape{8, 7}, Shape{8}, Shape{1, 8, 7}}) {
      for (const DType type : {DType::float32, DType::float64, DType::int64}) {
        SCOPED_TRACE(std::to_string(shape.rank()) + " " + std::to_string(shape[0]) + " " + std::to_string(shape[1]));
        const Tensor x = random_tensor(shape, 3, type), w = random_tensor(other, 4, type);
        const Tensor expected = one("MatMul", {one("Transpose", {x}, attributes), w});
        for (bool constant : {false, true}) {
          const auto fuse = [&](Fusible& f) { EXPECT_TRUE(f.fuse_transpose(0, perm)); };
          const Tensor y = run_fused("MatMul", {}, {x, w}, fuse, constant);
          EXPECT_EQ(y.shape(), expected.shape());
          expect_near(y, doubles(expected));
        }
      }
    }
  }
}

TEST(Fused, FactorOfGemm) {
  const Tensor a = random_tensor({3, 4}, 1), b = random_tensor({4, 5}, 2), c = random_tensor({5}, 3);
  const Tensor expected = one("Mul", {one("Gemm", {a, b, c}), testing::tensor<float>({}, {-1.5f})});
  const Tensor y = run_fused("Gemm", {}, {a, b, c}, [](Fusible& f) { EXPECT_TRUE(f.fuse_factor(-1.5f)); }, true);
  expect_near(y, doubles(expected));
}

}  // namespace
}  // namespace sardonyx
