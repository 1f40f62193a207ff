// Conv: convolution over any number of spatial dimensions.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> conv_ops() { return {}; }

}  // namespace sardonyx
