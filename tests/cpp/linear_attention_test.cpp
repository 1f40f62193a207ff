// CausalConvWithState and LinearAttention, which the ONNX suite of 1.20 does not have: against their definitions, a
// call for all positions against two with the state between them, half floats, zero sizes, errors.
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

TEST(CausalConvWithState, EqualsTheDefinition) {
  constexpr size_t kBatch = 2, kChannels = 3, kLength = 5, kKernel = 4, kBefore = kKernel - 1;
  for (DType type : {DType::float32, DType::float16, DType::bfloat16}) {
    const Tensor x = random_tensor({kBatch, kChannels, kLength}, 1, type);
    const Tensor w = random_tensor({kChannels, 1, kKernel}, 2, type), bias = random_tensor({kChannels}, 3, type);
    const Tensor past = random_tensor({kBatch, kChannels, kBefore}, 4, type);
    const auto in = doubles(x), weights = doubles(w), b = doubles(bias), before = doubles(past);
    for (bool with_past : {false, true}) {
      for (const char* activation : {"none", "silu", "swish"}) {
        std::vector<double> wanted, state;
        for (size_t row = 0; row < kBatch * kChannels; row++) {
          std::vector<double> line(kBefore);
          for (size_t i = 0; with_past && i < kBefore; i++) line[i] = before[row * kBefore + i];
          for (size_t i = 0; i < kLength; i++) line.push_back(in[row * kLength + i]);
          for (size_t i = 0; i < kLength; i++) {
            double sum = b[row % kChannels];
            for (size_t k = 0; k < kKernel; k++) sum += weights[row % kChannels * kKernel + k] * line[i + k];
            wanted.push_back(std::string(activation) == "none" ? sum : sum / (1 + std::exp(-sum)));
          }
          state.insert(state.end(), line.end() - kBefore, line.end());
        }
        Attributes a;
        a.add("activation", std::string(activation));
        const auto y = run_op("CausalConvWithState", 27, a, {x, w, bias, with_past ? Value(past) : Value()}, 2);
        expect_near(y[0].tensor(), wanted, cat(type, " ", activation));
        expect_near(y[1].tensor(), state, cat(type, " state"));
      }
    }
  }
}

TEST(CausalConvWithState, ShortInputsKeepTheirPast) {
  const Tensor w = tensor<float>({1, 1, 4}, {1, 10, 100, 1000}), past = tensor<float>({1, 1, 3}, {1, 2, 3});
  const auto one = run_op("CausalConvWithState", 27, {}, {tensor<float>({1, 1, 1}, {4}), w, Value(), past}, 2);
  EXPECT_EQ(doubles(one[0].tensor()), std::vector<double>{4321});
  EXPECT_EQ(doubles(one[1].tensor()), (std::vector<double>{2, 3, 4}));
  const Tensor none = Tensor::allocate(DType::float32, {1, 1, 0});
  EXPECT_EQ(doubles(run_op("CausalConvWithState", 27, {}, {none, w, Value(), past}, 2)[1].tensor()),
            (std::vector<double>{1, 2, 3}));
  const auto single = run_op("CausalConvWithState", 27, {}, {past, tensor<float>({1, 1, 1}, {2})}, 2);
  EXPECT_EQ(doubles(single[0].tensor()), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(single[1].tensor().shape(), (Shape{1, 1, 0}));
}

TEST(CausalConvWithState, BadInputIsNamed) {
  const auto run = [](const Shape& x, const Shape& w, Value bias = {}, Value past = {},
                      const char* activation = "none") {
    Attributes a;
    a.add("activation", std::string(activation));
    run_op("CausalConvWithState", 27, a, {random_tensor(x, 1), random_tensor(w, 2), bias, past}, 2);
  };
  EXPECT_NE(error_of([&] { run({1, 2, 3}, {3, 1, 4}); }, ErrorCode::invalid_input).find("weight of shape 3x1x4 for 2"),
            std::string::npos);
  error_of([&] { run({1, 2, 3}, {2, 2, 4}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 2, 3}, {2, 1, 0}); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 2, 3}, {2, 1, 4}, random_tensor({3}, 1)); }, ErrorCode::invalid_input);
  error_of([&] { run({1, 2, 3}, {2, 1, 4}, {}, random_tensor({1, 2, 4}, 1)); }, ErrorCode::invalid_input);
  error_of([&] { run({2, 3}, {2, 1, 4}); });
  error_of([&] { run({1, 2, 3}, {2, 1, 4}, {}, {}, "relu"); });
}

Attributes heads(int64_t query, int64_t key, const char* rule) {
  Attributes a;
  a.add("q_num_heads", query);
  a.add("kv_num_heads", key);
  a.add("update_rule", std::string(rule));
  return a;
}

struct Sizes {
  size_t batch = 2, length = 4, query_heads = 4, heads = 2, keys = 3, values = 5;
};

// The recurrence of the standard; decay and beta may be empty.
void attend(const Sizes& s, const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& v,
            const std::vector<double>& decay, const std::vector<double>& beta, std::vector<double>& state,
            std::vector<double>& out) {
  const size_t positions = s.batch * s.length, decays = decay.size() / positions, betas = beta.size() / positions;
  for (size_t p = 0; p < positions; p++) {
    for (size_t head = 0; head < s.query_heads; head++) {
      const size_t h = head / (s.query_heads / s.heads);
      double* matrix = state.data() + (p / s.length * s.heads + h) * s.keys * s.values;
      if (head % (s.query_heads / s.heads) == 0) {
        for (size_t i = 0; i < s.keys * s.values && decays; i++) {
          matrix[i] *= std::exp(decay[p * decays + (decays == s.heads ? h : h * s.keys + i / s.values)]);
        }
        for (size_t j = 0; j < s.values; j++) {
          double value = v[(p * s.heads + h) * s.values + j], kept = 0;
          for (size_t i = 0; i < s.keys; i++) kept += matrix[i * s.values + j] * k[(p * s.heads + h) * s.keys + i];
          if (betas) value = (value - kept) * beta[p * betas + (betas == 1 ? 0 : h)];
          for (size_t i = 0; i < s.keys; i++) matrix[i * s.values + j] += k[(p * s.heads + h) * s.keys + i] * value;
        }
      }
      for (size_t j = 0; j < s.values; j++) {
        double sum = 0;
        for (size_t i = 0; i < s.keys; i++)
          sum += q[(p * s.query_heads + head) * s.keys + i] * matrix[i * s.values + j];
        out.push_back(sum / std::sqrt(static_cast<double>(s.keys)));
      }
    }
  }
}

TEST(LinearAttention, EveryRuleEqualsTheRecurrence) {
  const Sizes s;
  const Value none;
  for (DType type : {DType::float32, DType::float16, DType::bfloat16}) {
    const Tensor q = random_tensor({2, 4, 12}, 1, type), k = random_tensor({2, 4, 6}, 2, type);
    const Tensor v = random_tensor({2, 4, 10}, 3, type), past = random_tensor({2, 2, 3, 5}, 4);
    for (int64_t decays : {0, 2, 6}) {
      for (int64_t betas : {0, 1, 2}) {
        for (bool with_past : {false, true}) {
          const Tensor decay = random_tensor({2, 4, decays}, 5, type), beta = random_tensor({2, 4, betas}, 6, type);
          std::vector<double> out, state(60);
          if (with_past) state = doubles(past);
          attend(s, doubles(q), doubles(k), doubles(v), doubles(decay), doubles(beta), state, out);
          const char* rule = decays ? betas ? "gated_delta" : "gated" : betas ? "delta" : "linear";
          const auto y = run_op(
              "LinearAttention", 27, heads(4, 2, rule),
              {q, k, v, with_past ? Value(past) : none, decays ? Value(decay) : none, betas ? Value(beta) : none}, 2);
          const std::string what = cat(rule, " ", type, " ", decays, " ", betas);
          expect_near(y[0].tensor(), out, what);
          EXPECT_EQ(y[1].tensor().dtype(), with_past ? DType::float32 : type);
          expect_near(y[1].tensor(), state, what + " state");
        }
      }
    }
  }
}

TEST(LinearAttention, ScaleZeroSizesAndErrors) {
  const auto run = [](Attributes a, const Shape& q, const Shape& k, const Shape& v, Value past = {}, Value decay = {},
                      Value beta = {}) {
    return run_op("LinearAttention", 27, std::move(a),
                  {random_tensor(q, 1), random_tensor(k, 2), random_tensor(v, 3), past, decay, beta}, 2);
  };
  Attributes scaled = heads(1, 1, "linear");
  scaled.add("scale", 3.0f);
  scaled.add("chunk_size", int64_t{16});
  const auto y = run_op("LinearAttention", 27, scaled,
                        {tensor<float>({1, 1, 1}, {2}), tensor<float>({1, 1, 1}, {5}), tensor<float>({1, 1, 1}, {7})});
  EXPECT_EQ(doubles(y[0].tensor()), std::vector<double>{210});
  const auto empty = run(heads(2, 1, "linear"), {1, 0, 4}, {1, 0, 2}, {1, 0, 3}, random_tensor({1, 1, 2, 3}, 4));
  EXPECT_EQ(empty[0].tensor().shape(), (Shape{1, 0, 6}));
  EXPECT_EQ(doubles(empty[1].tensor()), doubles(random_tensor({1, 1, 2, 3}, 4)));

  const Shape x{1, 2, 4};
  EXPECT_NE(error_of([&] { run(heads(2, 2, "gated"), x, x, x); }).find("update_rule needs decay"), std::string::npos);
  error_of([&] { run(heads(2, 2, "linear"), x, x, x, {}, random_tensor({1, 2, 2}, 1)); });
  error_of([&] { run(heads(2, 2, "delta"), x, x, x); });
  error_of([&] { run(heads(3, 2, "linear"), x, x, x); });
  error_of([&] { run(heads(2, 0, "linear"), x, x, x); });
  error_of([&] { run(heads(2, 2, "linear"), x, {1, 2, 6}, x); }, ErrorCode::invalid_input);
  error_of([&] { run(heads(2, 2, "linear"), x, {1, 3, 4}, x); }, ErrorCode::invalid_input);
  error_of([&] { run(heads(2, 2, "linear"), x, x, {1, 2, 5}); }, ErrorCode::invalid_input);
  error_of([&] { run(heads(2, 2, "linear"), x, x, x, random_tensor({1, 2, 2, 3}, 1)); }, ErrorCode::invalid_input);
  error_of([&] { run(heads(2, 2, "gated"), x, x, x, {}, random_tensor({1, 2, 3}, 1)); }, ErrorCode::invalid_input);
}

}  // namespace
}  // namespace sardonyx
