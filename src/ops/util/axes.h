// Lists of axes and other small integers, as attributes or inputs give them.
#pragma once
#include <vector>

#include "ops/operator.h"

namespace sardonyx {

// A bit per axis of a tensor of this rank. Throws Error (invalid_model) for an axis out of range or named twice.
uint32_t axis_bits(std::span<const int64_t> axes, int rank);

// The integers of input i, an int32 or int64 tensor of rank 0 or 1; null input or unknown data: `known` is false.
struct KnownInts {
  bool known = false;
  std::vector<int64_t> values;
};
KnownInts known_ints(const InferContext& c, int i);

}  // namespace sardonyx
