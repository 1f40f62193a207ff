// Momentum, Adam, Adagrad of ai.onnx.preview.training.
#include "ops/families.h"

namespace sardonyx {

std::span<const OpEntry> optimizer_ops() { return {}; }

}  // namespace sardonyx
