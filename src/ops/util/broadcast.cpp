// Merging of dimensions and the geometry of tiles.
#include "ops/util/broadcast.h"

#include "base/error.h"

namespace sardonyx {

using Steps = std::array<int64_t, BroadcastTile::kOperands>;

Broadcast::Broadcast(const Shape& out, std::initializer_list<const Shape*> operands)
    : operands_(static_cast<int>(operands.size())), count_(out.count()) {
  dims_[0] = 1;
  const bool all_same = std::all_of(operands.begin(), operands.end(), [&](const Shape* s) { return *s == out; });
  if (all_same) {
    dims_[0] = count_;
    for (size_t i = 0; i < operands.size(); i++) strides_[i][0] = 1;
    return;
  }
  // From the innermost dimension outwards; dimensions of one element vanish. Collected backwards, then turned around.
  int n = 0;
  Steps step{};  // elements of each operand behind one index of the current dimension
  step.fill(1);
  for (int axis = out.rank() - 1; axis >= 0; axis--) {
    const int64_t dim = out[axis];
    Steps stride{};
    size_t k = 0;
    for (const Shape* s : operands) {
      const int own = axis - (out.rank() - s->rank());
      const int64_t d = own < 0 ? 1 : (*s)[own];
      stride[k] = d == 1 ? 0 : step[k];
      step[k] *= d;
      k++;
    }
    if (dim == 1) continue;
    bool merge = n > 0;
    for (size_t i = 0; merge && i < operands.size(); i++) {
      const auto last = static_cast<size_t>(n - 1);
      merge = stride[i] == strides_[i][last] * dims_[last];
    }
    if (merge) {
      dims_[static_cast<size_t>(n - 1)] *= dim;
      continue;
    }
    dims_[static_cast<size_t>(n)] = dim;
    for (size_t i = 0; i < operands.size(); i++) strides_[i][static_cast<size_t>(n)] = stride[i];
    n++;
  }
  rank_ = std::max(n, 1);
  std::reverse(dims_.begin(), dims_.begin() + rank_);
  for (auto& s : strides_) std::reverse(s.begin(), s.begin() + rank_);
}

BroadcastTile Broadcast::slice(int64_t from, int64_t to) const noexcept {
  BroadcastTile t;
  t.cols = to - from;
  t.out = from;
  for (size_t k = 0; k < static_cast<size_t>(operands_); k++) {
    t.col_stride[k] = strides_[k][0];
    t.offset[k] = from * strides_[k][0];
  }
  return t;
}

BroadcastTile Broadcast::tile(int64_t row, int64_t end) const noexcept {
  BroadcastTile t;
  const auto last = static_cast<size_t>(rank_ - 1);
  t.rows = end - row;
  t.cols = dims_[last];
  t.out = row * t.cols;
  for (size_t k = 0; k < static_cast<size_t>(operands_); k++) {
    t.col_stride[k] = strides_[k][last];
    t.row_stride[k] = strides_[k][last - 1];
  }
  for (size_t axis = last; axis-- > 0;) {
    const int64_t index = row % dims_[axis];
    row /= dims_[axis];
    for (size_t k = 0; k < static_cast<size_t>(operands_); k++) t.offset[k] += index * strides_[k][axis];
  }
  return t;
}

Shape aligned_at(const Shape& b, int axis, int rank) {
  check(axis >= 0 && axis + b.rank() <= rank, ErrorCode::invalid_model, "shape ", b, " does not fit at axis ", axis,
        " of rank ", rank);
  Shape s = Shape::filled(axis, 1);
  for (int64_t d : b) s.push_back(d);
  while (s.rank() < rank) s.push_back(1);
  return s;
}

}  // namespace sardonyx
