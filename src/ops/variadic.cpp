// Max, Min, Sum and Mean of any number of tensors, with broadcasting.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> variadic_ops() { return {}; }

}  // namespace sardonyx
