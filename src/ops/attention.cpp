// Attention.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> attention_ops() { return {}; }

}  // namespace sardonyx
