// Tensors of any element type whose elements differ, for tests of operators that move data.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/value.h"
#include "tests/cpp/error_of.h"

namespace sardonyx::testing {

// All element types, those smaller than a byte and strings included.
inline std::vector<DType> all_types() {
  std::vector<DType> types;
  for (int i = 1; i < kDTypeCount; i++) types.push_back(static_cast<DType>(i));
  return types;
}

// Element i of a tensor, as the bytes (or the low bits) that it is stored as.
inline std::string element(const Tensor& t, int64_t i) {
  const int bits = dtype_bits(t.dtype());
  if (bits == 0) return t.data<std::string>()[i];
  if (bits < 8) {
    const int per_byte = 8 / bits;
    return std::string(1,
                       static_cast<char>(t.data<uint8_t>()[i / per_byte] >> i % per_byte * bits & ((1 << bits) - 1)));
  }
  return {reinterpret_cast<const char*>(t.bytes()) + i * bits / 8, static_cast<size_t>(bits / 8)};
}

// Elements 1, 2, 3... (as far as the type's bits go; bools alternate).
inline Tensor numbered(DType type, const Shape& shape) {
  Tensor t = Tensor::allocate(type, shape);
  const int bits = dtype_bits(type);
  if (bits > 0 && t.byte_size() > 0) memset(t.bytes(), 0, t.byte_size());
  for (int64_t i = 0; i < t.count(); i++) {
    const uint16_t n = static_cast<uint16_t>(i + 1);
    if (bits == 0) {
      t.data<std::string>()[i] = "a string long enough for the heap " + std::to_string(n);
    } else if (type == DType::boolean) {
      t.data<bool>()[i] = n % 3 == 1;
    } else if (bits < 8) {
      const int per_byte = 8 / bits;
      t.data<uint8_t>()[i / per_byte] |= static_cast<uint8_t>((n & ((1 << bits) - 1)) << i % per_byte * bits);
    } else {
      memcpy(t.bytes() + i * bits / 8, &n, bits == 8 ? 1 : 2);
    }
  }
  return t;
}

// The same elements, 0, 1, 2... as int64: what an operator that moves data makes of it says where each element comes
// from.
inline Tensor positions(const Shape& shape) {
  Tensor t = Tensor::allocate(DType::int64, shape);
  for (int64_t i = 0; i < t.count(); i++) t.data<int64_t>()[i] = i;
  return t;
}

// y's elements are x's at the positions that `from` tells; -1: all bits 0.
inline void expect_moved(const Tensor& x, const Tensor& y, const Tensor& from) {
  ASSERT_EQ(y.dtype(), x.dtype());
  ASSERT_TRUE(y.shape() == from.shape()) << y.describe() << " " << from.describe();
  for (int64_t i = 0; i < y.count(); i++) {
    const int64_t at = from.data<int64_t>()[i];
    const std::string got = element(y, i);
    ASSERT_EQ(got, at >= 0                      ? element(x, at)
                   : x.dtype() == DType::string ? ""
                                                : std::string(got.size(), '\0'))
        << dtype_name(x.dtype()) << " element " << i;
  }
}

inline std::vector<int64_t> ints(const Value& value) { return value.tensor().to_int64(); }

}  // namespace sardonyx::testing
