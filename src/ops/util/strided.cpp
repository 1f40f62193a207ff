// Strided copies: merging of axes; the loops are the kernel's, but for strings.
#include "ops/util/strided.h"

#include "kernels/move/copy.h"
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
  if (type == DType::string) {
    return copy_strings(reinterpret_cast<const std::string*>(x) + x_at, reinterpret_cast<std::string*>(y) + y_at, 0);
  }
  const auto size = static_cast<int64_t>(run.size());
  kernels::copy_strided(x + x_at * size, x_strides_, y + y_at * size, y_strides_, dims_, static_cast<size_t>(rank_),
                        run.size());
}

void StridedBox::copy_strings(const std::string* x, std::string* y, int axis) const noexcept {
  for (size_t i = 0; i < dims_[axis]; i++, x += x_strides_[axis], y += y_strides_[axis]) {
    if (axis + 1 == rank_) {
      *y = *x;
    } else {
      copy_strings(x, y, axis + 1);
    }
  }
}

}  // namespace sardonyx
