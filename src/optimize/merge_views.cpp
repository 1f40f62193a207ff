// Pass: chains of Reshape, Squeeze, Unsqueeze and Flatten become one Reshape; Transpose after Transpose becomes one.
#include <algorithm>

#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

bool is_view(const Node& node) {
  return node.domain.empty() && (node.op_type == "Reshape" || node.op_type == "Squeeze" ||
                                 node.op_type == "Unsqueeze" || node.op_type == "Flatten");
}

// `type` as the shape of a Reshape: at most one dimension that is not fixed, and none of 0.
std::optional<Tensor> target_shape(const StaticType& type) {
  if (!type.known()) return std::nullopt;
  std::vector<int64_t> dims;
  int open = 0;
  for (int i = 0; i < type.rank(); i++) {
    dims.push_back(type.dim(i));
    open += type.dim(i) < 0;
    if (type.dim(i) == 0) return std::nullopt;
  }
  if (open > 1) return std::nullopt;
  return Tensor::of(dims);
}

// A Reshape whose shape is computed or whose input is a view itself becomes a Reshape of what is at the chain's start.
void merge_reshapes(Rewriter& r, size_t n) {
  const Node& node = r.node(n);
  if (!is_view(node) || node.outputs[0] == kNoValue) return;
  ValueId x = node.inputs[0];
  for (int p = r.producer(x);
       p >= 0 && is_view(r.node(static_cast<size_t>(p))) && r.node(static_cast<size_t>(p)).inputs[0] != kNoValue;
       p = r.producer(x)) {
    x = r.node(static_cast<size_t>(p)).inputs[0];
  }
  const bool computed = node.op_type == "Reshape" && node.inputs.size() == 2 && !r.constant(node.inputs[1]);
  if (x == node.inputs[0] && !computed) return;
  const auto shape = target_shape(r.types[node.outputs[0]]);
  // The start's type must be known: then all that was inferred on the way fits.
  if (!shape || !r.types[x].known()) return;
  r.replace(n, make_node("Reshape", 13, {x, r.add_constant(*shape)}, {node.outputs[0]}));
}

void merge_transposes(Rewriter& r, size_t n) {
  const Node& node = r.node(n);
  if (!r.is(n, "Transpose")) return;
  const Node* before = r.producer(node.inputs[0], "Transpose");
  if (!before) return;
  const std::vector<int64_t> first = before->attributes.ints("perm"), second = node.attributes.ints("perm");
  if (first.empty() || first.size() != second.size()) return;
  std::vector<int64_t> both;
  for (int64_t axis : second) {
    if (axis < 0 || axis >= static_cast<int64_t>(first.size())) return;
    both.push_back(first[static_cast<size_t>(axis)]);
  }
  Attributes attributes;
  attributes.add("perm", std::move(both));
  r.replace(n, make_node("Transpose", node.opset, {before->inputs[0]}, node.outputs, std::move(attributes)));
}

}  // namespace

void merge_views(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  for (size_t n = 0; n < r.size(); n++) {
    merge_reshapes(r, n);
    merge_transposes(r, n);
  }
}

}  // namespace sardonyx
