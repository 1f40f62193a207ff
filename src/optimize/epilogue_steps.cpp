// Reading clamps, activations and factors.
#include "optimize/epilogue_steps.h"

#include <cmath>
#include <limits>

namespace sardonyx {

namespace {

// The number that input i is, if it is one constant that does not raise the rank of the other of two inputs.
std::optional<float> number_beside(const Rewriter& r, const Node& node, size_t i) {
  const Tensor* t = r.constant(node.inputs[i]);
  if (!t || t->count() != 1 || t->dtype() != DType::float32) return std::nullopt;
  const StaticType other = r.types[node.inputs[1 - i]];
  if (t->rank() > 0 && !(other.known() && t->rank() <= other.rank())) return std::nullopt;
  return *t->data<float>();
}

}  // namespace

std::optional<ClampStep> read_clamp(const Rewriter& r, const Node& node) {
  ClampStep step{-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  if (!node.domain.empty()) return std::nullopt;
  if (node.op_type == "Relu") {
    step.lo = 0;
    return step;
  }
  if ((node.op_type == "Max" || node.op_type == "Min") && node.inputs.size() == 2) {
    for (size_t x = 0; x < 2; x++) {
      const auto bound = number_beside(r, node, 1 - x);
      if (!bound || std::isnan(*bound)) continue;
      (node.op_type == "Max" ? step.lo : step.hi) = *bound;
      step.input = x;
      return step;
    }
  }
  if (node.op_type != "Clip") return std::nullopt;
  float* bounds[] = {&step.lo, &step.hi};
  if (node.opset < 11) {
    step.lo = node.attributes.number("min", std::numeric_limits<float>::lowest());
    step.hi = node.attributes.number("max", std::numeric_limits<float>::max());
  }
  for (size_t i = 1; i < node.inputs.size() && i < 3; i++) {
    if (node.inputs[i] == kNoValue) continue;
    const Tensor* t = r.constant(node.inputs[i]);
    if (!t || t->dtype() != DType::float32 || t->count() != 1) return std::nullopt;
    *bounds[i - 1] = *t->data<float>();
  }
  return step.lo <= step.hi ? std::optional(step) : std::nullopt;
}

std::optional<ActivationStep> read_activation(const Node& node) {
  if (!node.domain.empty() || node.inputs.size() != 1) return std::nullopt;
  const std::string& type = node.op_type;
  const Attributes& a = node.attributes;
  if (type == "LeakyRelu") return ActivationStep{Activation::leaky_relu, a.number("alpha", 0.01f)};
  if (type == "Sigmoid") return ActivationStep{Activation::sigmoid};
  if (type == "HardSigmoid")
    return ActivationStep{Activation::hard_sigmoid, a.number("alpha", 0.2f), a.number("beta", 0.5f)};
  if (type == "HardSwish") return ActivationStep{Activation::hard_swish};
  if (type == "Swish" && a.number("alpha", 1) == 1) return ActivationStep{Activation::silu};
  if (type == "Tanh") return ActivationStep{Activation::tanh};
  if (type == "Gelu") {
    return ActivationStep{a.string("approximate", "none") == "tanh" ? Activation::gelu_tanh : Activation::gelu};
  }
  if (type == "Mish") return ActivationStep{Activation::mish};
  if (type == "Softplus") return ActivationStep{Activation::softplus};
  if (type == "Elu") return ActivationStep{Activation::elu, a.number("alpha", 1)};
  return std::nullopt;
}

std::optional<FactorStep> read_factor(const Rewriter& r, const Node& node) {
  const bool mul = node.op_type == "Mul";
  if (!node.domain.empty() || (!mul && node.op_type != "Div") || node.inputs.size() != 2 || node.opset < 7)
    return std::nullopt;
  for (size_t x = 0; x < (mul ? 2 : 1); x++) {
    const auto number = number_beside(r, node, 1 - x);
    if (!number) continue;
    const float factor = mul ? *number : 1 / *number;
    if (std::isfinite(factor)) return FactorStep{x, factor};
  }
  return std::nullopt;
}

}  // namespace sardonyx
