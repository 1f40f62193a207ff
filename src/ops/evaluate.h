// One operator on given values, without a session: constant folding, and tests.
#pragma once
#include "ops/operator.h"

namespace sardonyx {

// What infer() sees of a value whose data is known; `value` may be null for an input that is left out.
InferInput infer_input(const Value* value);

// Infers and runs. Null inputs are left out, outputs are wanted where `wanted` says so (others come back as none).
// Subgraphs cannot be run. Throws what the operator throws, without a place.
std::vector<Value> evaluate(const Operator& op, std::span<const Value* const> inputs, std::span<const char> wanted);

}  // namespace sardonyx
