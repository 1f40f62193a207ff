// Reductions against loops in double, or exact integers.
#include "kernels/reduce/reduce.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

const std::vector<ReduceKind> kKinds = {
    ReduceKind::kSum, ReduceKind::kMean, ReduceKind::kMax,       ReduceKind::kMin,    ReduceKind::kProd,
    ReduceKind::kL1,  ReduceKind::kL2,   ReduceKind::kSumSquare, ReduceKind::kLogSum, ReduceKind::kLogSumExp};

double reference(ReduceKind kind, const std::vector<double>& v) {
  double sum = 0, l1 = 0, square = 0, exp_sum = 0, product = 1, max = -INFINITY, min = INFINITY;
  for (double x : v) {
    sum += x, l1 += std::fabs(x), square += x * x, exp_sum += std::exp(x), product *= x;
    max = std::max(max, x), min = std::min(min, x);
  }
  switch (kind) {
    case ReduceKind::kSum:
      return sum;
    case ReduceKind::kMean:
      return sum / static_cast<double>(v.size());
    case ReduceKind::kMax:
      return max;
    case ReduceKind::kMin:
      return min;
    case ReduceKind::kProd:
      return product;
    case ReduceKind::kL1:
      return l1;
    case ReduceKind::kL2:
      return std::sqrt(square);
    case ReduceKind::kSumSquare:
      return square;
    case ReduceKind::kLogSum:
      return std::log(sum);
    default:
      return std::log(exp_sum);
  }
}

template <class T>
std::vector<double> line(const T* x, size_t i, size_t axis, size_t inner) {
  std::vector<double> v;
  for (size_t a = 0; a < axis; a++) v.push_back(static_cast<double>(x[(i / inner * axis + a) * inner + i % inner]));
  return v;
}

TEST(Reduce, Float) {
  for (size_t outer : {1, 3})
    for (size_t axis : {0, 1, 2, 3, 4, 5, 8, 9, 63, 65, 1030})
      for (size_t inner : {1, 2, 4, 5, 9})
        for (ReduceKind kind : kKinds) {
          Guarded<float> x = random_floats(outer * axis * inner, axis, 0.5f, 1.5f), y(outer * inner);
          reduce_f32(kind, x, y.poison(), outer, axis, inner);
          EXPECT_TRUE(y.intact());
          for (size_t i = 0; i < y.size(); i++) {
            double e = reference(kind, line(x.data(), i, axis, inner));
            double rtol = kind == ReduceKind::kProd ? 1e-7 * static_cast<double>(axis + 1) : 1e-6;
            EXPECT_TRUE(close(y + i, &e, 1, kind >= ReduceKind::kLogSum ? 1e-6 : 0, rtol))
                << static_cast<int>(kind) << " axis " << axis << " inner " << inner;
          }
        }
}

TEST(Reduce, LongSumsStayExact) {
  const size_t n = 1 << 20;
  Guarded<float> x(n), y(1);
  std::fill(x.begin(), x.end(), 0.1f);
  reduce_f32(ReduceKind::kMean, x, y, 1, n, 1);
  EXPECT_LE(ulp_error(y[0], static_cast<double>(0.1f)), 2);
  Guarded<float> two(2);
  reduce_f32(ReduceKind::kMean, x, two, 1, n / 2, 2);
  EXPECT_LE(ulp_error(two[1], static_cast<double>(0.1f)), 4);
}

TEST(Reduce, NanAndInfinity) {
  Guarded<float> x{1, NAN, 3, 4, 5}, y(1);
  for (ReduceKind kind : kKinds) {
    reduce_f32(kind, x, y, 1, 5, 1);
    EXPECT_TRUE(std::isnan(y[0])) << static_cast<int>(kind);
  }
  Guarded<float> low{-INFINITY, -INFINITY}, high{INFINITY, 1};
  reduce_f32(ReduceKind::kLogSumExp, low, y, 1, 2, 1);
  EXPECT_EQ(y[0], -INFINITY);
  reduce_f32(ReduceKind::kLogSumExp, high, y, 1, 2, 1);
  EXPECT_EQ(y[0], INFINITY);
  Guarded<float> large{1000, 1000};
  reduce_f32(ReduceKind::kLogSumExp, large, y, 1, 2, 1);
  EXPECT_FLOAT_EQ(y[0], 1000 + std::log(2.0f));
}

template <class T>
void check_type() {
  const size_t outer = 2, inner = 3;
  for (size_t axis : {1, 2, 5}) {
    Guarded<T> x(outer * axis * inner), y(outer * inner);
    Random random(axis);
    for (T& v : x) v = static_cast<T>(random.integer(std::is_signed_v<T> ? -4 : 1, 4));
    for (ReduceKind kind : kKinds) {
      reduce<T>(kind, x, y.poison(), outer, axis, inner);
      EXPECT_TRUE(y.intact());
      for (size_t i = 0; i < y.size(); i++) {
        double e = reference(kind, line(x.data(), i, axis, inner));
        if (std::is_integral_v<T>) {
          if (!std::isfinite(e)) continue;  // the logarithm of a sum that is not positive
          EXPECT_EQ(y[i], static_cast<T>(static_cast<int64_t>(e))) << static_cast<int>(kind);
        } else {
          double got = static_cast<double>(y[i]);
          EXPECT_TRUE(close(&got, &e, 1, 1e-12, 1e-12)) << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST(Reduce, OtherTypes) {
  check_type<double>();
  check_type<int32_t>();
  check_type<int64_t>();
  check_type<uint32_t>();
  check_type<uint64_t>();
  check_type<int8_t>();
}

TEST(Reduce, IntegersWrapAndEmptyAxesGiveBounds) {
  Guarded<int32_t> x{INT32_MAX, 1, INT32_MIN, -1}, y(1);
  reduce<int32_t>(ReduceKind::kSum, x, y, 1, 2, 1);
  EXPECT_EQ(y[0], INT32_MIN);
  reduce<int32_t>(ReduceKind::kL1, x.data() + 2, y, 1, 1, 1);
  EXPECT_EQ(y[0], INT32_MIN);
  reduce<int32_t>(ReduceKind::kProd, x.data() + 2, y, 1, 2, 1);
  EXPECT_EQ(y[0], INT32_MIN);
  reduce<int32_t>(ReduceKind::kMax, x, y, 1, 0, 1);
  EXPECT_EQ(y[0], INT32_MIN);
  reduce<int32_t>(ReduceKind::kMin, x, y, 1, 0, 1);
  EXPECT_EQ(y[0], INT32_MAX);
}

template <class T>
void check_arg(std::initializer_list<T> values) {
  Guarded<T> x(values);
  Guarded<int64_t> y(2);
  size_t axis = x.size() / 2;
  for (bool max : {false, true})
    for (bool last : {false, true}) {
      arg_reduce<T>(max, last, x, y.poison(), 1, axis, 2);
      EXPECT_TRUE(y.intact());
      for (size_t i = 0; i < 2; i++) {
        size_t best = 0;
        for (size_t a = 1; a < axis; a++) {
          T v = x[a * 2 + i], b = x[best * 2 + i];
          if (max ? v > b : v < b) best = a;
          if (last && v == b) best = a;
        }
        EXPECT_EQ(y[i], static_cast<int64_t>(best));
      }
    }
}

TEST(Reduce, Arg) {
  check_arg<float>({1, 5, 3, 5, 3, -1, 0, -1});
  check_arg<double>({1, 5, 3, 5, 3, -1, 0, -1});
  check_arg<int8_t>({1, 5, 3, 5, 3, -1, 0, -1});
  check_arg<int64_t>({1, 5, 3, 5, 3, -1, 0, -1});
  check_arg<uint8_t>({1, 5, 3, 5, 3, 255, 0, 255});
  Guarded<float> x{1, NAN, 7, NAN};
  Guarded<int64_t> y(1);
  for (bool max : {false, true}) {
    arg_reduce<float>(max, false, x, y, 1, 4, 1);
    EXPECT_EQ(y[0], 1);
    arg_reduce<float>(max, true, x, y, 1, 4, 1);
    EXPECT_EQ(y[0], 3);
  }
}

}  // namespace
}  // namespace sardonyx::kernels
