// Det.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> det_ops() { return {}; }

}  // namespace sardonyx
