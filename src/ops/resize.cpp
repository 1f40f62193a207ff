// Resize and Upsample.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> resize_ops() { return {}; }

}  // namespace sardonyx
