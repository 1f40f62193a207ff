// Reductions over sets of axes.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> reduce_ops() { return {}; }

}  // namespace sardonyx
