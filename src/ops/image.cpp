// ImageDecoder.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> image_ops() { return {}; }

}  // namespace sardonyx
