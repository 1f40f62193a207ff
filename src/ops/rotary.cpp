// RotaryEmbedding.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> rotary_ops() { return {}; }

}  // namespace sardonyx
