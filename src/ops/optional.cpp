// Optional values: Optional, OptionalGetElement, OptionalHasElement.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> optional_ops() { return {}; }

}  // namespace sardonyx
