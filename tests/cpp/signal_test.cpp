// DFT, STFT, windows, MelWeightMatrix, TfIdfVectorizer, the optimizers: what the suite lacks.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "graph_maker.h"
#include "move_values.h"
#include "op_runner.h"
#include "op_values.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::doubles;
using testing::expect_near;
using testing::random_tensor;
using testing::reason_of;
using testing::run_op;
using testing::tensor;

using Complexes = std::vector<std::complex<double>>;

// The definition, in O(n^2).
Complexes naive_dft(const Complexes& x, bool inverse) {
  const size_t n = x.size();
  Complexes y(n);
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < n; j++) {
      const double turn = 6.283185307179586 * static_cast<double>(j * k % n) / static_cast<double>(n);
      y[k] += x[j] * std::polar(1.0, inverse ? turn : -turn);
    }
    if (inverse) y[k] /= static_cast<double>(n);
  }
  return y;
}

Complexes complexes(const Tensor& t) {
  const auto v = doubles(t);
  const size_t parts = static_cast<size_t>(t.shape().back());
  Complexes y;
  for (size_t i = 0; i < v.size(); i += parts) y.emplace_back(v[i], parts == 2 ? v[i + 1] : 0);
  return y;
}

std::vector<double> flat(const Complexes& x, size_t count) {
  std::vector<double> y;
  for (size_t i = 0; i < count; i++) {
    y.push_back(x[i].real());
    y.push_back(x[i].imag());
  }
  return y;
}

TEST(Dft, EveryLength) {
  for (int64_t n : {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 60, 97, 128, 210}) {
    for (DType type : {DType::float32, DType::float64, DType::float16}) {
      const Tensor x = random_tensor({1, n, 2}, static_cast<uint32_t>(n), type);
      for (int64_t inverse : {0, 1}) {
        const Tensor y = run_op("DFT", 17, attribute("inverse", inverse), {x})[0].tensor();
        EXPECT_EQ(y.dtype(), type);
        expect_near(y, flat(naive_dft(complexes(x), inverse), static_cast<size_t>(n)), cat("length ", n));
      }
    }
    const Tensor real = random_tensor({1, n, 1}, 7, DType::float64);
    const Tensor half = run_op("DFT", 20, attribute("onesided", int64_t{1}), {real})[0].tensor();
    EXPECT_TRUE(half.shape() == (Shape{1, n / 2 + 1, 2}));
    expect_near(half, flat(naive_dft(complexes(real), false), static_cast<size_t>(n / 2 + 1)));
    Attributes back;
    back.add("onesided", int64_t{1});
    back.add("inverse", int64_t{1});
    expect_near(run_op("DFT", 20, back, {half, Tensor::scalar(n)})[0].tensor(), doubles(real));
  }
}

TEST(Dft, AxesPaddingAndErrors) {
  const Tensor x = random_tensor({3, 4, 2}, 1);
  const auto axis = Tensor::scalar<int64_t>(-3);
  const Tensor y = run_op("DFT", 20, {}, {x, Value(), axis})[0].tensor();
  for (size_t column = 0; column < 4; column++) {
    Complexes line, got;
    for (size_t row = 0; row < 3; row++) {
      line.push_back(complexes(x)[row * 4 + column]);
      got.push_back(complexes(y)[row * 4 + column]);
    }
    const Complexes want = naive_dft(line, false);
    for (size_t k = 0; k < 3; k++) EXPECT_NEAR(std::abs(want[k] - got[k]), 0, 1e-5);
  }
  // Longer: zeros at the end; shorter: the first elements.
  Complexes padded = complexes(random_tensor({1, 4, 1}, 3));
  padded.resize(6);
  expect_near(run_op("DFT", 17, {}, {random_tensor({1, 4, 1}, 3), Tensor::scalar<int32_t>(6)})[0].tensor(),
              flat(naive_dft(padded, false), 6));
  padded.resize(3);
  expect_near(run_op("DFT", 17, {}, {random_tensor({1, 4, 1}, 3), Tensor::scalar<int32_t>(3)})[0].tensor(),
              flat(naive_dft(padded, false), 3));
  EXPECT_EQ(run_op("DFT", 17, {}, {random_tensor({0, 4, 1}, 3)})[0].tensor().count(), 0);
  EXPECT_EQ(reason_of([&] { run_op("DFT", 17, {}, {random_tensor({1, 4, 3}, 3)}); }),
            "the last dimension must be 1 (real) or 2 (complex), not 3");
  EXPECT_EQ(reason_of([&] { run_op("DFT", 20, {}, {x, Value(), Tensor::scalar<int64_t>(2)}); }),
            "axis 2 is that of real and imaginary parts");
  EXPECT_EQ(reason_of([&] { run_op("DFT", 17, attribute("onesided", int64_t{1}), {x}); }),
            "a one-sided transform takes real input");
  EXPECT_EQ(reason_of([&] { run_op("DFT", 17, {}, {x, Tensor::scalar<int64_t>(0)}); }),
            "no transform has the length 0");
  EXPECT_EQ(reason_of([&] { run_op("DFT", 17, {}, {x, Tensor::scalar(INT64_MAX)}); }),
            cat("no transform has the length ", INT64_MAX));
}

TEST(Stft, ComplexSignalsAndErrors) {
  const Tensor x = random_tensor({2, 11, 2}, 5), window = random_tensor({5}, 6);
  const Tensor y =
      run_op("STFT", 17, attribute("onesided", int64_t{0}), {x, Tensor::scalar<int64_t>(3), window})[0].tensor();
  ASSERT_TRUE(y.shape() == (Shape{2, 3, 5, 2}));
  for (size_t frame = 0; frame < 6; frame++) {
    Complexes line;
    for (size_t j = 0; j < 5; j++)
      line.push_back(complexes(x)[frame / 3 * 11 + frame % 3 * 3 + j] * doubles(window)[j]);
    const Complexes want = naive_dft(line, false);
    for (size_t k = 0; k < 5; k++) EXPECT_NEAR(std::abs(want[k] - complexes(y)[frame * 5 + k]), 0, 1e-5);
  }
  const auto reason = [&](int64_t step, Value w, Value length) {
    return reason_of([&] { run_op("STFT", 17, {}, {x, Tensor::scalar(step), w, length}); });
  };
  EXPECT_EQ(reason(0, window, Value()), "frame_step is 0");
  EXPECT_EQ(reason(1, window, Tensor::scalar<int64_t>(4)), "the window has 5 elements, frames have 4");
  EXPECT_EQ(reason(1, Value(), Tensor::scalar<int64_t>(12)), "frames of 12 in a signal of 11");
}

TEST(Window, TypesAndSizes) {
  Attributes symmetric;
  symmetric.add("periodic", int64_t{0});
  symmetric.add("output_datatype", int64_t{11});
  expect_near(run_op("HannWindow", 17, symmetric, {Tensor::scalar<int32_t>(5)})[0].tensor(), {0, 0.5, 1, 0.5, 0});
  expect_near(run_op("HammingWindow", 17, symmetric, {Tensor::scalar<int64_t>(3)})[0].tensor(),
              {4.0 / 46, 1, 4.0 / 46});
  expect_near(run_op("BlackmanWindow", 17, symmetric, {Tensor::scalar<int64_t>(3)})[0].tensor(), {0, 1, 0});
  expect_near(run_op("HannWindow", 17, symmetric, {Tensor::scalar<int64_t>(1)})[0].tensor(), {1});
  EXPECT_EQ(run_op("HannWindow", 17, {}, {Tensor::scalar<int64_t>(0)})[0].tensor().count(), 0);
  EXPECT_EQ(
      doubles(
          run_op("HannWindow", 17, attribute("output_datatype", int64_t{7}), {Tensor::scalar<int64_t>(4)})[0].tensor()),
      (std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ(reason_of([] { run_op("HannWindow", 17, {}, {Tensor::scalar<int64_t>(-1)}); }), "size is -1");
  EXPECT_EQ(reason_of([] {
              run_op("MelWeightMatrix", 17, {},
                     {Tensor::scalar<int64_t>(4), Tensor::scalar<int64_t>(16), Tensor::scalar<int64_t>(8000),
                      Tensor::scalar(0.0f), Tensor::scalar(9000.0f)});
            }).substr(0, 13),
            "the frequency");
}

TEST(TfIdf, WeightsAndErrors) {
  const auto make = [](const std::string& mode, std::vector<int64_t> places) {
    Attributes a;
    a.add("mode", mode);
    a.add("min_gram_length", int64_t{1});
    a.add("max_gram_length", int64_t{2});
    a.add("max_skip_count", int64_t{1});
    a.add("ngram_counts", std::vector<int64_t>{0, 2});
    a.add("ngram_indexes", std::move(places));
    a.add("pool_strings", std::vector<std::string>{"a", "b", "a", "b"});
    a.add("weights", std::vector<float>{2, 3, 5});
    return a;
  };
  // a twice, b once; "a b" once apart by one, once by two.
  const auto x = tensor<std::string>({2, 4}, {"a", "a", "b", "?", "", "", "", ""});
  const auto values = [&](const std::string& mode) {
    return doubles(run_op("TfIdfVectorizer", 9, make(mode, {0, 1, 3}), {x})[0].tensor());
  };
  EXPECT_EQ(values("TF"), (std::vector<double>{2, 1, 0, 2, 0, 0, 0, 0}));
  EXPECT_EQ(values("IDF"), (std::vector<double>{2, 3, 0, 5, 0, 0, 0, 0}));
  EXPECT_EQ(values("TFIDF"), (std::vector<double>{4, 3, 0, 10, 0, 0, 0, 0}));
  EXPECT_TRUE(
      run_op("TfIdfVectorizer", 9, make("TF", {0, 1, 2}), {Tensor::allocate(DType::string, {0})})[0].tensor().shape() ==
      Shape{3});
  EXPECT_EQ(reason_of([&] { run_op("TfIdfVectorizer", 9, make("TF", {0, 1}), {x}); }),
            "attribute \"weights\" has 3 values for 2 n-grams");
  EXPECT_NE(reason_of([&] { run_op("TfIdfVectorizer", 9, make("TF", {0, 1, 2}), {Tensor::scalar<int64_t>(1)}); }), "");
}

TEST(Optimizer, DoubleAndErrors) {
  Attributes a;
  a.add("norm_coefficient", 0.5f);
  a.add("alpha", 0.5f);
  a.add("beta", 0.25f);
  a.add("mode", std::string("nesterov"));
  const auto one = [](double v) { return tensor<double>({1}, {v}); };
  const auto training = [&](Attributes attributes, std::vector<Value> inputs, int outputs) {
    return run_op("Momentum", 1, std::move(attributes), std::move(inputs), outputs, 0, "ai.onnx.preview.training");
  };
  const std::vector<Value> inputs{Tensor::scalar(0.5), Tensor::scalar<int64_t>(1), one(2), one(4), one(8)};
  const auto y = training(a, inputs, 2);
  // g = 4 + 0.5 * 2 = 5; v = 0.5 * 8 + 0.25 * 5 = 5.25; x = 2 - 0.5 * (5 + 0.5 * 5.25)
  EXPECT_EQ(doubles(y[0].tensor()), (std::vector<double>{-1.8125}));
  EXPECT_EQ(doubles(y[1].tensor()), (std::vector<double>{5.25}));
  EXPECT_EQ(reason_of([&] { training(a, {inputs[0], inputs[1], inputs[2]}, 1); }), "takes at least 5 inputs, not 3");
  auto wrong = inputs;
  wrong[4] = tensor<double>({2}, {1, 2});
  EXPECT_EQ(reason_of([&] { training(a, wrong, 2); }), "inputs 2 and 4 have different shapes");
}

// Of 10000 draws with probability p, the share of ones is within six deviations of p; a seed repeats them.
TEST(Bernoulli, Distribution) {
  const Tensor p =
      run_op("Expand", 13, {}, {tensor<double>({1, 3}, {0, 0.3, 1}), tensor<int64_t>({2}, {10000, 3})})[0].tensor();
  Attributes a;
  a.add("seed", 5.0f);
  a.add("dtype", int64_t{6});
  const auto y = run_op("Bernoulli", 15, a, {p})[0].tensor();
  double sums[3] = {};
  for (int64_t i = 0; i < y.count(); i++) sums[i % 3] += y.data<int32_t>()[i];
  EXPECT_EQ(sums[0], 0);
  EXPECT_NEAR(sums[1], 3000, 6 * std::sqrt(10000 * 0.3 * 0.7));
  EXPECT_EQ(sums[2], 10000);
  EXPECT_EQ(doubles(run_op("Bernoulli", 15, a, {p})[0].tensor()), doubles(y));
}

}  // namespace
}  // namespace sardonyx
