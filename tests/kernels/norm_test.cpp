// Softmax and normalisations against their definitions in double.
#include "kernels/norm/normalize.h"
#include "kernels/norm/softmax.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

std::vector<double> softmax(const Guarded<float>& x, size_t outer, size_t axis, size_t inner, bool logarithm) {
  std::vector<double> out(x.size());
  for (size_t o = 0; o < outer; o++)
    for (size_t i = 0; i < inner; i++) {
      auto at = [&](size_t a) { return (o * axis + a) * inner + i; };
      double max = -INFINITY, sum = 0;
      for (size_t a = 0; a < axis; a++) max = std::max<double>(max, x[at(a)]);
      for (size_t a = 0; a < axis; a++) sum += std::exp(x[at(a)] - max);
      for (size_t a = 0; a < axis; a++) {
        double d = x[at(a)] - max;
        out[at(a)] = logarithm ? d - std::log(sum) : std::exp(d) / sum;
      }
    }
  return out;
}

TEST(Softmax, RowsAndAxes) {
  for (size_t outer : {1, 3})
    for (size_t axis : {1, 2, 3, 4, 5, 8, 13, 1025, 5000})
      for (size_t inner : {1, 2, 4, 5, 7}) {
        Guarded<float> x = random_floats(outer * axis * inner, axis, -20, 20), y(x.size());
        for (bool logarithm : {false, true}) {
          (logarithm ? log_softmax_axis_f32 : softmax_axis_f32)(x, y.poison(), outer, axis, inner);
          auto expected = softmax(x, outer, axis, inner, logarithm);
          // x - max, up to 40, is rounded to half a unit of 2^-18; that is a relative error of 2^-19 after exp.
          double rtol = std::ldexp(1, -19) + 1e-6;
          EXPECT_TRUE(close(y, expected, y.size(), logarithm ? 1e-6 : 1e-38, rtol)) << axis << " " << inner;
          EXPECT_TRUE(y.intact());
          Guarded<float> z = x;
          (logarithm ? log_softmax_axis_f32 : softmax_axis_f32)(z, z, outer, axis, inner);
          EXPECT_EQ(std::memcmp(z, y, y.size() * 4), 0) << "in place";
          EXPECT_TRUE(z.intact());
        }
      }
}

TEST(Softmax, HugeAndMaskedScores) {
  Guarded<float> x{1e30f, -INFINITY, 1e30f, -1e30f, -INFINITY, 5}, y(6);
  softmax_rows_f32(x, y, 1, 6);
  const float expected[] = {0.5f, 0, 0.5f, 0, 0, 0};
  for (size_t i = 0; i < 6; i++) EXPECT_EQ(y[i], expected[i]);
  x[5] = NAN;
  softmax_rows_f32(x, y, 1, 6);
  for (float v : y) EXPECT_TRUE(std::isnan(v));
}

// Masks of -100 and the like must not leave denormals, which slow down what reads them.
TEST(Softmax, NothingDenormalComesOut) {
  for (size_t n : {4, 7, 300})
    for (size_t inner : {1, 3}) {
      Guarded<float> x(n * inner), y(n * inner);
      for (size_t i = 0; i < x.size(); i++) x[i] = -120.0f * static_cast<float>(i / inner) / static_cast<float>(n);
      softmax_axis_f32(x, y.poison(), 1, n, inner);
      auto expected = softmax(x, 1, n, inner, false);
      for (size_t i = 0; i < y.size(); i++) {
        EXPECT_TRUE(y[i] == 0 || std::isnormal(y[i])) << y[i];
        EXPECT_EQ(y[i] == 0, x[i] < -80) << x[i];
      }
      EXPECT_TRUE(close(y, expected, y.size(), 1e-34, 1e-5));
    }
}

TEST(Normalize, Moments) {
  for (size_t n : {1, 2, 3, 4, 5, 7, 8, 1001}) {
    Guarded<float> x = random_floats(n, n, 999, 1001);
    double mean = 0, var = 0;
    for (float v : x) mean += v;
    mean /= static_cast<double>(n);
    for (float v : x) var += (v - mean) * (v - mean);
    Moments m = moments_f32(x, n);
    EXPECT_NEAR(m.mean, mean, 1e-9);
    EXPECT_NEAR(m.variance, var / static_cast<double>(n), 1e-9);
  }
}

TEST(Normalize, LayerAndRms) {
  for (size_t n : {1, 3, 4, 5, 16, 67}) {
    const size_t rows = 3;
    Guarded<float> x = random_floats(rows * n, 1, 2, 5), scale = random_floats(n, 2), bias = random_floats(n, 3),
                   y(rows * n), mean(rows), inv(rows);
    for (bool with_bias : {false, true}) {
      layer_norm_rows_f32(x, scale, with_bias ? bias.data() : nullptr, y.poison(), rows, n, 1e-5f, mean, inv);
      EXPECT_TRUE(y.intact() && mean.intact() && inv.intact());
      for (size_t i = 0; i < y.size(); i++) {
        Moments m = moments_f32(x + i / n * n, n);
        double s = 1 / std::sqrt(m.variance + 1e-5f);
        EXPECT_NEAR(y[i], (x[i] - m.mean) * s * scale[i % n] + (with_bias ? bias[i % n] : 0), 1e-5);
        EXPECT_NEAR(mean[i / n], m.mean, 1e-6);
        EXPECT_NEAR(inv[i / n], s, 1e-5 * s);
      }
    }
    rms_norm_rows_f32(x, scale, y.poison(), rows, n, 1e-5f);
    EXPECT_TRUE(y.intact());
    for (size_t i = 0; i < y.size(); i++) {
      double square = 0;
      for (size_t j = 0; j < n; j++) square += std::pow(x[i / n * n + j], 2) / static_cast<double>(n);
      EXPECT_NEAR(y[i], x[i] / std::sqrt(square + 1e-5f) * scale[i % n], 1e-5);
    }
  }
}

TEST(Normalize, Batch) {
  const size_t channels = 3, n = 7;
  Guarded<float> x = random_floats(channels * n, 1), gamma = random_floats(channels, 2),
                 beta = random_floats(channels, 3), mean = random_floats(channels, 4),
                 var = random_floats(channels, 5, 0.1f, 2), scale(channels), shift(channels), y(channels * n);
  batch_norm_fold(gamma, beta, mean, var, 1e-3f, scale, shift, channels);
  batch_norm_f32(x, scale, shift, y.poison(), channels, n);
  EXPECT_TRUE(y.intact() && scale.intact() && shift.intact());
  for (size_t i = 0; i < y.size(); i++) {
    size_t c = i / n;
    EXPECT_NEAR(y[i], (x[i] - mean[c]) / std::sqrt(var[c] + 1e-3) * gamma[c] + beta[c], 1e-5);
  }
  Guarded<float> clamped(y.size());
  batch_norm_f32(x, scale, shift, clamped.poison(), channels, n, -0.25f, 0.5f);
  for (size_t i = 0; i < y.size(); i++) EXPECT_EQ(clamped[i], std::min(std::max(y[i], -0.25f), 0.5f));
  EXPECT_TRUE(clamped.intact());
}

TEST(Normalize, Lrn) {
  const size_t channels = 7;
  for (size_t n : {1, 4, 6})
    for (size_t size : {1, 2, 3, 4, 5, 20})
      for (float beta : {0.75f, 0.5f, 1.3f}) {
        Guarded<float> x = random_floats(channels * n, 1, -3, 3), y(channels * n);
        lrn_f32(x, y.poison(), channels, n, size, 0.5f, beta, 1.5f);
        EXPECT_TRUE(y.intact());
        for (size_t i = 0; i < y.size(); i++) {
          ptrdiff_t c = static_cast<ptrdiff_t>(i / n), s = static_cast<ptrdiff_t>(size);
          double sum = 0;
          for (ptrdiff_t q = c - (s - 1) / 2; q <= c + s / 2; q++) {
            if (q >= 0 && q < static_cast<ptrdiff_t>(channels))
              sum += std::pow(x[static_cast<size_t>(q) * n + i % n], 2);
          }
          EXPECT_NEAR(y[i], x[i] / std::pow(1.5 + 0.5 / static_cast<double>(size) * sum, beta), 2e-6);
        }
      }
}

}  // namespace
}  // namespace sardonyx::kernels
