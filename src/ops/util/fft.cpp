// Radix 2 and Bluestein.
#include "ops/util/fft.h"

#include <bit>
#include <cmath>
#include <utility>

namespace sardonyx {
namespace {

constexpr double kPi = 3.14159265358979323846;

Complex operator*(Complex a, Complex b) noexcept { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex operator+(Complex a, Complex b) noexcept { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) noexcept { return {a.re - b.re, a.im - b.im}; }
Complex conjugate(Complex a) noexcept { return {a.re, -a.im}; }
Complex unit(double angle) { return {std::cos(angle), std::sin(angle)}; }

int64_t work_size(int64_t n) {
  const auto u = static_cast<uint64_t>(n);
  return static_cast<int64_t>(std::has_single_bit(u) ? u : std::bit_ceil(2 * u - 1));
}

}  // namespace

Fft::Fft(int64_t n) : n_(n), m_(work_size(n)) {
  for (int64_t k = 0; k < m_ / 2; k++) {
    roots_.push_back(unit(-2 * kPi * static_cast<double>(k) / static_cast<double>(m_)));
  }
  if (m_ == n_) return;
  filter_.resize(static_cast<size_t>(m_));
  for (int64_t k = 0; k < n_; k++) {
    // k^2 modulo 2 n, so that the angle stays small and exact.
    const auto turn = static_cast<double>(k * k % (2 * n_));
    chirp_.push_back(unit(-kPi * turn / static_cast<double>(n_)));
    filter_[static_cast<size_t>(k)] = filter_[static_cast<size_t>(k ? m_ - k : 0)] = conjugate(chirp_.back());
  }
  radix2(filter_.data());
}

void Fft::radix2(Complex* x) const noexcept {
  for (int64_t i = 1, j = 0; i < m_; i++) {
    int64_t bit = m_ >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (int64_t half = 1; half < m_; half *= 2) {
    const int64_t step = m_ / (2 * half);
    for (int64_t from = 0; from < m_; from += 2 * half) {
      for (int64_t k = 0; k < half; k++) {
        const Complex a = x[from + k], b = x[from + k + half] * roots_[static_cast<size_t>(k * step)];
        x[from + k] = a + b;
        x[from + k + half] = a - b;
      }
    }
  }
}

void Fft::forward(Complex* x, Complex* work) const noexcept {
  if (chirp_.empty()) return radix2(x);
  for (int64_t k = 0; k < m_; k++) work[k] = k < n_ ? x[k] * chirp_[static_cast<size_t>(k)] : Complex{};
  radix2(work);
  // The inverse transform is the forward one of the conjugates.
  for (int64_t k = 0; k < m_; k++) work[k] = conjugate(work[k] * filter_[static_cast<size_t>(k)]);
  radix2(work);
  const double scale = 1 / static_cast<double>(m_);
  for (int64_t k = 0; k < n_; k++) {
    const Complex y = conjugate(work[k]) * chirp_[static_cast<size_t>(k)];
    x[k] = {y.re * scale, y.im * scale};
  }
}

void Fft::transform(Complex* x, Complex* work, bool inverse) const noexcept {
  if (!inverse) return forward(x, work);
  for (int64_t k = 0; k < n_; k++) x[k] = conjugate(x[k]);
  forward(x, work);
  for (int64_t k = 0; k < n_; k++) x[k] = conjugate(x[k]);
}

}  // namespace sardonyx
