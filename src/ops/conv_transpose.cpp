// ConvTranspose: transposed convolution over any number of spatial dimensions.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> conv_transpose_ops() { return {}; }

}  // namespace sardonyx
