// Values that are made as a part of another one: the inputs of a Concat, the outputs of a Split.
#pragma once
#include <span>
#include <vector>

#include "runtime/plan.h"

namespace sardonyx {

// Where parts of one shape after another lie in the whole: bytes from its start, one per part; empty where the parts
// are no contiguous pieces of it, or would not be aligned to 16 bytes.
std::vector<uint64_t> part_offsets(DType dtype, const Shape& whole, std::span<const Shape> parts);

// Which value each value is a part of, and at which byte of it.
struct Parts {
  std::vector<ValueId> whole;    // by value; kNoValue for none
  std::vector<uint64_t> offset;  // in `whole`
};

// Inputs of joins that may be made right in the joined value: outputs of fixed steps, each of one join only. A whole
// may be a part itself. last_use: by value, INT_MAX for results, which are made on the heap and are neither.
Parts find_joined_parts(const Graph& graph, const Plan& plan, std::span<const int> last_use);

}  // namespace sardonyx
