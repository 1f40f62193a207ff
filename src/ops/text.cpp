// Operators on strings: StringNormalizer, StringConcat, StringSplit.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> text_ops() { return {}; }

}  // namespace sardonyx
