// CastMap, DictVectorizer, ZipMap.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> ml_map_ops() { return {}; }

}  // namespace sardonyx
