// LinearAttention and CausalConvWithState: recurrences with a state that is passed on.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> linear_attention_ops() { return {}; }

}  // namespace sardonyx
