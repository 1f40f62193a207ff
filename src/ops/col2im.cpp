// Col2Im.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> col2im_ops() { return {}; }

}  // namespace sardonyx
