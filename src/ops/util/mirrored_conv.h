// Convolutions along one axis with mirrored kernels (kernels/conv/mirror.h), as Fourier transforms of sound are
// written.
#pragma once
#include <optional>
#include <vector>

#include "kernels/conv/mirror.h"
#include "ops/util/conv_f32.h"

namespace sardonyx {

struct MirroredConv {
  // Output channels one after the other that read the same halves: their weights begin at these floats of the packed
  // ones.
  struct Rows {
    size_t first, count;
    bool sums, differences;
    size_t sums_at, differences_at;
  };
  kernels::Mirror mirror;
  std::vector<Rows> rows;

  bool reads_sums() const noexcept;
  bool reads_differences() const noexcept;
};

// w: float32 [out channels][channels][taps]. None where it would not pay: with less than three quarters of the kernels
// mirrored (to 2^-32 of their largest tap, an error far below that of rounding), few taps, groups or dilations. Else
// `packed` is the halves of the kernels, with scale per output channel (none: 1) multiplied in.
std::optional<MirroredConv> mirrored_conv(const Tensor& w, int64_t groups, const WindowAttributes& window,
                                          std::span<const float> scale, Tensor& packed);

// As run_conv_f32(), which it replaces; conv.packed is what mirrored_conv() packed.
void run_mirrored_conv(RunContext& c, const MirroredConv& mirrored, const ConvF32& conv);

}  // namespace sardonyx
