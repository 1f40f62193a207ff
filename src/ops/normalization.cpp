// Normalizations and Dropout: the list of these operators.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> normalization_ops() { return {}; }

}  // namespace sardonyx
