// BlackmanWindow, HannWindow, HammingWindow, MelWeightMatrix.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> window_ops() { return {}; }

}  // namespace sardonyx
