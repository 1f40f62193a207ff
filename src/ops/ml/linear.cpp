// LinearClassifier, LinearRegressor.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> ml_linear_ops() { return {}; }

}  // namespace sardonyx
