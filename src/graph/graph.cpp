// Graph helpers: subgraphs, captures, topological order.
#include "graph/graph.h"

#include <algorithm>

#include "base/error.h"

namespace sardonyx {

std::string Node::label(const Graph& graph) const {
  if (!name.empty()) return name;
  for (ValueId id : outputs) {
    if (id != kNoValue) return graph.value(id).name;
  }
  return {};
}

ValueId Graph::add_value(std::string value_name) {
  values.push_back({});
  values.back().name = std::move(value_name);
  return static_cast<ValueId>(values.size() - 1);
}

std::vector<std::shared_ptr<Graph>> subgraphs(const Node& node) {
  std::vector<std::shared_ptr<Graph>> list;
  for (const Attribute& a : node.attributes.all()) {
    if (const auto* g = std::get_if<std::shared_ptr<Graph>>(&a.value)) list.push_back(*g);
    if (const auto* gs = std::get_if<std::vector<std::shared_ptr<Graph>>>(&a.value)) {
      list.insert(list.end(), gs->begin(), gs->end());
    }
  }
  return list;
}

std::vector<ValueId> captured_values(const Node& node) {
  std::vector<ValueId> ids;
  for (const auto& graph : subgraphs(node)) {
    for (const Capture& c : graph->captures) ids.push_back(c.outer);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void sort_nodes(Graph& graph) {
  const size_t count = graph.nodes.size();
  std::vector<int32_t> producer(graph.values.size(), -1);
  for (size_t n = 0; n < count; n++) {
    for (ValueId id : graph.nodes[n].outputs) {
      if (id != kNoValue) producer[static_cast<size_t>(id)] = static_cast<int32_t>(n);
    }
  }
  std::vector<std::vector<int32_t>> users(count);
  std::vector<int32_t> waiting(count, 0);
  bool sorted = true;
  for (size_t n = 0; n < count; n++) {
    std::vector<ValueId> needs = captured_values(graph.nodes[n]);
    needs.insert(needs.end(), graph.nodes[n].inputs.begin(), graph.nodes[n].inputs.end());
    for (ValueId id : needs) {
      const int32_t p = id == kNoValue ? -1 : producer[static_cast<size_t>(id)];
      if (p < 0) continue;
      users[static_cast<size_t>(p)].push_back(static_cast<int32_t>(n));
      waiting[n]++;
      sorted &= p < static_cast<int32_t>(n);
    }
  }
  if (sorted) return;
  std::vector<int32_t> order;  // a min-heap of what is ready keeps the file's order where it can
  std::vector<int32_t> ready;
  const auto later = [](int32_t a, int32_t b) { return a > b; };
  for (size_t n = 0; n < count; n++) {
    if (waiting[n] == 0) ready.push_back(static_cast<int32_t>(n));
  }
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const int32_t n = ready.back();
    ready.pop_back();
    order.push_back(n);
    for (int32_t u : users[static_cast<size_t>(n)]) {
      if (--waiting[static_cast<size_t>(u)] > 0) continue;
      ready.push_back(u);
      std::push_heap(ready.begin(), ready.end(), later);
    }
  }
  if (order.size() < count) {
    const size_t n = static_cast<size_t>(std::find_if(waiting.begin(), waiting.end(), [](int32_t w) { return w > 0; }) -
                                         waiting.begin());
    fail(ErrorCode::invalid_model,
         cat("the graph has a cycle through ", graph.nodes[n].op_type, " \"", graph.nodes[n].label(graph), "\""));
  }
  std::vector<Node> nodes;
  nodes.reserve(count);
  for (int32_t n : order) nodes.push_back(std::move(graph.nodes[static_cast<size_t>(n)]));
  graph.nodes = std::move(nodes);
}

}  // namespace sardonyx
