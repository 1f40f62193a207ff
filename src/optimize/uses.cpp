// Uses and producers of values.
#include "optimize/uses.h"

namespace sardonyx {

std::vector<int> count_uses(const Graph& graph) {
  std::vector<int> uses(graph.values.size(), 0);
  const auto add = [&](ValueId id) {
    if (id != kNoValue) uses[static_cast<size_t>(id)]++;
  };
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.inputs) add(id);
    for (ValueId id : captured_values(node)) add(id);
  }
  for (ValueId id : graph.outputs) add(id);
  return uses;
}

std::vector<int> find_producers(const Graph& graph) {
  std::vector<int> producers(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); n++) {
    for (ValueId id : graph.nodes[n].outputs) {
      if (id != kNoValue) producers[static_cast<size_t>(id)] = static_cast<int>(n);
    }
  }
  return producers;
}

void replace_uses(Graph& graph, const std::vector<ValueId>& to) {
  const auto follow = [&](ValueId& id) {
    while (id != kNoValue && to[static_cast<size_t>(id)] != kNoValue) id = to[static_cast<size_t>(id)];
  };
  for (Node& node : graph.nodes) {
    for (ValueId& id : node.inputs) follow(id);
    for (const auto& inner : subgraphs(node)) {
      for (Capture& c : inner->captures) follow(c.outer);
    }
  }
}

void remove_nodes(Graph& graph, const std::vector<char>& marked) {
  std::vector<Node> kept;
  kept.reserve(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); n++) {
    if (!marked[n]) kept.push_back(std::move(graph.nodes[n]));
  }
  graph.nodes = std::move(kept);
}

}  // namespace sardonyx
