// The stated error bounds of the transcendental kernels, over a dense sweep of all float32 values, against double libm.
#include "kernels/math/math_f32.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

// Every 4099th bit pattern of float32 and the special values.
const Guarded<float>& sweep() {
  static const Guarded<float> values = [] {
    std::vector<float> v = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 0.5f, -0.5f, 1e-45f, -1e-45f};
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4099) {
      uint32_t b = static_cast<uint32_t>(bits);
      float f;
      std::memcpy(&f, &b, 4);
      v.push_back(f);
    }
    const float max = std::numeric_limits<float>::max(), min = std::numeric_limits<float>::min();
    v.insert(v.end(),
             {max, -max, min, -min, 88.72283f, 88.72284f, -87.33655f, -103.9721f, -103.98f, 0.92f, -0.92f, 4.0f});
    return Guarded<float>(v);
  }();
  return values;
}

// The results of f over the sweep, computed in place of nothing: separate, guarded.
template <class F>
Guarded<float> apply(F f) {
  Guarded<float> y(sweep().size());
  f(sweep().data(), y.poison().data(), y.size());
  EXPECT_TRUE(y.intact());
  return y;
}

// The largest error in ulp over the arguments in [lo, hi], and NaN for NaN.
template <class F, class R>
double max_ulp(F f, R reference, float lo = -INFINITY, float hi = INFINITY) {
  Guarded<float> y = apply(f);
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < y.size(); i++) {
    float x = sweep()[i];
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(y[i])) << "NaN is lost";
    }
    if (!(x >= lo && x <= hi)) continue;
    double e = ulp_error(y[i], reference(static_cast<double>(x)));
    if (!(e <= worst)) worst = e, where = x;
  }
  ::testing::Test::RecordProperty("max_ulp", std::to_string(worst));
  ::testing::Test::RecordProperty("at", std::to_string(where));
  return worst;
}

template <class F, class R, class B>
void expect_absolute(F f, R reference, B bound, float lo = -INFINITY, float hi = INFINITY) {
  Guarded<float> y = apply(f);
  for (size_t i = 0; i < y.size(); i++) {
    float x = sweep()[i];
    if (!(x >= lo && x <= hi)) continue;
    double exact = reference(static_cast<double>(x)), got = y[i];
    if (std::isnan(exact))
      ASSERT_TRUE(std::isnan(got)) << x;
    else
      ASSERT_LE(std::fabs(got - exact), bound(static_cast<double>(x))) << "at " << x << ": " << got;
  }
}

const auto exp1 = [](double x) { return std::exp(x); };
const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
const auto softplus = [](double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); };

TEST(Math, Exp) { EXPECT_LE(max_ulp(exp_f32, exp1), 2); }
TEST(Math, Log) {
  EXPECT_LE(max_ulp(log_f32, [](double x) { return std::log(x); }), 2);
}
TEST(Math, Expm1) {
  EXPECT_LE(max_ulp(expm1_f32, [](double x) { return std::expm1(x); }), 4);
}
TEST(Math, Log1p) {
  EXPECT_LE(max_ulp(log1p_f32, [](double x) { return std::log1p(x); }), 4);
}
TEST(Math, Tanh) {
  EXPECT_LE(max_ulp(tanh_f32, [](double x) { return std::tanh(x); }), 4);
}
TEST(Math, Sigmoid) {
  EXPECT_LE(max_ulp(sigmoid_f32, sigmoid, -87.3f), 4);
  expect_absolute(sigmoid_f32, sigmoid, [](double) { return 1.3e-38; }, -INFINITY, -87.3f);
}
TEST(Math, Erf) {
  EXPECT_LE(max_ulp(erf_f32, [](double x) { return std::erf(x); }), 4);
}
TEST(Math, Softplus) { EXPECT_LE(max_ulp(softplus_f32, softplus), 4); }

TEST(Math, Silu) {
  auto f = [](double x) { return x * sigmoid(x); };
  EXPECT_LE(max_ulp(silu_f32, f, -87.3f, std::numeric_limits<float>::max()), 5);
  auto swish = [](const float* x, float* y, size_t n) { swish_f32(x, y, n, 0.5f); };
  EXPECT_LE(max_ulp(swish, [](double x) { return x * sigmoid(x / 2); }, -174, std::numeric_limits<float>::max()), 5);
}

TEST(Math, Mish) {
  auto f = [](double x) { return x * std::tanh(softplus(x)); };
  EXPECT_LE(max_ulp(mish_f32, f, -80, INFINITY), 8);
}

TEST(Math, Gelu) {
  auto bound = [](double x) { return std::ldexp(std::max(std::fabs(x), std::ldexp(1, -22)), -22); };
  const float max = std::numeric_limits<float>::max();
  expect_absolute(gelu_f32, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }, bound, -max, max);
  auto by_tanh = [](double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); };
  expect_absolute(gelu_tanh_f32, by_tanh, bound, -max, max);
  const float ends[] = {-INFINITY, INFINITY, NAN, -0.0f};
  float y[4];
  gelu_f32(ends, y, 4);
  EXPECT_TRUE(std::isnan(y[0]));  // -infinity times 0
  EXPECT_EQ(y[1], INFINITY);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0);
}

TEST(Math, Elus) {
  auto elu = [](const float* x, float* y, size_t n) { elu_f32(x, y, n, 1.5f); };
  EXPECT_LE(max_ulp(elu, [](double x) { return x > 0 ? x : 1.5 * std::expm1(x); }), 5);
  auto selu = [](const float* x, float* y, size_t n) {
    selu_f32(x, y, n, 1.67326319217681884765625f, 1.05070102214813232421875f);
  };
  EXPECT_LE(max_ulp(selu,
                    [](double x) {
                      return 1.05070102214813232421875 * (x > 0 ? x : 1.67326319217681884765625 * std::expm1(x));
                    }),
            6);
  auto celu = [](const float* x, float* y, size_t n) { celu_f32(x, y, n, 2.0f); };
  EXPECT_LE(max_ulp(celu, [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); }), 5);
}

// Large arguments beside one, and what is behind a span, do not change its bits.
TEST(Math, SinCosOfEachElementAlone) {
  for (auto* f : {sin_f32, cos_f32}) {
    const float alone[] = {-1.875f, 0, 0, 0}, beside[] = {-1.875f, 1e30f, NAN, -9000};
    float a[4], b[4];
    f(alone, a, 4);
    f(beside, b, 4);
    EXPECT_EQ(a[0], b[0]);
    f(beside, b, 1);
    EXPECT_EQ(a[0], b[0]);
  }
}

TEST(Math, SinCos) {
  auto bound = [](double) { return std::ldexp(1, -22); };
  expect_absolute(sin_f32, [](double x) { return std::sin(x); }, bound);
  expect_absolute(cos_f32, [](double x) { return std::cos(x); }, bound);
  EXPECT_LE(max_ulp(sin_f32, [](double x) { return std::sin(x); }, -0.7f, 0.7f), 2);
}

TEST(Math, ByLibm) {
  EXPECT_LE(max_ulp(tan_f32, [](double x) { return std::tan(x); }), 2);
  EXPECT_LE(max_ulp(asin_f32, [](double x) { return std::asin(x); }), 2);
  EXPECT_LE(max_ulp(acos_f32, [](double x) { return std::acos(x); }), 2);
  EXPECT_LE(max_ulp(atan_f32, [](double x) { return std::atan(x); }), 2);
  EXPECT_LE(max_ulp(sinh_f32, [](double x) { return std::sinh(x); }), 3);
  EXPECT_LE(max_ulp(cosh_f32, [](double x) { return std::cosh(x); }), 3);
  EXPECT_LE(max_ulp(asinh_f32, [](double x) { return std::asinh(x); }), 3);
  // musl's double acosh gives an infinity for some arguments far below 1.
  EXPECT_LE(max_ulp(acosh_f32, [](double x) { return x < 1 ? NAN : std::acosh(x); }), 3);
  EXPECT_LE(max_ulp(atanh_f32, [](double x) { return std::atanh(x); }), 3);
}

TEST(Math, TailsAndInPlace) {
  for (size_t n = 0; n <= 9; n++) {
    Guarded<float> x = random_floats(n, n), y(n);
    exp_f32(x, y, n);
    exp_f32(x, x, n);
    EXPECT_TRUE(y.intact() && x.intact());
    EXPECT_EQ(std::memcmp(x, y, n * 4), 0);
    for (float v : y) EXPECT_GT(v, 0.3f);
  }
}

}  // namespace
}  // namespace sardonyx::kernels
