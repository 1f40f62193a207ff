// Einsum.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> einsum_ops() { return {}; }

}  // namespace sardonyx
