// Products, convolutions, pools, normalizations and recurrent operators: every float type agrees with float32 (which
// the ONNX suite covers), and dimensions of size zero are no trouble.
#include <gtest/gtest.h>

#include "ops/util/as_float.h"
#include "tests/cpp/op_runner.h"
#include "tests/cpp/op_values.h"

namespace sardonyx {
namespace {

using testing::doubles;
using testing::random_tensor;
using testing::run_op;

using AttributeList = std::vector<std::pair<std::string, AttributeValue>>;

struct Case {
  std::string type;
  int opset;
  AttributeList attributes;
  std::vector<Shape> inputs;
  int outputs = 1;
  std::vector<int> positive = {};  // inputs that must not be negative (variances)
};

std::vector<int64_t> ints(std::initializer_list<int64_t> v) { return v; }

std::vector<Case> cases() {
  const AttributeValue two = ints({2, 2}), three = ints({3, 3}), ones = ints({1, 1, 1, 1});
  const AttributeValue hidden = int64_t{3};
  return {
      {"ConvTranspose", 22, {{"strides", two}, {"pads", ones}}, {{2, 4, 5, 6}, {4, 3, 3, 3}, {3}}},
      {"ConvTranspose", 22, {{"group", int64_t{2}}}, {{1, 4, 3, 2, 2, 2}, {4, 2, 2, 1, 2, 2}}},
      {"MaxPool", 22, {{"kernel_shape", three}, {"strides", two}, {"pads", ones}}, {{2, 3, 7, 8}}, 2},
      {"AveragePool", 22, {{"kernel_shape", three}, {"ceil_mode", int64_t{1}}, {"strides", two}}, {{1, 3, 8, 6}}},
      {"LpPool", 22, {{"kernel_shape", two}, {"p", int64_t{3}}}, {{1, 2, 5, 5}}},
      {"GlobalMaxPool", 22, {}, {{2, 3, 4, 5}}},
      {"GlobalAveragePool", 22, {}, {{2, 3, 4, 5, 2}}},
      {"GlobalLpPool", 22, {{"p", int64_t{3}}}, {{2, 3, 4}}},
      {"BatchNormalization", 15, {}, {{2, 3, 4, 5}, {3}, {3}, {3}, {3}}, 1, {4}},
      {"BatchNormalization", 15, {}, {{7, 3}, {3}, {3}, {3}, {3}}, 1, {4}},
      {"BatchNormalization", 15, {{"training_mode", int64_t{1}}}, {{2, 3, 4, 5}, {3}, {3}, {3}, {3}}, 3, {4}},
      {"BatchNormalization", 7, {{"spatial", int64_t{0}}}, {{2, 3, 4}, {3, 4}, {3, 4}, {3, 4}, {3, 4}}, 1, {4}},
      {"InstanceNormalization", 22, {}, {{2, 3, 4, 5}, {3}, {3}}},
      {"GroupNormalization", 21, {{"num_groups", int64_t{2}}}, {{2, 6, 5}, {6}, {6}}},
      {"GroupNormalization", 18, {{"num_groups", int64_t{2}}}, {{2, 6, 5}, {2}, {2}}},
      {"LayerNormalization", 17, {{"axis", int64_t{1}}}, {{3, 4, 5}, {4, 5}, {5}}},
      {"LayerNormalization", 17, {}, {{3, 4, 5}, {4, 1}, {3, 1, 5}}},
      {"RMSNormalization", 23, {}, {{3, 4, 5}, {5}}},
      {"MeanVarianceNormalization", 13, {}, {{3, 4, 5, 2}}},
      {"LpNormalization", 22, {{"axis", int64_t{1}}, {"p", int64_t{1}}}, {{3, 4, 5}}},
      {"LRN", 13, {{"size", int64_t{3}}, {"alpha", 0.3f}}, {{2, 5, 3, 4}}},
      {"LSTM", 22, {{"hidden_size", hidden}}, {{5, 2, 4}, {1, 12, 4}, {1, 12, 3}, {1, 24}}, 3},
      {"GRU", 22, {{"linear_before_reset", int64_t{1}}}, {{5, 2, 4}, {1, 9, 4}, {1, 9, 3}, {1, 18}}, 2},
      {"GRU", 22, {{"clip", 0.4f}, {"layout", int64_t{1}}}, {{2, 5, 4}, {1, 9, 4}, {1, 9, 3}, {1, 18}}, 2},
      {"RNN", 22, {{"direction", std::string("bidirectional")}}, {{5, 2, 4}, {2, 3, 4}, {2, 3, 3}}, 2},
  };
}

Attributes attributes_of(const Case& c) {
  Attributes a;
  for (const auto& [name, value] : c.attributes) a.add(name, value);
  return a;
}

std::vector<Value> inputs_of(const Case& c, DType type) {
  std::vector<Value> inputs;
  for (size_t i = 0; i < c.inputs.size(); i++) {
    Tensor t = random_tensor(c.inputs[i], static_cast<uint32_t>(i + 1), DType::bfloat16);
    const std::vector<double> values = doubles(t);
    Tensor x = Tensor::allocate(type, c.inputs[i]);
    for (int64_t k = 0; k < x.count(); k++) {
      double v = values[static_cast<size_t>(k)];
      for (int p : c.positive) v = p == static_cast<int>(i) ? std::abs(v) + 0.5 : v;
      put_float(x, k, v);
    }
    inputs.push_back(x);
  }
  return inputs;
}

TEST(FloatTypes, AllAgreeWithFloat32) {
  for (const Case& c : cases()) {
    for (DType type : {DType::float64, DType::float16, DType::bfloat16}) {
      const std::vector<Value> wanted =
          run_op(c.type, c.opset, attributes_of(c), inputs_of(c, DType::float32), c.outputs);
      for (uint32_t constant : {0u, 6u}) {
        const std::vector<Value> got =
            run_op(c.type, c.opset, attributes_of(c), inputs_of(c, type), c.outputs, constant);
        for (size_t i = 0; i < got.size(); i++) {
          const std::vector<double> g = doubles(got[i].tensor()), w = doubles(wanted[i].tensor());
          ASSERT_EQ(got[i].tensor().shape(), wanted[i].tensor().shape());
          double largest = 1;
          for (double v : w) largest = std::max(largest, std::abs(v));
          const double allowed = std::max(testing::rounding(DType::float32), testing::rounding(type)) * largest;
          for (size_t k = 0; k < g.size(); k++) {
            ASSERT_NEAR(g[k], w[k], allowed) << c.type << " " << dtype_name(type) << " output " << i << " at " << k;
          }
        }
      }
    }
  }
}

TEST(FloatTypes, EmptyBatches) {
  for (Case c : cases()) {
    if (c.type == "LRN" || c.type == "MeanVarianceNormalization") c.inputs[0][0] = 0;
    const bool recurrent = c.type == "LSTM" || c.type == "GRU" || c.type == "RNN";
    c.inputs[0][recurrent ? 1 : 0] = 0;
    if (c.type == "LayerNormalization" && c.inputs[2].rank() == 3) continue;  // the bias has the batch's size
    const Tensor y = run_op(c.type, c.opset, attributes_of(c), inputs_of(c, DType::float32), c.outputs)[0].tensor();
    EXPECT_EQ(y.count(), 0) << c.type;
  }
}

}  // namespace
}  // namespace sardonyx
