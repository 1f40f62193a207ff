// Passes: what follows a convolution or a matrix product and can be done in its epilogue.
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ops/fusible.h"
#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/uses.h"

namespace sardonyx {
namespace {

// Offers every node that `takes(node, product)` accepts to the product that makes its first input, if it is the only
// reader of that; what is taken over is removed.
template <class Take>
void fuse_into_products(Graph& graph, Take&& take) {
  std::vector<int> uses = count_uses(graph), producers = find_producers(graph);
  std::vector<char> gone(graph.nodes.size(), 0);
  for (size_t n = 0; n < graph.nodes.size(); n++) {
    Node& node = graph.nodes[n];
    if (!node.domain.empty() || node.inputs.empty() || node.inputs[0] == kNoValue || node.outputs[0] == kNoValue)
      continue;
    const int producer = producers[static_cast<size_t>(node.inputs[0])];
    if (producer < 0 || uses[static_cast<size_t>(node.inputs[0])] != 1) continue;
    Node& product = graph.nodes[static_cast<size_t>(producer)];
    Fusible* fusible = product.op->fusible();
    if (!fusible || product.outputs[0] != node.inputs[0] || !take(node, *fusible)) continue;
    product.outputs[0] = node.outputs[0];
    producers[static_cast<size_t>(node.outputs[0])] = producer;
    gone[n] = 1;
  }
  remove_nodes(graph, gone);
}

const Tensor* constant_floats(const Graph& graph, const Node& node, size_t input) {
  if (input >= node.inputs.size() || !graph.is_constant(node.inputs[input])) return nullptr;
  const Tensor& t = graph.value(node.inputs[input]).constant;
  return t.has_data() && t.dtype() == DType::float32 ? &t : nullptr;
}

bool fuse_one_batch_normalization(const Graph& graph, const Node& node, Fusible& product) {
  if (node.op_type != "BatchNormalization" || node.attributes.integer("training_mode", 0) != 0) return false;
  for (size_t o = 1; o < node.outputs.size(); o++) {
    if (node.outputs[o] != kNoValue) return false;
  }
  const Tensor* parts[4];
  for (size_t i = 0; i < 4; i++) {
    parts[i] = constant_floats(graph, node, i + 1);
    if (!parts[i] || parts[i]->rank() != 1 || parts[i]->count() != parts[0]->count()) return false;
  }
  if (node.opset < 9 && node.attributes.integer("spatial", 1) == 0) return false;
  const float epsilon = node.attributes.number("epsilon", 1e-5f);
  std::vector<float> scale, shift;
  for (int64_t c = 0; c < parts[0]->count(); c++) {
    const auto at = [&](int i) { return static_cast<double>(parts[i]->data<float>()[c]); };
    const double s = at(0) / std::sqrt(at(3) + static_cast<double>(epsilon));
    scale.push_back(static_cast<float>(s));
    shift.push_back(static_cast<float>(at(1) - at(2) * s));
  }
  return product.fuse_scale_shift(scale, shift);
}

struct Range {
  float lo = -std::numeric_limits<float>::infinity(), hi = std::numeric_limits<float>::infinity();
};

// The bounds of a Relu, or of a Clip whose bounds are constant.
std::optional<Range> clamp_range(const Graph& graph, const Node& node) {
  Range range;
  if (node.op_type == "Relu") {
    range.lo = 0;
    return range;
  }
  if (node.op_type != "Clip") return std::nullopt;
  if (node.opset < 11) {
    range.lo = node.attributes.number("min", std::numeric_limits<float>::lowest());
    range.hi = node.attributes.number("max", std::numeric_limits<float>::max());
    return range;
  }
  float* bounds[] = {&range.lo, &range.hi};
  for (size_t i = 1; i < node.inputs.size(); i++) {
    if (node.inputs[i] == kNoValue) continue;
    const Tensor* t = constant_floats(graph, node, i);
    if (!t || t->count() != 1) return std::nullopt;
    *bounds[i - 1] = *t->data<float>();
  }
  return range;
}

}  // namespace

void fuse_batch_normalization(Graph& graph) {
  fuse_into_products(
      graph, [&](const Node& node, Fusible& product) { return fuse_one_batch_normalization(graph, node, product); });
}

void fuse_clamp(Graph& graph) {
  fuse_into_products(graph, [&](const Node& node, Fusible& product) {
    const std::optional<Range> range = clamp_range(graph, node);
    return range && range->lo <= range->hi && product.fuse_clamp(range->lo, range->hi);
  });
}

}  // namespace sardonyx
