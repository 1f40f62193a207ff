// What an operator that ends in a product can take over from its successors (graph passes ask through fusible()).
#pragma once
#include <span>

namespace sardonyx {

// Each call says whether the operator took the step over; if so the successor is to be removed. Only before prepare().
// The steps are applied in the order of the calls: nothing can be fused after a clamp but another clamp.
class Fusible {
 public:
  // y = min(max(y, lo), hi), NaN stays NaN: Relu, Clip, Relu6.
  virtual bool fuse_clamp(float lo, float hi) = 0;
  // y = y * scale[c] + shift[c] per output channel (as many as there are output channels): BatchNormalization. The
  // channel is axis 1.
  virtual bool fuse_scale_shift(std::span<const float> scale, std::span<const float> shift) = 0;

 protected:
  ~Fusible() = default;
};

}  // namespace sardonyx
