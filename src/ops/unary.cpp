// Elementwise functions of one tensor: arithmetic, rounding, trigonometry, tests.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> unary_ops() { return {}; }

}  // namespace sardonyx
