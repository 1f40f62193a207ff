// Finding strings and numbers in a list.
#pragma once
#include <bit>
#include <cmath>
#include <unordered_map>

#include "ops/util/dispatch.h"

namespace sardonyx {

// A tensor of rank 1.
template <class T>
Tensor tensor_of(const std::vector<T>& values) {
  Tensor t = Tensor::allocate(dtype_of<T>(), Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}

// Where each of the keys is in its list; of equal ones the first or the last counts. All NaN are equal, and so are both
// zeros.
class Positions {
 public:
  explicit Positions(const Tensor& keys, bool last = false) {
    for (int64_t k = 0; k < keys.count(); k++) {
      const int64_t i = last ? keys.count() - 1 - k : k;
      if (keys.dtype() == DType::string) {
        words_.try_emplace(keys.data<std::string>()[i], i);
      } else {
        bits_.try_emplace(bits_at(keys, i), i);
      }
    }
  }
  // Of element i of x, which has the keys' type; -1 where it is none of them.
  int64_t of(const Tensor& x, int64_t i) const {
    return x.dtype() == DType::string ? of_word(x.data<std::string>()[i]) : of_bits(bits_at(x, i));
  }
  int64_t of_word(const std::string& word) const {
    const auto it = words_.find(word);
    return it == words_.end() ? -1 : it->second;
  }
  int64_t of_bits(uint64_t bits) const {
    const auto it = bits_.find(bits);
    return it == bits_.end() ? -1 : it->second;
  }

 private:
  static uint64_t bits_at(const Tensor& t, int64_t i) {
    uint64_t bits = 0;
    const auto of_float = [](double v) { return std::bit_cast<uint64_t>(std::isnan(v) ? std::nan("") : v + 0.0); };
    if (t.dtype() == DType::float32) return of_float(static_cast<double>(t.data<float>()[i]));
    if (t.dtype() == DType::float64) return of_float(t.data<double>()[i]);
    dispatch_signed(t.dtype(), [&]<class T>(TypeTag<T>) { bits = static_cast<uint64_t>(t.data<T>()[i]); });
    return bits;
  }
  std::unordered_map<std::string, int64_t> words_;
  std::unordered_map<uint64_t, int64_t> bits_;
};

}  // namespace sardonyx
