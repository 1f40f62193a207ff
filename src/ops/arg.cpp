// ArgMax and ArgMin.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> arg_ops() { return {}; }

}  // namespace sardonyx
