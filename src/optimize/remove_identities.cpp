// Pass: readers of an Identity read its input.
#include <algorithm>

#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/uses.h"

namespace sardonyx {

void remove_identities(Graph& graph) {
  std::vector<ValueId> to(graph.values.size(), kNoValue);
  for (const Node& node : graph.nodes) {
    const bool named = node.domain.empty() && (node.op_type == "Identity" || node.op_type == "Dropout");
    if (!named || node.op->view_of() != 0 || node.inputs.empty() || node.outputs[0] == kNoValue) continue;
    to[static_cast<size_t>(node.outputs[0])] = node.inputs[0];
  }
  replace_uses(graph, to);  // the nodes are dead now, unless they make a result
}

}  // namespace sardonyx
