// Transpose: permutes dimensions.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> transpose_ops() { return {}; }

}  // namespace sardonyx
