// Sequences of tensors: construction, access, splitting, joining, SequenceMap.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> sequence_ops() { return {}; }

}  // namespace sardonyx
