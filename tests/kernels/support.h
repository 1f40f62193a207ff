// Buffers with guarded ends, random data and comparisons for the kernel tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace sardonyx::kernels::test {

constexpr size_t kSlackBytes = 64;

// n elements with 64 bytes of slack on both sides. The slack of an input is NaN (all bits set), so that a kernel that
// lets it reach a result fails; that of an output is a canary.
template <class T>
class Guarded {
 public:
  explicit Guarded(size_t n) : n_(n), bytes_(n * sizeof(T) + 2 * kSlackBytes, 0xFF) {
    std::memset(data(), 0, n * sizeof(T));
  }
  Guarded(std::initializer_list<T> values) : Guarded(values.size()) { std::copy(values.begin(), values.end(), data()); }
  explicit Guarded(const std::vector<T>& values) : Guarded(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }

  T* data() { return reinterpret_cast<T*>(bytes_.data() + kSlackBytes); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + kSlackBytes); }
  operator T*() { return data(); }
  operator const T*() const { return data(); }
  size_t size() const { return n_; }
  T* begin() { return data(); }
  T* end() { return data() + n_; }

  // Poisons the elements too: an output that is not written stays NaN.
  Guarded& poison() {
    std::memset(data(), 0xFF, n_ * sizeof(T));
    return *this;
  }

  bool intact() const {
    auto is_canary = [](uint8_t b) { return b == 0xFF; };
    return std::all_of(bytes_.begin(), bytes_.begin() + kSlackBytes, is_canary) &&
           std::all_of(bytes_.end() - kSlackBytes, bytes_.end(), is_canary);
  }

 private:
  size_t n_;
  std::vector<uint8_t> bytes_;
};

class Random {
 public:
  explicit Random(uint64_t seed = 1) : state_(seed * 2862933555777941757u + 3037000493u) {}
  uint32_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }
  float uniform(float lo, float hi) { return lo + (hi - lo) * static_cast<float>(bits() >> 7) / 16777216.0f; }
  int integer(int lo, int hi) { return lo + static_cast<int>(bits() % static_cast<uint32_t>(hi - lo + 1)); }

 private:
  uint64_t state_;
};

inline Guarded<float> random_floats(size_t n, uint64_t seed, float lo = -1, float hi = 1) {
  Guarded<float> out(n);
  Random random(seed);
  for (float& v : out) v = random.uniform(lo, hi);
  return out;
}

// All elements within atol + rtol * |expected|; NaN and infinities must match.
template <class A, class E>
::testing::AssertionResult close(const A& actual, const E& expected, size_t n, double atol, double rtol) {
  for (size_t i = 0; i < n; i++) {
    double a = static_cast<double>(actual[i]), e = static_cast<double>(expected[i]);
    bool ok = std::isnan(e) ? std::isnan(a) : std::isinf(e) ? a == e : std::fabs(a - e) <= atol + rtol * std::fabs(e);
    if (!ok) return ::testing::AssertionFailure() << "element " << i << " of " << n << ": " << a << ", expected " << e;
  }
  return ::testing::AssertionSuccess();
}

// Distance of a float32 result from the exact value in units of the last place of the exact value's float32.
inline double ulp_error(float actual, double exact) {
  float rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : INFINITY;
  if (actual == rounded || (std::isnan(actual) && std::isnan(rounded))) return 0;
  if (std::isnan(actual) || std::isinf(actual) || std::isinf(rounded)) {
    // One overflows: the other may be the largest finite value.
    const float big = std::numeric_limits<float>::max();
    return std::fabs(actual) >= big && std::fabs(rounded) >= big && std::signbit(actual) == std::signbit(rounded)
               ? 1
               : INFINITY;
  }
  double magnitude = std::max(std::fabs(exact), static_cast<double>(std::numeric_limits<float>::min()));
  double ulp = std::ldexp(1.0, std::ilogb(magnitude) - 23);
  return std::fabs(static_cast<double>(actual) - exact) / ulp;
}

}  // namespace sardonyx::kernels::test
