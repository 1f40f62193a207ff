// Random inputs and comparisons for tests of operators that compute in floats.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/tensor.h"

namespace sardonyx::testing {

// Values in [-1, 1), the same for the same seed, in any float type.
inline Tensor random_tensor(const Shape& shape, uint32_t seed, DType type = DType::float32) {
  std::mt19937 engine(seed);
  Tensor t = Tensor::allocate(type, shape);
  for (int64_t i = 0; i < t.count(); i++) {
    const float v = static_cast<float>(static_cast<int>(engine() % 2001) - 1000) / 1000.0f;
    if (type == DType::float32) t.data<float>()[i] = v;
    if (type == DType::float64) t.data<double>()[i] = v;
    if (type == DType::float16) t.data<Float16>()[i] = Float16(v);
    if (type == DType::bfloat16) t.data<BFloat16>()[i] = BFloat16(v);
  }
  return t;
}

// All elements of a numeric tensor as double.
inline std::vector<double> doubles(const Tensor& t) {
  std::vector<double> v;
  const auto all = [&]<class T>(const T* p) {
    for (int64_t i = 0; i < t.count(); i++) {
      if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>)
        v.push_back(static_cast<double>(p[i]));
      else
        v.push_back(static_cast<float>(p[i]));
    }
  };
  switch (t.dtype()) {
    case DType::float32:
      all(t.data<float>());
      break;
    case DType::float64:
      all(t.data<double>());
      break;
    case DType::float16:
      all(t.data<Float16>());
      break;
    case DType::bfloat16:
      all(t.data<BFloat16>());
      break;
    case DType::int8:
      all(t.data<int8_t>());
      break;
    case DType::uint8:
      all(t.data<uint8_t>());
      break;
    case DType::int16:
      all(t.data<int16_t>());
      break;
    case DType::uint16:
      all(t.data<uint16_t>());
      break;
    case DType::int32:
      all(t.data<int32_t>());
      break;
    case DType::uint32:
      all(t.data<uint32_t>());
      break;
    case DType::int64:
      all(t.data<int64_t>());
      break;
    case DType::uint64:
      all(t.data<uint64_t>());
      break;
    default:
      ADD_FAILURE() << "no number: " << t.describe();
  }
  return v;
}

// How far results of this type may be from exact ones, as a share of the largest.
inline double rounding(DType type) {
  switch (type) {
    case DType::float64:
      return 1e-12;
    case DType::float32:
      return 2e-5;
    case DType::float16:
      return 2e-3;
    case DType::bfloat16:
      return 1.6e-2;
    default:
      return 0;
  }
}

// Within rounding(type) of the largest magnitude (at least 1).
inline void expect_near(const Tensor& got, const std::vector<double>& wanted, const std::string& what = {}) {
  const std::vector<double> v = doubles(got);
  ASSERT_EQ(v.size(), wanted.size()) << what << " " << got.describe();
  double largest = 1;
  for (double w : wanted) {
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  }
  const double allowed = rounding(got.dtype()) * largest;
  for (size_t i = 0; i < v.size(); i++) {
    if (std::isnan(wanted[i])) {
      ASSERT_TRUE(std::isnan(v[i])) << what << " at " << i;
    } else if (std::isinf(wanted[i])) {
      ASSERT_EQ(v[i], wanted[i]) << what << " at " << i;
    } else {
      ASSERT_NEAR(v[i], wanted[i], allowed) << what << " at " << i << " of " << got.describe();
    }
  }
}

}  // namespace sardonyx::testing
