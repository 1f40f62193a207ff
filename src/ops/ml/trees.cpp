// Tree ensembles.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> ml_tree_ops() { return {}; }

}  // namespace sardonyx
