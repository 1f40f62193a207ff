// The list of types that passes look into.
#include <algorithm>
#include <span>

#include "optimize/static_types.h"

namespace sardonyx {

void StaticTypes::set(ValueId id, DType dtype, const Shape& first, const Shape& second) {
  Entry& entry = list_[static_cast<size_t>(id)];
  const size_t rank = static_cast<size_t>(first.rank());
  entry.dtype = dtype;
  entry.rank = static_cast<uint8_t>(rank);
  entry.dims.reset(new int64_t[2 * rank + 1]);  // of a scalar, too
  std::copy(first.begin(), first.end(), entry.dims.get());
  std::copy(second.begin(), second.end(), entry.dims.get() + rank);
}

StaticType StaticTypes::operator[](ValueId id) const {
  if (id < 0 || static_cast<size_t>(id) >= list_.size() || !list_[static_cast<size_t>(id)].dims) return {};
  const Entry& entry = list_[static_cast<size_t>(id)];
  const std::span<const int64_t> dims(entry.dims.get(), 2 * size_t{entry.rank});
  return {entry.dtype, true, Shape(dims.first(entry.rank)), Shape(dims.last(entry.rank))};
}

}  // namespace sardonyx
