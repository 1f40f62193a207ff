// LabelEncoder, CategoryMapper.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> ml_label_ops() { return {}; }

}  // namespace sardonyx
