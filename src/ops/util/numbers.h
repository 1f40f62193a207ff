// Dispatch on the element type for operators that look at numbers, one element at a time.
#pragma once
#include <cmath>
#include <cstdint>

#include "base/tensor.h"

namespace sardonyx {

// Calls f with a default-made element of the type, one of kNumeric | kBool.
template <class F>
void with_number(DType type, F&& f) {
  switch (type) {
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    case DType::float16:
      return f(Float16{});
    case DType::bfloat16:
      return f(BFloat16{});
    case DType::int8:
      return f(int8_t{});
    case DType::uint8:
      return f(uint8_t{});
    case DType::int16:
      return f(int16_t{});
    case DType::uint16:
      return f(uint16_t{});
    case DType::int32:
      return f(int32_t{});
    case DType::uint32:
      return f(uint32_t{});
    case DType::int64:
      return f(int64_t{});
    case DType::uint64:
      return f(uint64_t{});
    default:
      return f(bool{});
  }
}

// A number as int64: truncated, out of range to the nearest bound, NaN to the lowest.
template <class T>
int64_t saturate_int64(T value) noexcept {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return value > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    const double v = static_cast<double>(value);
    if (!(v > -0x1p63)) return INT64_MIN;
    return v >= 0x1p63 ? INT64_MAX : static_cast<int64_t>(v);
  }
}

}  // namespace sardonyx
