// Conversions from floating point to integers that are defined for every value.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sardonyx {

// x truncated toward zero; beyond the range of T its nearest end, 0 for NaN.
template <class T>
T saturate(double x) noexcept {
  static_assert(std::is_integral_v<T>);
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  // The first value above the range: a power of two, so it is exact.
  constexpr double kBeyond = 2.0 * static_cast<double>(T{1} << (std::numeric_limits<T>::digits - 1));
  if (x >= kLow && x < kBeyond) [[likely]]
    return static_cast<T>(x);
  if (x != x) return 0;
  return x < kLow ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

}  // namespace sardonyx
