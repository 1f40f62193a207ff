// com.microsoft FusedMatMul, FusedGemm and FusedConv: products of the standard with their neighbours.
#include <limits>
#include <string>
#include <vector>

#include "ops/families.h"
#include "ops/fusible.h"
#include "ops/microsoft/standard.h"

namespace sardonyx {

std::unique_ptr<Operator> make_standard(std::span<const OpEntry> family, std::string_view type, int opset,
                                        const Attributes& a) {
  const OpEntry* best = nullptr;
  for (const OpEntry& e : family) {
    if (e.type == type && e.since <= opset && (!best || e.since > best->since)) best = &e;
  }
  check(best, ErrorCode::unsupported_operator, type, " has no version ", opset);
  Attributes own = a;
  own.since = best->since;
  own.opset = opset;
  for (const Attribute& attribute : own.all()) attribute.read = false;
  auto op = best->make(own);
  for (const Attribute& attribute : own.all()) {
    if (attribute.read) a.ignore(attribute.name);
  }
  return op;
}

namespace {

// Puts the activation of this name behind an operator.
void fuse_activation(Operator& op, std::string_view name, std::span<const float> p) {
  const auto parameter = [&](size_t i, float otherwise) { return i < p.size() ? p[i] : otherwise; };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Fusible& f = *op.fusible();
  bool done = name.empty();
  if (name == "Relu") done = f.fuse_clamp(0, kInfinity);
  if (name == "Clip") done = f.fuse_clamp(parameter(0, -kInfinity), parameter(1, kInfinity));
  if (name == "Tanh") done = f.fuse_activation(Activation::tanh, 0, 0);
  if (name == "Sigmoid") done = f.fuse_activation(Activation::sigmoid, 0, 0);
  if (name == "LeakyRelu") done = f.fuse_activation(Activation::leaky_relu, parameter(0, 0.01f), 0);
  if (name == "HardSigmoid") {
    done = f.fuse_activation(Activation::hard_sigmoid, parameter(0, 0.2f), parameter(1, 0.5f));
  }
  check(done, ErrorCode::invalid_model, "activation is \"", name, "\"");
}

std::unique_ptr<Operator> make_fused_conv(const Attributes& a) {
  const std::string activation = a.string("activation", "");
  const std::vector<float> parameters = a.floats("activation_params");
  auto op = make_standard(conv_ops(), "Conv", 22, a);
  if (a.inputs > 3) {
    check(op->fusible()->fuse_residual() == 3, ErrorCode::invalid_model, "Z cannot be added");
  }
  fuse_activation(*op, activation, parameters);
  return op;
}

std::unique_ptr<Operator> make_fused_gemm(const Attributes& a) {
  const std::string activation = a.string("activation", "");
  std::vector<float> parameters;
  for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    if (a.has(name)) parameters.push_back(a.number(name));
  }
  auto op = make_standard(gemm_ops(), "Gemm", 13, a);
  fuse_activation(*op, activation, parameters);
  return op;
}

constexpr OpEntry kOps[] = {
    {"FusedConv", 1, make_fused_conv},
    {"FusedGemm", 1, make_fused_gemm},
    {"FusedMatMul", 1, make_fused_matmul},
    {"TransposeMatMul", 1, make_fused_matmul},
};

}  // namespace

std::span<const OpEntry> ms_linear_ops() { return kOps; }

}  // namespace sardonyx
