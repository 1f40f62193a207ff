// Gather, GatherElements, GatherND: reads by index.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> gather_ops() { return {}; }

}  // namespace sardonyx
