// Pass: constants of enclosing graphs become the subgraphs' own.
#include <algorithm>

#include "optimize/passes.h"

namespace sardonyx {

void pass_constants_to_subgraphs(Graph& graph) {
  for (Node& node : graph.nodes) {
    for (const auto& inner : subgraphs(node)) {
      for (const Capture& c : inner->captures) {
        if (graph.is_constant(c.outer)) inner->value(c.inner).constant = graph.value(c.outer).constant;
      }
      std::erase_if(inner->captures, [&](const Capture& c) { return graph.is_constant(c.outer); });
      pass_constants_to_subgraphs(*inner);
    }
  }
}

}  // namespace sardonyx
