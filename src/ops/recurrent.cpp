// LSTM, GRU and RNN.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> recurrent_ops() { return {}; }

}  // namespace sardonyx
