// Where: elements of one tensor or the other.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> where_ops() { return {}; }

}  // namespace sardonyx
