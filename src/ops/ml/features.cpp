// Operators on features.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> ml_feature_ops() { return {}; }

}  // namespace sardonyx
