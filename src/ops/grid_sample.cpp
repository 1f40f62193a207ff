// GridSample.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> grid_sample_ops() { return {}; }

}  // namespace sardonyx
