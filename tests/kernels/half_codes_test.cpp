// Weights as codes of 16 bits: every finite float16, and products with them against sums of their values.
#include "kernels/gemm/gemm_f32.h"
#include "kernels/half/codes.h"
#include "kernels/half/half.h"
#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

// The value of a float16 by its definition.
double value_of(uint16_t bits) {
  const int e = bits >> 10 & 31, m = bits & 1023;
  return (bits & 0x8000 ? -1 : 1) * (e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24));
}

void expect_same(const std::vector<uint16_t>& halves) {
  const size_t n = halves.size(), whole = (n + 7) / 8 * 8;
  Guarded<uint16_t> codes(whole);
  std::copy(halves.begin(), halves.end(), codes.data());
  const float unit = half_to_codes(codes, n);
  ASSERT_GT(unit, 0);
  Guarded<float> y(whole);
  half_widen_f32({codes, unit}, y.poison(), n);
  EXPECT_TRUE(y.intact() && codes.intact());
  for (size_t i = 0; i < n; i++) {
    ASSERT_EQ(static_cast<double>(y[i]), value_of(halves[i])) << i;
    ASSERT_EQ(std::signbit(y[i]), (halves[i] & 0x8000) != 0) << i;
  }
}

TEST(HalfCodes, EveryFiniteFloat16IsExact) {
  // Beside the largest ones, and beside none but small ones: the unit differs.
  for (double limit : {65504.0, 1000.0, 63.9, 1.0, 1e-4, 1e-7, 0.0}) {
    std::vector<uint16_t> some;
    for (int h = 0; h < 65536; h++) {
      const auto bits = static_cast<uint16_t>(h);
      if ((bits & 0x7c00) != 0x7c00 && std::fabs(value_of(bits)) <= limit) some.push_back(bits);
    }
    expect_same(some);
  }
  for (size_t n : {0, 1, 7, 8, 9, 255, 256, 257, 515}) expect_same(std::vector<uint16_t>(n, 0x8001));
}

TEST(HalfCodes, InfinityAndNaNAreRefused) {
  for (const uint16_t bad : {0x7c00, 0xfc00, 0x7e00, 0xffff}) {
    for (size_t at : {0, 130, 299}) {
      Guarded<uint16_t> x(304);
      std::fill_n(x.data(), 300, uint16_t{0x3c01});
      x[at] = bad;
      EXPECT_EQ(half_to_codes(x, 300), 0);
      EXPECT_TRUE(x.intact());
      for (size_t i = 0; i < 300; i++) ASSERT_EQ(x[i], i == at ? bad : 0x3c01);
    }
  }
}

struct Weights {
  size_t k, n;
  std::vector<uint16_t> bits;  // k x n
  Guarded<uint16_t> packed;
  HalfCodes codes;

  Weights(size_t depth, size_t columns, int exponents, bool transposed)
      : k(depth), n(columns), bits(k * n), packed(gemm_packed_b_size(k, n)) {
    Random random(k * 1000 + n);
    for (auto& b : bits) {
      const uint32_t r = random.bits();
      b = static_cast<uint16_t>((r & 0x83ff) | (16 - r / 1024 % static_cast<uint32_t>(exponents)) << 10);
    }
    std::vector<uint16_t> stored(bits);
    for (size_t i = 0; transposed && i < k * n; i++) stored[i % n * k + i / n] = bits[i];
    half_pack_b(k, n, {stored.data(), transposed ? 1 : n, transposed ? k : 1}, packed.poison());
    codes = {packed, half_to_codes(packed, packed.size())};
  }
};

// c = alpha x w, x m x k; within what sums of floats lose.
void expect_product(const Weights& w, size_t m, const Guarded<float>& x, float alpha, size_t column_stride = 1) {
  Guarded<float> c(m * w.n), scratch(gemm_dynamic_scratch_size(m, w.k, w.n)), bias = random_floats(w.n, 5);
  Epilogue e;
  e.col_bias = bias;
  gemm_dynamic_f32(m, w.k, w.n, {x, w.k * column_stride, column_stride}, alpha, {{}, false, w.codes}, c.poison(), w.n,
                   scratch.poison(), e);
  EXPECT_TRUE(c.intact() && scratch.intact() && w.packed.intact());
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < w.n; j++) {
      double sum = static_cast<double>(bias[j]), size = std::fabs(sum);
      for (size_t p = 0; p < w.k; p++) {
        const double term = static_cast<double>(x[(i * w.k + p) * column_stride]) * static_cast<double>(alpha) *
                            value_of(w.bits[p * w.n + j]);
        sum += term;
        size += std::fabs(term);
      }
      ASSERT_NEAR(static_cast<double>(c[i * w.n + j]), sum, size * 1e-6) << m << " " << w.k << " " << w.n;
    }
  }
}

TEST(HalfCodes, Products) {
  for (size_t m : {1, 2, 5, 12, 13, 60}) {
    for (size_t k : {1, 2, 7, 64, 131}) {
      for (size_t n : {1, 7, 8, 9, 24, 25, 31, 32, 33, 101}) {
        for (bool transposed : {false, true}) {
          const Weights w(k, n, transposed ? 4 : 17, transposed);
          expect_product(w, m, random_floats(m * k, m), transposed ? 1.0f : 0.7f);
        }
      }
    }
  }
  // More columns than a block has, and more rows.
  expect_product(Weights(1100, 200, 8, false), 3, random_floats(3 * 1100, 1), 1);
  expect_product(Weights(1100, 200, 8, false), 250, random_floats(250 * 1100, 1), 1);
  expect_product(Weights(20, 30, 8, false), 1, random_floats(2 * 20, 1), 1, 2);
}

TEST(HalfCodes, StripsAreThoseOfFloats) {
  for (size_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 18, 22}) {
    for (size_t k : {1, 3, 8, 9}) {
      Guarded<uint16_t> a(m * k), packed(gemm_packed_a_size(m, k));
      for (size_t i = 0; i < m * k; i++) a[i] = static_cast<uint16_t>(0x3c00 + i);
      Guarded<float> wide(m * k), expected(packed.size()), actual(packed.size());
      f16_to_f32(a, wide, m * k);
      gemm_pack_a_f32(m, k, {wide, k, 1}, 1, expected.poison());
      half_pack_a(m, k, a, packed.poison());
      EXPECT_TRUE(packed.intact() && a.intact());
      f16_to_f32(packed, actual, packed.size());
      for (size_t i = 0; i < packed.size(); i++) ASSERT_EQ(actual[i], expected[i]) << m << " " << k << " " << i;
    }
  }
}

TEST(HalfCodes, OneRowOfAnySize) {
  const Weights w(20, 40, 5, false);
  for (float size : {1e-30f, 1e-10f, 3e4f, 1e5f, 1e20f, 1e29f}) {
    Guarded<float> x = random_floats(20, 3);
    for (auto& v : x) v *= size;
    expect_product(w, 1, x, 1);
  }
}

TEST(HalfCodes, OneRowWithInfinityAndNaN) {
  const Weights w(4, 8, 3, false);
  for (float bad : {INFINITY, -INFINITY, NAN}) {
    Guarded<float> x{1, bad, 2, 3e38f}, y(8);
    half_row_f32(4, 8, x, w.codes, y.poison());
    for (size_t j = 0; j < 8; j++) {
      const float expected = bad * static_cast<float>(value_of(w.bits[8 + j]));
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(y[j]) : y[j] == expected) << j;
    }
  }
}

}  // namespace
}  // namespace sardonyx::kernels
