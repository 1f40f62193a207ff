// MatMul and Gemm against plain sums: shapes, broadcasting, types, fusion, errors.
#include <gtest/gtest.h>

#include "ops/fusible.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::expect_near;
using testing::random_tensor;
using testing::run_op;

// One m x k times k x n product.
std::vector<double> product(const double* a, const double* b, int64_t m, int64_t k, int64_t n) {
  std::vector<double> c(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      for (int64_t p = 0; p < k; p++) c[static_cast<size_t>(i * n + j)] += a[i * k + p] * b[p * n + j];
    }
  }
  return c;
}

struct Case {
  Shape a, b, y;
  std::vector<std::pair<int, int>> pairs;  // which matrix of a and of b each matrix of y takes
};

const Case kCases[] = {
    {{5, 7}, {7, 3}, {5, 3}, {{0, 0}}},
    {{130, 150}, {150, 170}, {130, 170}, {{0, 0}}},
    {{1, 200}, {200, 37}, {1, 37}, {{0, 0}}},
    {{4}, {4}, {}, {{0, 0}}},
    {{4}, {4, 3}, {3}, {{0, 0}}},
    {{2, 4}, {4}, {2}, {{0, 0}}},
    {{3, 2, 5}, {5, 4}, {3, 2, 4}, {{0, 0}, {1, 0}, {2, 0}}},
    {{2, 5}, {3, 5, 4}, {3, 2, 4}, {{0, 0}, {0, 1}, {0, 2}}},
    {{2, 1, 2, 3}, {2, 3, 2}, {2, 2, 2, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
    {{0, 3}, {3, 2}, {0, 2}, {}},
    {{2, 0}, {0, 2}, {2, 2}, {{0, 0}}},
    {{0, 2, 3}, {3, 2}, {0, 2, 2}, {}},
};

void test_matmul(const Case& c, DType type, bool constant) {
  const Tensor a = random_tensor(c.a, 1, type), b = random_tensor(c.b, 2, type);
  const std::vector<double> av = doubles(a), bv = doubles(b);
  const int64_t k = c.a.back();
  const int64_t m = c.a.rank() == 1 ? 1 : c.a[c.a.rank() - 2], n = c.b.rank() == 1 ? 1 : c.b.back();
  std::vector<double> wanted;
  for (const auto& [i, j] : c.pairs) {
    const std::vector<double> y = product(av.data() + i * m * k, bv.data() + j * k * n, m, k, n);
    wanted.insert(wanted.end(), y.begin(), y.end());
  }
  const Tensor y = run_op("MatMul", 13, {}, {a, b}, 1, constant ? 2 : 0)[0].tensor();
  EXPECT_EQ(y.shape(), c.y);
  expect_near(y, wanted, cat(c.a, " by ", c.b));
}

TEST(MatMul, ShapesAndTypes) {
  for (const Case& c : kCases) {
    for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
      test_matmul(c, type, false);
      test_matmul(c, type, true);
    }
  }
}

TEST(MatMul, IntegersWrap) {
  const Tensor a = testing::tensor<int32_t>({1, 2}, {2147483647, 2});
  const Tensor b = testing::tensor<int32_t>({2, 1}, {2, 1});
  EXPECT_EQ(doubles(run_op("MatMul", 9, {}, {a, b})[0].tensor()), (std::vector<double>{0}));
  const Tensor u = testing::tensor<uint64_t>({1, 1}, {uint64_t{1} << 40}), v = testing::tensor<uint64_t>({1, 1}, {8});
  EXPECT_EQ(run_op("MatMul", 9, {}, {u, v})[0].tensor().data<uint64_t>()[0], uint64_t{1} << 43);
}

TEST(MatMul, SaysWhatDoesNotFit) {
  try {
    run_op("MatMul", 13, {}, {random_tensor({2, 3}, 1), random_tensor({4, 5}, 2)});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.reason, "cannot multiply 2x3 by 4x5: 3 is not 4");
  }
}

// alpha * op(A) * op(B) + beta * C for A [m][k] and B [k][n] before their transposition.
void test_gemm(DType type, bool trans_a, bool trans_b, const Shape& c_shape, float alpha, float beta, bool constant) {
  constexpr int64_t m = 7, k = 13, n = 11;
  const Tensor a = random_tensor(trans_a ? Shape{k, m} : Shape{m, k}, 1, type);
  const Tensor b = random_tensor(trans_b ? Shape{n, k} : Shape{k, n}, 2, type);
  const Tensor c = random_tensor(c_shape, 3, type);
  const std::vector<double> av = doubles(a), bv = doubles(b), cv = doubles(c);
  const int64_t rows = c_shape.rank() == 2 ? c_shape[0] : 1, columns = c_shape.rank() ? c_shape.back() : 1;
  std::vector<double> wanted;
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t p = 0; p < k; p++) {
        sum += av[static_cast<size_t>(trans_a ? p * m + i : i * k + p)] *
               bv[static_cast<size_t>(trans_b ? j * k + p : p * n + j)];
      }
      const int64_t at = (rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j);
      wanted.push_back(alpha * sum + beta * cv[static_cast<size_t>(at)]);
    }
  }
  Attributes attributes;
  attributes.add("transA", int64_t{trans_a});
  attributes.add("transB", int64_t{trans_b});
  attributes.add("alpha", alpha);
  attributes.add("beta", beta);
  expect_near(run_op("Gemm", 13, attributes, {a, b, c}, 1, constant ? 2 : 0)[0].tensor(), wanted,
              cat("C ", c_shape, " ", dtype_name(type)));
}

TEST(Gemm, EveryFormOfCAndTransposition) {
  for (DType type : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    for (const Shape& c : {Shape{}, Shape{1}, Shape{11}, Shape{1, 11}, Shape{7, 1}, Shape{7, 11}, Shape{1, 1}}) {
      test_gemm(type, false, false, c, 1, 1, true);
      test_gemm(type, true, false, c, 0.5f, 1, false);
      test_gemm(type, false, true, c, 1, 0.25f, true);
      test_gemm(type, true, true, c, 2, 0, false);
    }
  }
}

TEST(Gemm, OldVersionsBroadcastWithoutAsking) {
  Attributes a;
  a.add("broadcast", int64_t{1});
  const Tensor x = testing::tensor<float>({1, 2}, {1, 2}), w = testing::tensor<float>({2, 2}, {1, 2, 3, 4});
  expect_near(run_op("Gemm", 6, a, {x, w, testing::tensor<float>({2}, {10, 20})})[0].tensor(), {17, 30});
}

// The operator with steps fused, on inputs of which `constant` are packed before.
Tensor run_fused(const std::string& type, std::vector<Tensor> inputs, bool constant) {
  Graph graph;
  Node node;
  node.op_type = type;
  node.opset = 13;
  std::vector<Value> values(inputs.begin(), inputs.end());
  std::vector<const Value*> given;
  for (const Value& v : values) {
    node.inputs.push_back(graph.add_value());
    given.push_back(&v);
  }
  node.outputs = {graph.add_value("y")};
  bind_operator(node, graph);
  const float scale[] = {2, -1}, shift[] = {0.5f, 0.25f};
  EXPECT_TRUE(node.op->fusible()->fuse_scale_shift(scale, shift));
  EXPECT_TRUE(node.op->fusible()->fuse_clamp(-1, 20));
  const Tensor* constants[] = {nullptr, constant ? &inputs[1] : nullptr, nullptr};
  PrepareContext prepare(constants);
  node.op->prepare(prepare);
  const char wanted[] = {1};
  return evaluate(*node.op, given, wanted)[0].tensor();
}

TEST(Products, FusedStepsAreApplied) {
  const Tensor a = testing::tensor<float>({2, 2}, {1, 2, 3, 4}), b = testing::tensor<float>({2, 2}, {1, 2, 3, -4});
  for (bool constant : {false, true}) {
    expect_near(run_fused("Gemm", {a, b, testing::tensor<float>({2}, {-1, 1})}, constant), {12.5, 5.25, 20, 9.25});
    expect_near(run_fused("Gemm", {a, b, testing::tensor<float>({2, 1}, {-8, 1})}, constant), {-1, 14.25, 20, 9.25});
  }
}

TEST(Products, OtherTypesClampToo) {
  Graph graph;
  Node node;
  node.op_type = "MatMul";
  node.opset = 13;
  node.inputs = {graph.add_value("a"), graph.add_value("b")};
  node.outputs = {graph.add_value("y")};
  bind_operator(node, graph);
  const float one[] = {1};
  EXPECT_FALSE(node.op->fusible()->fuse_scale_shift(one, one));
  EXPECT_TRUE(node.op->fusible()->fuse_clamp(0, std::numeric_limits<float>::infinity()));
  const Value b = testing::tensor<int32_t>({1, 2}, {2, -2}), a = testing::tensor<int32_t>({1, 1}, {3});
  const Value* given[] = {&a, &b};
  const char wanted[] = {1};
  EXPECT_EQ(doubles(evaluate(*node.op, given, wanted)[0].tensor()), (std::vector<double>{6, 0}));
}

}  // namespace
}  // namespace sardonyx
