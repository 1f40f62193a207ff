// Order-preserving keys.
#include "ops/util/order.h"

#include <algorithm>
#include <bit>

#include "ops/util/numbers.h"

namespace sardonyx {
namespace {

// The bits of a float, as a signed number, turned so that they are in the float's order.
template <class T>
int64_t key_of(T value) noexcept {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(value ^ 0x8000000000000000u);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    const double v = static_cast<double>(value);
    if (std::isnan(v)) return INT64_MAX;
    const int64_t bits = std::bit_cast<int64_t>(v == 0 ? 0.0 : v);
    return bits >= 0 ? bits : static_cast<int64_t>(~static_cast<uint64_t>(bits) | 0x8000000000000000u);
  }
}

std::vector<int64_t> string_keys(std::span<const std::string> strings) {
  std::vector<const std::string*> sorted;
  for (const std::string& s : strings) sorted.push_back(&s);
  const auto less = [](const std::string* a, const std::string* b) { return *a < *b; };
  std::sort(sorted.begin(), sorted.end(), less);
  std::vector<int64_t> keys;
  keys.reserve(strings.size());
  for (const std::string& s : strings) {
    keys.push_back(std::lower_bound(sorted.begin(), sorted.end(), &s, less) - sorted.begin());
  }
  return keys;
}

}  // namespace

std::vector<int64_t> order_keys(const Tensor& tensor) {
  if (tensor.dtype() == DType::string) return string_keys(tensor.values<std::string>());
  std::vector<int64_t> keys(static_cast<size_t>(tensor.count()));
  with_number(tensor.dtype(), [&]<class T>(T) {
    std::transform(tensor.data<T>(), tensor.data<T>() + tensor.count(), keys.begin(), [](T v) { return key_of<T>(v); });
  });
  return keys;
}

}  // namespace sardonyx
