// Before the passes: how many inputs and outputs each node has.
#include "ops/operator.h"
#include "optimize/passes.h"

namespace sardonyx {
namespace {

void check_counts(const Graph& graph, const Node& node) {
  std::vector<InferInput> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); i++) inputs[i].present = node.inputs[i] != kNoValue;
  InferContext context = InferContext::of_count(inputs);
  try {
    node.op->infer(context);
  } catch (const InferContext::CountAccepted&) {
    return;
  } catch (Error& e) {
    e.op_type = node.op_type;
    e.node = node.label(graph);
    throw;
  }
}

}  // namespace

void check_counts(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    check_counts(graph, node);
    for (const auto& inner : subgraphs(node)) check_counts(*inner);
  }
}

}  // namespace sardonyx
