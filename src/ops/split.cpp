// Split: cuts a tensor along one axis.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> split_ops() { return {}; }

}  // namespace sardonyx
