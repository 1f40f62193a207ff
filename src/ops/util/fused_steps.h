// The steps that products and convolutions take over from their successors.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/epilogue.h"
#include "ops/fusible.h"

namespace sardonyx {

// y = clamp(product * scale[c] + shift[c]): what was fused, in order. c: the output channel.
class FusedSteps : public Fusible {
 public:
  bool fuse_clamp(float lo, float hi) override {
    if (std::isnan(lo) || std::isnan(hi) || lo > hi) return false;
    // min(max(y, lo), hi) after an earlier clamp: both bounds are clamped.
    lo_ = std::min(std::max(lo_, lo), hi);
    hi_ = std::min(std::max(hi_, lo), hi);
    clamped_ = true;
    return true;
  }
  bool fuse_scale_shift(std::span<const float> scale, std::span<const float> shift) override {
    if (clamped_ || scale.size() != shift.size()) return false;
    if (!scale_.empty() && scale_.size() != scale.size()) return false;
    if (scale_.empty()) {
      scale_.assign(scale.begin(), scale.end());
      shift_.assign(shift.begin(), shift.end());
      return true;
    }
    for (size_t i = 0; i < scale.size(); i++) {
      scale_[i] *= scale[i];
      shift_[i] = shift_[i] * scale[i] + shift[i];
    }
    return true;
  }

  bool scaled() const noexcept { return !scale_.empty(); }
  std::span<const float> scale() const noexcept { return scale_; }
  std::span<const float> shift() const noexcept { return shift_; }
  // An epilogue that only clamps.
  kernels::Epilogue clamp() const noexcept {
    kernels::Epilogue e;
    e.lo = lo_;
    e.hi = hi_;
    return e;
  }
  bool clamped() const noexcept { return clamped_; }

 private:
  std::vector<float> scale_, shift_;
  float lo_ = -std::numeric_limits<float>::infinity();
  float hi_ = std::numeric_limits<float>::infinity();
  bool clamped_ = false;
};

}  // namespace sardonyx
