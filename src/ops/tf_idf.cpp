// TfIdfVectorizer.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> tf_idf_ops() { return {}; }

}  // namespace sardonyx
