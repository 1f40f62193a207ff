// Clip: limits by attributes or by inputs.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> clip_ops() { return {}; }

}  // namespace sardonyx
