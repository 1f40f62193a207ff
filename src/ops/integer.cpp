// Products and convolutions of 8-bit integers.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> integer_ops() { return {}; }

}  // namespace sardonyx
