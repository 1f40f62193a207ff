// Joining and stacking tensors.
#include "ops/util/join.h"

#include <algorithm>

#include "ops/util/elements.h"

namespace sardonyx {
namespace {

// A part that is `run` elements for each index of the axes before the joint.
struct Piece {
  const std::byte* data;
  int64_t run;
};

void place(ThreadPool& pool, std::span<const Piece> pieces, int64_t outer, DType dtype, std::byte* y) {
  const RunCopier copy(dtype);
  int64_t row = 0;
  for (const Piece& p : pieces) row += p.run;
  if (outer == 1) {
    int64_t at = 0;
    for (const Piece& p : pieces) {
      // A part that was made in its place is there already (runtime/plan_parts.h).
      if (p.data != y + at * static_cast<int64_t>(copy.size())) copy(y, at, p.data, 0, p.run);
      at += p.run;
    }
    return;
  }
  const auto rows = [&](int64_t from, int64_t to) {
    for (int64_t o = from; o < to; o++) {
      int64_t at = o * row;
      for (const Piece& p : pieces) {
        copy(y, at, p.data, o * p.run, p.run);
        at += p.run;
      }
    }
  };
  pool.parallel_for(outer, grain_of_bytes(row * static_cast<int64_t>(copy.size())), rows);
}

}  // namespace

Shape joined_shape(std::span<const Shape* const> parts, int axis, ErrorCode code) {
  const auto filled =
      std::find_if(parts.begin(), parts.end(), [&](const Shape* s) { return axis < s->rank() && (*s)[axis] != 0; });
  const Shape& like = filled == parts.end() ? *parts[0] : **filled;
  Shape y = like;
  y[axis] = 0;
  for (const Shape* part : parts) {
    const Shape& x = *part;
    bool fits = x.rank() == y.rank();
    for (int d = 0; fits && x[axis] != 0 && d < y.rank(); d++) fits = d == axis || x[d] == y[d];
    check(fits, code, "shapes ", like, " and ", x, " cannot be joined along axis ", axis);
    check(!__builtin_add_overflow(y[axis], x[axis], &y[axis]), ErrorCode::out_of_memory, "the result is too large");
  }
  return y;
}

void join(ThreadPool& pool, std::span<const Tensor* const> parts, int axis, Tensor& y) {
  std::vector<Piece> pieces;
  std::vector<Tensor> bytes;  // of types smaller than a byte
  pieces.reserve(parts.size());
  bytes.reserve(parts.size());
  const bool small = kSubByte.has(y.dtype());
  for (const Tensor* part : parts) {
    if (part->count() == 0) continue;
    if (small) part = &bytes.emplace_back(unpacked(*part));
    pieces.push_back({part->bytes(), part->shape().count(axis, part->rank())});
  }
  Tensor to = unpacked_like(y);
  place(pool, pieces, y.shape().count(0, axis), to.dtype(), to.bytes());
  pack(to, y);
}

Tensor stack(ThreadPool& pool, std::span<const Tensor> parts, DType dtype, const Shape& shape, int axis, bool reversed,
             std::string_view what) {
  std::vector<const Tensor*> list;
  list.reserve(parts.size());
  for (size_t i = 0; i < parts.size(); i++) {
    const Tensor& part = parts[reversed ? parts.size() - 1 - i : i];
    check(part.dtype() == dtype && part.shape() == shape, ErrorCode::runtime_error, what, " is ", part,
          " in one iteration and ", dtype, "(", shape, ") in another");
    list.push_back(&part);
  }
  Shape y = shape;
  y.insert(axis, static_cast<int64_t>(parts.size()));
  Tensor result = Tensor::allocate(dtype, y);
  // A part has no dimension at the joint; its run begins there all the same.
  join(pool, list, axis, result);
  return result;
}

}  // namespace sardonyx
