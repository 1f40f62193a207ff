// Tile and Expand: repeat a tensor along its axes.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> tile_ops() { return {}; }

}  // namespace sardonyx
