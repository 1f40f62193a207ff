// Nodes read as the steps that products take over (ops/fusible.h).
#pragma once
#include <optional>

#include "ops/fusible.h"
#include "optimize/rewriter.h"

namespace sardonyx {

struct ClampStep {
  float lo, hi;
  size_t input = 0;  // which is clamped
};
// The bounds of a Relu, of a Clip whose bounds are constant float32 numbers, lo <= hi, or of a Max or Min of a value
// and one such number that does not raise its rank.
std::optional<ClampStep> read_clamp(const Rewriter& r, const Node& node);

struct ActivationStep {
  Activation kind;
  float alpha = 0, beta = 0;
};
std::optional<ActivationStep> read_activation(const Node& node);

// The other input of a Mul or Div by one constant number that does not raise the rank of the value it scales, and the
// factor.
struct FactorStep {
  size_t input;
  float factor;
};
std::optional<FactorStep> read_factor(const Rewriter& r, const Node& node);

}  // namespace sardonyx
