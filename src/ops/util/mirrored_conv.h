// Convolutions along one axis with mirrored kernels (kernels/conv/mirror.h), as Fourier transforms of sound are
// written.
#pragma once
#include <optional>
#include <vector>

#include "kernels/conv/mirror.h"
#include "ops/util/conv_f32.h"

namespace sardonyx {

struct MirroredConv {
  // Output channels one after the other that read the same halves: their weights begin at these floats of `packed`.
  struct Rows {
    size_t first, count;
    bool sums, differences;
    size_t sums_at, differences_at;
  };
  kernels::Mirror mirror;
  std::vector<Rows> rows;
  Tensor packed;

  bool reads_sums() const noexcept;
  bool reads_differences() const noexcept;
};

// w: float32 [out channels][channels][taps]. None where it would not pay: with less than three quarters of the kernels
// mirrored (to 2^-32 of their largest tap, an error far below that of rounding), few taps, groups or dilations.
std::optional<MirroredConv> mirrored_conv(const Tensor& w, int64_t groups, const WindowAttributes& window,
                                          std::span<const float> scale);

// As run_conv_f32(), which it replaces; what conv.packed is does not matter.
void run_mirrored_conv(RunContext& c, const MirroredConv& weights, const ConvF32& conv);

}  // namespace sardonyx
