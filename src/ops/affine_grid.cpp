// AffineGrid.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> affine_grid_ops() { return {}; }

}  // namespace sardonyx
