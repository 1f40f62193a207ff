// Elementwise kernels against scalar code, with special values, both strides and all tails.
#include "kernels/elementwise/binary_f32.h"
#include "kernels/elementwise/unary_f32.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

const std::vector<float> kSpecial = {0.0f, -0.0f, 1,     -1,     0.5f,     -0.5f,     1.5f, 2.5f,   -2.5f, 3,
                                     -3,   7,     1e30f, -1e30f, INFINITY, -INFINITY, NAN,  1e-40f, -6.5f};

// Bit for bit, but any NaN equals any other.
bool same(float a, float b) { return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, 4) == 0; }

using ScalarBinary = float (*)(float, float);

// any_zero: the sign of a zero is free, as it is for numpy's minimum and maximum.
void check_binary(BinaryF32 op, ScalarBinary f, const char* name, bool any_zero = false) {
  for (size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 361})
    for (int form = 0; form < 4; form++) {
      size_t sa = form & 1, sb = form >> 1;
      Guarded<float> a(sa ? n : 1), b(sb ? n : 1), y(n);
      for (size_t i = 0; i < a.size(); i++) a[i] = kSpecial[(i + n) % kSpecial.size()];
      for (size_t i = 0; i < b.size(); i++) b[i] = kSpecial[(i / kSpecial.size() + i * 3) % kSpecial.size()];
      op(a, sa, b, sb, y.poison(), n);
      EXPECT_TRUE(y.intact());
      for (size_t i = 0; i < n; i++) {
        float expected = f(a[i * sa], b[i * sb]);
        EXPECT_TRUE(same(y[i], expected) || (any_zero && y[i] == 0 && expected == 0))
            << name << "(" << a[i * sa] << ", " << b[i * sb] << ") = " << y[i];
      }
    }
}

TEST(Binary, AllFormsAndSpecialValues) {
  check_binary(add_f32, [](float a, float b) { return a + b; }, "add");
  check_binary(sub_f32, [](float a, float b) { return a - b; }, "sub");
  check_binary(mul_f32, [](float a, float b) { return a * b; }, "mul");
  check_binary(div_f32, [](float a, float b) { return a / b; }, "div");
  check_binary(
      min_f32,
      [](float a, float b) {
        if (std::isnan(a) || std::isnan(b)) return NAN;
        return std::min(a, b);
      },
      "min", true);
  check_binary(
      max_f32,
      [](float a, float b) {
        if (std::isnan(a) || std::isnan(b)) return NAN;
        return std::max(a, b);
      },
      "max", true);
  check_binary(prelu_f32, [](float a, float b) { return a < 0 ? a * b : a; }, "prelu");
}

TEST(Binary, PowMatchesLibm) {
  for (float e : {2.0f, 3.0f, 0.5f, -1.0f, 1.0f, 0.0f, 2.5f, -2.0f}) {
    Guarded<float> a(kSpecial), b{e}, y(a.size());
    pow_f32(a, 1, b, 0, y, a.size());
    for (size_t i = 0; i < a.size(); i++) {
      EXPECT_LE(ulp_error(y[i], std::pow(static_cast<double>(a[i]), e)), 1.5) << a[i] << "^" << e << " = " << y[i];
    }
  }
  Guarded<float> a{2, 3, 4, 5, 6}, b{1, 2, 3, 4, 0.5f}, y(5);
  pow_f32(a, 1, b, 1, y, 5);
  for (size_t i = 0; i < 5; i++) EXPECT_FLOAT_EQ(y[i], std::pow(a[i], b[i]));
}

TEST(Binary, RowsAndColumns) {
  for (size_t outer : {1, 2, 5, 100, 700})
    for (size_t inner : {1, 2, 3, 4, 7, 8, 9, 20}) {
      Guarded<float> a = random_floats(outer * inner, 1), row = random_floats(inner, 2), col = random_floats(outer, 3),
                     y(outer * inner);
      binary_rows_f32(sub_f32, a, row, y.poison(), outer, inner);
      for (size_t i = 0; i < y.size(); i++) ASSERT_EQ(y[i], a[i] - row[i % inner]);
      binary_cols_f32(sub_f32, a, col, y.poison(), outer, inner);
      for (size_t i = 0; i < y.size(); i++) ASSERT_EQ(y[i], a[i] - col[i / inner]);
      EXPECT_TRUE(y.intact());
    }
}

template <class K, class F>
void check_unary(K kernel, F f, const char* name, double ulps = 0) {
  for (size_t n : {size_t{0}, size_t{1}, size_t{3}, size_t{4}, size_t{6}, kSpecial.size()}) {
    Guarded<float> x(std::vector<float>(kSpecial.end() - static_cast<ptrdiff_t>(n), kSpecial.end())), y(n);
    kernel(x.data(), y.poison().data(), n);
    EXPECT_TRUE(y.intact());
    for (size_t i = 0; i < n; i++) {
      double exact = f(x[i]);
      EXPECT_TRUE(same(y[i], static_cast<float>(exact)) || ulp_error(y[i], exact) <= ulps)
          << name << "(" << x[i] << ") = " << y[i] << ", expected " << exact;
    }
  }
}

TEST(Unary, SpecialValues) {
  check_unary(relu_f32, [](float x) { return std::isnan(x) ? x : x > 0 ? x : 0.0f; }, "relu");
  check_unary(abs_f32, [](float x) { return std::fabs(x); }, "abs");
  check_unary(neg_f32, [](float x) { return -x; }, "neg");
  check_unary(sqrt_f32, [](float x) { return std::sqrt(x); }, "sqrt");
  check_unary(reciprocal_f32, [](float x) { return 1 / x; }, "reciprocal");
  check_unary(floor_f32, [](float x) { return std::floor(x); }, "floor");
  check_unary(ceil_f32, [](float x) { return std::ceil(x); }, "ceil");
  check_unary(round_f32, [](float x) { return std::nearbyint(x); }, "round");
  check_unary(sign_f32, [](float x) { return std::isnan(x) ? x : x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }, "sign");
  check_unary(softsign_f32, [](float x) { return x / (1 + std::fabs(x)); }, "softsign");
}

TEST(Unary, HardSwish) {
  Guarded<float> x(kSpecial), y(x.size());
  hard_swish_f32(x, y, x.size());
  for (size_t i = 0; i < x.size(); i++) {
    double v = x[i], exact = v * std::fmax(0, std::fmin(1, v / 6 + 0.5));
    if (std::isnan(v) || v == -INFINITY)
      EXPECT_TRUE(std::isnan(y[i]));
    else if (std::isinf(v))
      EXPECT_EQ(y[i], v);
    else
      EXPECT_LE(std::fabs(y[i] - exact), std::ldexp(std::fabs(v), -23)) << v;
  }
}

TEST(Unary, WithParameters) {
  check_unary([](const float* x, float* y, size_t n) { leaky_relu_f32(x, y, n, 0.01f); },
              [](float x) { return x < 0 ? x * 0.01f : x; }, "leaky_relu");
  check_unary([](const float* x, float* y, size_t n) { clip_f32(x, y, n, -1, 2); },
              [](float x) { return x < -1  ? -1
                                   : x > 2 ? 2
                                           : x; }, "clip");
  check_unary([](const float* x, float* y, size_t n) { clip_f32(x, y, n, 3, 2); },
              [](float x) { return std::isnan(x) ? x : 2; }, "clip with lo > hi");
  check_unary([](const float* x, float* y, size_t n) { hard_sigmoid_f32(x, y, n, 0.2f, 0.5f); },
              [](float x) {
                float v = x * 0.2f + 0.5f;
                return v < 0 ? 0 : v > 1 ? 1 : v;
              },
              "hard_sigmoid", 1);
  check_unary([](const float* x, float* y, size_t n) { thresholded_relu_f32(x, y, n, 1); },
              [](float x) { return x > 1 ? x : 0; }, "thresholded_relu");
  check_unary([](const float* x, float* y, size_t n) { shrink_f32(x, y, n, 1.5f, 0.5f); },
              [](float x) { return x < -0.5f  ? x + 1.5f
                                   : x > 0.5f ? x - 1.5f
                                              : 0; }, "shrink");
  check_unary([](const float* x, float* y, size_t n) { affine_f32(x, y, n, 2, 3); }, [](float x) { return x * 2 + 3; },
              "affine", 1);
}

}  // namespace
}  // namespace sardonyx::kernels
