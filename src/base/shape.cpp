// Shapes: construction, products, broadcasting.
#include "base/shape.h"

#include <algorithm>

#include "base/error.h"

namespace sardonyx {
namespace {

void require_dim(int64_t dim) {
  check(dim >= 0, ErrorCode::invalid_model, "a shape has the negative dimension ", dim);
  check(dim <= Shape::kMaxDim, ErrorCode::out_of_memory, "a shape has the dimension ", dim, ", the limit is 2^53");
}

}  // namespace

Shape::Shape(std::span<const int64_t> dims) {
  check(dims.size() <= kMaxRank, ErrorCode::invalid_model, "rank ", dims.size(), " is above the limit of ", kMaxRank);
  for (int64_t d : dims) {
    require_dim(d);
    dims_[static_cast<size_t>(rank_++)] = d;
  }
}

Shape Shape::filled(int rank, int64_t dim) {
  Shape s;
  for (int i = 0; i < rank; i++) s.push_back(dim);
  return s;
}

void Shape::push_back(int64_t dim) { insert(rank_, dim); }

void Shape::insert(int at, int64_t dim) {
  check(rank_ < kMaxRank, ErrorCode::invalid_model, "rank ", rank_ + 1, " is above the limit of ", kMaxRank);
  require_dim(dim);
  for (int i = rank_; i > at; i--) dims_[static_cast<size_t>(i)] = dims_[static_cast<size_t>(i - 1)];
  dims_[static_cast<size_t>(at)] = dim;
  rank_++;
}

void Shape::erase(int at) {
  for (int i = at; i + 1 < rank_; i++) dims_[static_cast<size_t>(i)] = dims_[static_cast<size_t>(i + 1)];
  rank_--;
}

void Shape::require_valid() const {
  for (int64_t dim : *this) require_dim(dim);
}

int64_t Shape::count(int from, int to) const {
  constexpr int64_t kSmall = int64_t{1} << 31, kLimit = int64_t{1} << 62;
  bool zero = false, too_large = false;
  int64_t n = 1;
  for (int i = from; i < to; i++) {
    const int64_t dim = dims_[static_cast<size_t>(i)];
    zero |= dim == 0;
    if (n < kSmall && dim < kSmall) {
      n *= std::max<int64_t>(dim, 1);
    } else if (__builtin_mul_overflow(n, dim, &n) || n > kLimit) {  // a call, in WebAssembly
      too_large = true;
      n = 1;
    }
  }
  if (zero) return 0;
  check(!too_large, ErrorCode::out_of_memory, "a tensor of shape ", *this, " has more than 2^62 elements");
  return n;
}

std::array<int64_t, Shape::kMaxRank> Shape::strides() const {
  std::array<int64_t, kMaxRank> s{};
  int64_t step = 1;
  for (int i = rank_ - 1; i >= 0; i--) {
    s[static_cast<size_t>(i)] = step;
    // Unsigned: the product of an empty tensor's other dimensions may be beyond all bounds, and no one uses it.
    step = static_cast<int64_t>(static_cast<uint64_t>(step) * static_cast<uint64_t>(dims_[static_cast<size_t>(i)]));
  }
  return s;
}

bool Shape::operator==(const Shape& o) const noexcept {
  return rank_ == o.rank_ && std::equal(begin(), end(), o.begin());
}

std::string Shape::to_string() const {
  if (rank_ == 0) return "scalar";
  std::string text;
  for (int i = 0; i < rank_; i++) text += (i ? "x" : "") + std::to_string(dims_[static_cast<size_t>(i)]);
  return text;
}

int normalize_axis(int64_t axis, int rank) {
  check(axis >= -rank && axis < rank, ErrorCode::invalid_model, "axis ", axis, " is out of range for rank ", rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Shape broadcast(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape out = Shape::filled(rank, 1);
  for (int i = 0; i < rank; i++) {
    const int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    check(da == db || da == 1 || db == 1, ErrorCode::invalid_input, "shapes ", a, " and ", b, " cannot be broadcast");
    out[i] = da == 1 ? db : da;
  }
  return out;
}

}  // namespace sardonyx
