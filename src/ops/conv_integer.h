// What passes make of a ConvInteger. No model names it.
#pragma once
#include <memory>

#include "ops/operator.h"

namespace sardonyx {

// ConvInteger whose fifth input, a float32 of one element, is multiplied by the sums: the output is float32. What
// scales, shifts and clamps it can be fused. `attributes`: the ConvInteger's.
std::shared_ptr<Operator> make_scaled_conv_integer(const Attributes& attributes);

}  // namespace sardonyx
