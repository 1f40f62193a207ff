// Indices into an axis, checked.
#pragma once
#include "ops/operator.h"

namespace sardonyx {

// Writes the elements of an int32 or int64 tensor to `to`, negative ones counted from the end of a dimension of `dim`.
// Throws Error (runtime_error) for an index out of range.
void normalize_indices(const Tensor& indices, int64_t dim, int axis, int64_t* to);

// Index `index` of dimension `axis` with `dim` elements, likewise.
inline int64_t normalize_index(int64_t index, int64_t dim, int axis) {
  if (index < -dim || index >= dim) [[unlikely]] {
    fail(ErrorCode::runtime_error, cat("index ", index, " is out of range for dimension ", axis, " of ", dim));
  }
  return index < 0 ? index + dim : index;
}

// The same for tuples: indices [..., tuple] into the axes [first, first + tuple) of x; writes the element offset of
// each tuple's slice, without what the axes before `first` add.
void tuple_offsets(const Tensor& indices, const Shape& x, int first, int64_t* to);

// How GatherElements and ScatterElements walk: the indices' innermost rows, each with its place in x. Element j of row
// r with index i is x[offset(r) + i * axis_stride + j * step].
class IndexedRows {
 public:
  // `indices` is not empty and has x's rank, which is at least 1.
  IndexedRows(const Shape& x, const Shape& indices, int axis) noexcept;
  int64_t offset(int64_t row) const noexcept;

  int64_t count, length;
  int64_t axis_stride, step;

 private:
  Shape indices_;
  std::array<int64_t, Shape::kMaxRank> strides_;  // of x, 0 at the axis
};

}  // namespace sardonyx
