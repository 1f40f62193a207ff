// Concat: joins tensors along one axis.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> concat_ops() { return {}; }

}  // namespace sardonyx
