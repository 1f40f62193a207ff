// The discrete Fourier transform of any length, in float64.
#pragma once
#include <cstdint>
#include <vector>

namespace sardonyx {

struct Complex {
  double re = 0, im = 0;
};

// A plan for one length: radix 2 for powers of two, Bluestein's algorithm over them for the rest ("A linear filtering
// approach to the computation of discrete Fourier transform", 1970).
class Fft {
 public:
  static constexpr int64_t kMost = int64_t{1} << 26;
  // 1 <= n <= kMost
  explicit Fft(int64_t n);
  int64_t size() const noexcept { return n_; }
  // Elements that transform() needs besides its n.
  int64_t scratch() const noexcept { return chirp_.empty() ? 0 : m_; }
  // x[k] = sum over j of x[j] exp(-+2 pi i j k / n): minus forward, plus inverse (not divided by n), in place.
  void transform(Complex* x, Complex* scratch, bool inverse) const noexcept;

 private:
  void radix2(Complex* x) const noexcept;
  void forward(Complex* x, Complex* scratch) const noexcept;

  int64_t n_, m_;               // m_: the power of two that is worked in
  std::vector<Complex> roots_;  // exp(-2 pi i k / m_), k < m_ / 2
  std::vector<Complex> chirp_;  // exp(-pi i k^2 / n); empty where n is a power of two
  std::vector<Complex> filter_;
};

}  // namespace sardonyx
