// Activation functions of neural networks, elementwise.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> activation_ops() { return {}; }

}  // namespace sardonyx
