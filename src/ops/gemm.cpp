// Gemm: alpha * A * B + beta * C with optional transpositions.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> gemm_ops() { return {}; }

}  // namespace sardonyx
