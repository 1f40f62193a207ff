// Slice: ranges with steps along any axes.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> slice_ops() { return {}; }

}  // namespace sardonyx
