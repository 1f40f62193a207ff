// DFT and STFT.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> fourier_ops() { return {}; }

}  // namespace sardonyx
