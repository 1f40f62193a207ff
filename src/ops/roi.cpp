// RoiAlign and MaxRoiPool.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> roi_ops() { return {}; }

}  // namespace sardonyx
