// Lists of axes and other small integers.
#include "ops/util/axes.h"

namespace sardonyx {

uint32_t axis_bits(std::span<const int64_t> axes, int rank) {
  uint32_t bits = 0;
  for (int64_t axis : axes) {
    const uint32_t bit = 1u << normalize_axis(axis, rank);
    check(!(bits & bit), ErrorCode::invalid_model, "axis ", axis, " is named twice");
    bits |= bit;
  }
  return bits;
}

KnownInts known_ints(const InferContext& c, int i) {
  c.require_dtype(i, kIndex);
  c.require_rank(i, 0, 1);
  const Tensor* tensor = c.value(i);
  return tensor ? KnownInts{true, tensor->to_int64()} : KnownInts{};
}

}  // namespace sardonyx
