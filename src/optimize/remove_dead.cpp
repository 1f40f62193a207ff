// Pass: what no result needs goes.
#include <algorithm>

#include "optimize/passes.h"
#include "optimize/uses.h"

namespace sardonyx {

void remove_dead(Graph& graph) {
  std::vector<int> uses = count_uses(graph);
  std::vector<char> dead(graph.nodes.size(), 0);
  for (size_t n = graph.nodes.size(); n-- > 0;) {  // readers come after what they read
    const Node& node = graph.nodes[n];
    dead[n] = std::all_of(node.outputs.begin(), node.outputs.end(),
                          [&](ValueId id) { return id == kNoValue || uses[static_cast<size_t>(id)] == 0; });
    if (!dead[n]) continue;
    for (ValueId id : node.inputs) {
      if (id != kNoValue) uses[static_cast<size_t>(id)]--;
    }
    for (ValueId id : captured_values(node)) uses[static_cast<size_t>(id)]--;
  }
  remove_nodes(graph, dead);
  for (size_t id = 0; id < graph.values.size(); id++) {
    if (uses[id] == 0 && !graph.values[id].is_input) graph.values[id].constant = Tensor();
  }
}

}  // namespace sardonyx
