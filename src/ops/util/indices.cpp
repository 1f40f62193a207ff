// Indices into an axis, checked.
#include "ops/util/indices.h"

namespace sardonyx {
namespace {

template <class I>
void normalize(const I* from, int64_t count, int64_t dim, int axis, int64_t* to) {
  for (int64_t i = 0; i < count; i++) to[i] = normalize_index(from[i], dim, axis);
}

template <class I>
void offsets(const I* from, int64_t tuples, int tuple, const Shape& x, int first, int64_t* to) {
  const auto strides = x.strides();
  for (int64_t i = 0; i < tuples; i++) {
    int64_t at = 0;
    for (int k = 0; k < tuple; k++) {
      at += normalize_index(*from++, x[first + k], first + k) * strides[static_cast<size_t>(first + k)];
    }
    to[i] = at;
  }
}

}  // namespace

void normalize_indices(const Tensor& indices, int64_t dim, int axis, int64_t* to) {
  if (indices.dtype() == DType::int32) {
    normalize(indices.data<int32_t>(), indices.count(), dim, axis, to);
  } else {
    normalize(indices.data<int64_t>(), indices.count(), dim, axis, to);
  }
}

void tuple_offsets(const Tensor& indices, const Shape& x, int first, int64_t* to) {
  const int tuple = static_cast<int>(indices.shape().back());
  const int64_t tuples = indices.shape().count(0, indices.rank() - 1);
  if (indices.dtype() == DType::int32) {
    offsets(indices.data<int32_t>(), tuples, tuple, x, first, to);
  } else {
    offsets(indices.data<int64_t>(), tuples, tuple, x, first, to);
  }
}

IndexedRows::IndexedRows(const Shape& x, const Shape& indices, int axis) noexcept
    : length(indices.back()), indices_(indices), strides_(x.strides()) {
  const size_t last = static_cast<size_t>(x.rank() - 1);
  count = 1;
  for (int i = 0; i + 1 < indices.rank(); i++) count *= indices[i];
  axis_stride = strides_[static_cast<size_t>(axis)];
  strides_[static_cast<size_t>(axis)] = 0;
  step = strides_[last];
}

int64_t IndexedRows::offset(int64_t row) const noexcept {
  int64_t at = 0;
  for (int i = indices_.rank() - 2; i >= 0; i--) {
    at += row % indices_[i] * strides_[static_cast<size_t>(i)];
    row /= indices_[i];
  }
  return at;
}

}  // namespace sardonyx
