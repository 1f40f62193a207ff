// The steps that products and convolutions take over from their successors.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/tensor.h"
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
    const int64_t n = static_cast<int64_t>(scale.size());
    if (clamped_ || scale.size() != shift.size() || (scaled() && scale_.count() != n)) return false;
    if (!scaled()) {
      scale_ = Tensor::allocate(DType::float32, {n});
      shift_ = Tensor::allocate(DType::float32, {n});
      std::ranges::copy(scale, scale_.data<float>());
      std::ranges::copy(shift, shift_.data<float>());
      return true;
    }
    for (size_t i = 0; i < scale.size(); i++) {
      scale_.data<float>()[i] *= scale[i];
      shift_.data<float>()[i] = shift_.data<float>()[i] * scale[i] + shift[i];
    }
    return true;
  }

  bool scaled() const noexcept { return scale_.defined(); }
  std::span<const float> scale() const noexcept { return scaled() ? scale_.values<float>() : std::span<const float>(); }
  std::span<const float> shift() const noexcept { return scaled() ? shift_.values<float>() : std::span<const float>(); }
  // An epilogue that only clamps.
  kernels::Epilogue clamp() const noexcept {
    kernels::Epilogue e;
    e.lo = lo_;
    e.hi = hi_;
    return e;
  }

  // The steps one by one where no kernel does them: element i of y belongs to channel i / inner % channels.
  template <class T>
  void apply(T* y, int64_t count, int64_t inner) const noexcept {
    for (int64_t i = 0; scaled() && i < count; i++) {
      const int64_t c = i / inner % scale_.count();
      y[i] = static_cast<T>(static_cast<double>(y[i]) * static_cast<double>(scale_.data<float>()[c]) +
                            static_cast<double>(shift_.data<float>()[c]));
    }
    apply_clamp(y, count);
  }
  template <class T>
  void apply_clamp(T* y, int64_t count) const noexcept {
    const double lo = static_cast<double>(lo_), hi = static_cast<double>(hi_);
    for (int64_t i = 0; clamped_ && i < count; i++) {
      const double v = static_cast<double>(y[i]);
      if (v < lo) y[i] = static_cast<T>(lo_);
      if (v > hi) y[i] = static_cast<T>(hi_);
    }
  }

 private:
  Tensor scale_, shift_;  // tensors have the slack that kernels may read
  float lo_ = -std::numeric_limits<float>::infinity();
  float hi_ = std::numeric_limits<float>::infinity();
  bool clamped_ = false;
};

}  // namespace sardonyx
