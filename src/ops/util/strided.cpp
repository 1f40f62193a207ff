// Strided copies: merging of axes, then plain loops.
#include "ops/util/strided.h"

#include "ops/util/elements.h"

namespace sardonyx {

void StridedBox::add(int64_t count, int64_t x_stride, int64_t y_stride) noexcept {
  empty_ |= count == 0;
  if (count <= 1 || empty_) return;
  if (rank_ > 0) {
    const int i = rank_ - 1;
    if (x_strides_[i] == x_stride * count && y_strides_[i] == y_stride * count) {
      dims_[i] *= static_cast<size_t>(count);
      x_strides_[i] = static_cast<ptrdiff_t>(x_stride);
      y_strides_[i] = static_cast<ptrdiff_t>(y_stride);
      return;
    }
  }
  dims_[rank_] = static_cast<size_t>(count);
  x_strides_[rank_] = static_cast<ptrdiff_t>(x_stride);
  y_strides_[rank_] = static_cast<ptrdiff_t>(y_stride);
  rank_++;
}

void StridedBox::copy(DType type, const std::byte* x, int64_t x_at, std::byte* y, int64_t y_at) const noexcept {
  if (empty_) return;
  const RunCopier run(type);
  if (rank_ == 0) return run(y, y_at, x, x_at, 1);
  if (rank_ == 1 && x_strides_[0] == 1 && y_strides_[0] == 1) {
    return run(y, y_at, x, x_at, static_cast<int64_t>(dims_[0]));
  }
  with_element(type, [&]<class T>(T) {
    copy_axis(reinterpret_cast<const T*>(x) + x_at, reinterpret_cast<T*>(y) + y_at, 0);
  });
}

template <class T>
void StridedBox::copy_axis(const T* x, T* y, int axis) const noexcept {
  const size_t n = dims_[axis];
  const ptrdiff_t xs = x_strides_[axis], ys = y_strides_[axis];
  if (axis + 1 < rank_) {
    for (size_t i = 0; i < n; i++, x += xs, y += ys) copy_axis(x, y, axis + 1);
  } else if (xs == 1 && ys == 1) {
    std::copy_n(x, n, y);
  } else if (xs == 0 && ys == 1) {
    std::fill_n(y, n, *x);
  } else {
    for (size_t i = 0; i < n; i++) y[static_cast<ptrdiff_t>(i) * ys] = x[static_cast<ptrdiff_t>(i) * xs];
  }
}

}  // namespace sardonyx
