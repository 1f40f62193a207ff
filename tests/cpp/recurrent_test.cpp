// LSTM, GRU and RNN: directions, layouts, sequence lengths and activations against each other and against plain steps.
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

constexpr int64_t kSteps = 6, kBatch = 3, kInput = 5, kHidden = 7;

struct Weights {
  Tensor x = random_tensor({kSteps, kBatch, kInput}, 1);
  Tensor w, r, b, p;
  explicit Weights(int64_t gates)
      : w(random_tensor({1, gates * kHidden, kInput}, 2)),
        r(random_tensor({1, gates * kHidden, kHidden}, 3)),
        b(random_tensor({1, 2 * gates * kHidden}, 4)),
        p(random_tensor({1, 3 * kHidden}, 5)) {}
};

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

// The LSTM equations of the standard, one batch row at a time.
std::vector<double> plain_lstm(const Weights& weights, bool input_forget) {
  const std::vector<double> x = doubles(weights.x), w = doubles(weights.w), r = doubles(weights.r),
                            b = doubles(weights.b), p = doubles(weights.p);
  std::vector<double> y(kSteps * kBatch * kHidden);
  for (int64_t row = 0; row < kBatch; row++) {
    std::vector<double> h(kHidden), c(kHidden);
    for (int64_t t = 0; t < kSteps; t++) {
      std::vector<double> g(4 * kHidden), next(kHidden);
      for (int64_t k = 0; k < 4 * kHidden; k++) {
        g[k] = b[k] + b[4 * kHidden + k];
        for (int64_t i = 0; i < kInput; i++) g[k] += w[k * kInput + i] * x[(t * kBatch + row) * kInput + i];
        for (int64_t i = 0; i < kHidden; i++) g[k] += r[k * kHidden + i] * h[i];
      }
      for (int64_t k = 0; k < kHidden; k++) {
        const double i = sigmoid(g[k] + p[k] * c[k]);
        const double f = input_forget ? 1 - i : sigmoid(g[2 * kHidden + k] + p[2 * kHidden + k] * c[k]);
        c[k] = f * c[k] + i * std::tanh(g[3 * kHidden + k]);
        const double o = sigmoid(g[kHidden + k] + p[kHidden + k] * c[k]);
        next[k] = o * std::tanh(c[k]);
        y[(t * kBatch + row) * kHidden + k] = next[k];
      }
      h = next;
    }
  }
  return y;
}

TEST(LSTM, FollowsTheEquations) {
  const Weights s(4);
  for (bool input_forget : {false, true}) {
    for (uint32_t constant : {0u, 6u}) {
      Attributes a;
      a.add("input_forget", int64_t{input_forget});
      const Value none;
      const auto y = run_op("LSTM", 14, a, {s.x, s.w, s.r, s.b, none, none, none, s.p}, 3, constant);
      expect_near(y[0].tensor(), plain_lstm(s, input_forget), input_forget ? "input_forget" : "");
    }
  }
}

// x with its time axis reversed, the first `length` steps of each row only.
Tensor reversed(const Tensor& x, const std::vector<int64_t>& lengths) {
  Tensor y = x.clone();
  const int64_t n = x.dim(2);
  for (int64_t b = 0; b < x.dim(1); b++) {
    const int64_t length = lengths[static_cast<size_t>(b)];
    for (int64_t t = 0; t < length; t++) {
      std::copy_n(x.data<float>() + ((length - 1 - t) * x.dim(1) + b) * n, n, y.data<float>() + (t * x.dim(1) + b) * n);
    }
  }
  return y;
}

Attributes direction(const char* name) {
  Attributes a;
  a.add("direction", std::string(name));
  return a;
}

TEST(Recurrent, ReverseIsForwardOfTheReversedSequence) {
  const Tensor lengths = testing::tensor<int32_t>({3}, {6, 2, 0});
  const std::vector<int64_t> n{6, 2, 0};
  for (const auto& [type, gates] : {std::pair{"LSTM", 4}, std::pair{"GRU", 3}, std::pair{"RNN", 1}}) {
    const Weights s(gates);
    const auto back = run_op(type, 14, direction("reverse"), {s.x, s.w, s.r, s.b, lengths}, 2);
    const auto forth = run_op(type, 14, {}, {reversed(s.x, n), s.w, s.r, s.b, lengths}, 2);
    const Tensor y = forth[0].tensor().reshaped({kSteps, kBatch, kHidden});
    expect_near(back[0].tensor(), doubles(reversed(y, n)), type);
    expect_near(back[1].tensor(), doubles(forth[1].tensor()), type);
    for (int64_t t = 2; t < kSteps; t++) {  // behind the end of row 1
      for (int64_t k = 0; k < kHidden; k++) ASSERT_EQ(y.data<float>()[(t * kBatch + 1) * kHidden + k], 0);
    }
  }
}

Tensor twice(const Tensor& t) {
  Shape shape = t.shape();
  shape[0] = 2;
  Tensor y = Tensor::allocate(DType::float32, shape);
  std::copy_n(t.data<float>(), t.count(), y.data<float>());
  std::copy_n(t.data<float>(), t.count(), y.data<float>() + t.count());
  return y;
}

TEST(Recurrent, BidirectionalIsBoth) {
  const Weights s(4);
  const auto both = run_op("LSTM", 14, direction("bidirectional"), {s.x, twice(s.w), twice(s.r), twice(s.b)}, 3, 6);
  const auto one = run_op("LSTM", 14, {}, {s.x, s.w, s.r, s.b}, 3);
  const auto other = run_op("LSTM", 14, direction("reverse"), {s.x, s.w, s.r, s.b}, 3);
  std::vector<double> wanted;
  const std::vector<double> a = doubles(one[0].tensor()), b = doubles(other[0].tensor());
  const size_t step = kBatch * kHidden;
  for (size_t t = 0; t < kSteps; t++) {
    wanted.insert(wanted.end(), a.begin() + static_cast<ptrdiff_t>(t * step),
                  a.begin() + static_cast<ptrdiff_t>((t + 1) * step));
    wanted.insert(wanted.end(), b.begin() + static_cast<ptrdiff_t>(t * step),
                  b.begin() + static_cast<ptrdiff_t>((t + 1) * step));
  }
  expect_near(both[0].tensor(), wanted);
  std::vector<double> state = doubles(one[2].tensor());
  const std::vector<double> second = doubles(other[2].tensor());
  state.insert(state.end(), second.begin(), second.end());
  expect_near(both[2].tensor(), state);
}

TEST(Recurrent, StateGoesOn) {
  // Two halves with the state carried over are the whole.
  const Weights s(3);
  const auto whole = run_op("GRU", 14, {}, {s.x, s.w, s.r, s.b}, 2);
  const int64_t half = kSteps / 2 * kBatch * kInput;
  Tensor first = Tensor::allocate(DType::float32, {kSteps / 2, kBatch, kInput}), second = first.clone();
  std::copy_n(s.x.data<float>(), half, first.data<float>());
  std::copy_n(s.x.data<float>() + half, half, second.data<float>());
  const auto a = run_op("GRU", 14, {}, {first, s.w, s.r, s.b}, 2);
  const auto b = run_op("GRU", 14, {}, {second, s.w, s.r, s.b, Value(), a[1]}, 2);
  expect_near(b[1].tensor(), doubles(whole[1].tensor()));
}

TEST(RNN, Activations) {
  const Tensor x = testing::tensor<float>({1, 1, 1}, {1}), r = testing::tensor<float>({1, 1, 1}, {0});
  const auto run = [&](const char* name, float w) {
    Attributes a;
    a.add("activations", std::vector<std::string>{name});
    a.add("activation_alpha", std::vector<float>{0.5f});
    a.add("activation_beta", std::vector<float>{0.25f});
    return run_op("RNN", 14, a, {x, testing::tensor<float>({1, 1, 1}, {w}), r}, 1)[0].tensor().data<float>()[0];
  };
  EXPECT_FLOAT_EQ(run("Relu", -2), 0);
  EXPECT_FLOAT_EQ(run("Affine", 2), 1.25f);
  EXPECT_FLOAT_EQ(run("LeakyRelu", -2), -1);
  EXPECT_FLOAT_EQ(run("ThresholdedRelu", 0.4f), 0);
  EXPECT_FLOAT_EQ(run("ScaledTanh", 2), 0.5f * std::tanh(0.5f));
  EXPECT_FLOAT_EQ(run("HardSigmoid", 0.5f), 0.5f);
  EXPECT_FLOAT_EQ(run("Elu", -1), 0.5f * std::expm1(-1.0f));
  EXPECT_FLOAT_EQ(run("Softsign", 3), 0.75f);
  EXPECT_FLOAT_EQ(run("Softplus", 1), std::log1p(std::exp(1.0f)));
  EXPECT_FLOAT_EQ(run("sigmoid", 0), 0.5f);
}

TEST(Recurrent, Errors) {
  const Weights s(4);
  const auto reason = [&](Attributes a, std::vector<Value> inputs) {
    return reason_of([&] { run_op("LSTM", 14, std::move(a), std::move(inputs)); });
  };
  EXPECT_EQ(reason({}, {s.x, random_tensor({1, 4, kInput}, 1), s.r}), "W has shape 1x4x5, not 1x28x5");
  Attributes a;
  a.add("activations", std::vector<std::string>{"Sigmoid", "Tan", "Tanh"});
  EXPECT_EQ(reason(a, {s.x, s.w, s.r}), "there is no activation \"Tan\"");
  EXPECT_EQ(reason({}, {s.x, s.w, s.r, s.b, testing::tensor<int32_t>({3}, {1, 7, 2})}),
            "a sequence length of 7 is not in [0, 6]");
}

}  // namespace
}  // namespace sardonyx
