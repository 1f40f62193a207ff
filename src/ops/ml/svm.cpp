// SVMClassifier, SVMRegressor.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> ml_svm_ops() { return {}; }

}  // namespace sardonyx
