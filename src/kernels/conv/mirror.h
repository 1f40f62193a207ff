// Convolutions along one axis whose kernels are their own mirror images, or the negatives of those, as the cosines and
// sines of a Fourier transform are: taps that lie as far from the middle are added up first, and multiplied once.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

// Tap t is paired with tap pivot - t. pivot: taps (tap 0 has no partner, as in periodic windows) or taps - 1.
struct Mirror {
  size_t channels, taps, pivot, stride;

  size_t first() const noexcept { return pivot == taps ? 1 : 0; }  // of the pairs
  size_t end() const noexcept { return (pivot + 1) / 2; }          // behind their last
  bool has_middle() const noexcept { return pivot % 2 == 0; }
  // Rows of one channel: tap 0 if it is alone, the pairs, and in the sums the one in the middle.
  size_t sums() const noexcept { return end() + (has_middle() ? 1 : 0); }
  size_t differences() const noexcept { return end(); }
};

// For the `count` (1 to 8) windows from column `first` on: of every channel sums x[t] + x[pivot - t] and differences
// x[t] - x[pivot - t] as a panel of a packed B (gemm_f32.h), [channels * sums()][8] and [channels * differences()][8];
// either may be null. x: the padded input, channels `plane` apart.
void mirror_fold_f32(const Mirror& m, const float* x, size_t plane, size_t first, size_t count, float* sums,
                     float* differences) noexcept;

}  // namespace sardonyx::kernels
