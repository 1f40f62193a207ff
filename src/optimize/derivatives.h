// Reverse-mode derivatives: what each differentiable operator adds to the gradients of its inputs, as nodes.
#pragma once
#include "graph/graph.h"

namespace sardonyx {

// Collects nodes that are to join a graph. They have an opset of their own, whatever the model's.
class NodeWriter {
 public:
  explicit NodeWriter(Graph& graph) : graph_(graph) {}
  ValueId node(std::string type, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId one_more_output();  // of the last node
  ValueId constant(Tensor tensor);
  // `value` (0 or 1) in the type and shape of `like`.
  ValueId filled(float value, ValueId like);
  // The sum of `g` over what broadcasting added to the shape of `like`.
  ValueId sum_to(ValueId g, ValueId like);

  std::vector<Node> nodes;

 private:
  Graph& graph_;
};

// The gradients of the inputs of `node` (kNoValue where there is none) from that of its one output. Throws Error
// (unsupported_operator) for operators that have no derivative here.
std::vector<ValueId> derivatives(const Node& node, ValueId gradient, NodeWriter& writer);

}  // namespace sardonyx
