// Copies between boxes of regular strides, for elements of any type.
#pragma once
#include "base/tensor.h"

namespace sardonyx {

// A box of up to twice the tensor rank, outermost axis first: where both sides step by. Neighbouring axes that are one
// run on both sides are merged as they are added, axes of one element are left out.
class StridedBox {
 public:
  // The next inner axis: `count` elements, x and y strides in elements (0 repeats, negative reverses).
  void add(int64_t count, int64_t x_stride, int64_t y_stride) noexcept;

  // y[...] = x[...], from these first elements on. `type` must be addressable. x and y do not overlap.
  void copy(DType type, const std::byte* x, int64_t x_at, std::byte* y, int64_t y_at) const noexcept;

 private:
  static constexpr int kMaxAxes = 2 * Shape::kMaxRank;
  void copy_strings(const std::string* x, std::string* y, int axis) const noexcept;

  int rank_ = 0;
  bool empty_ = false;
  size_t dims_[kMaxAxes];
  ptrdiff_t x_strides_[kMaxAxes];
  ptrdiff_t y_strides_[kMaxAxes];
};

}  // namespace sardonyx
