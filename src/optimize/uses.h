// Who reads a value: the question that most passes ask.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace sardonyx {

// How often each value of the graph is read: by nodes, by their subgraphs, and as a result.
std::vector<int> count_uses(const Graph& graph);

// The node that makes each value, -1 for inputs, constants and captured values.
std::vector<int> find_producers(const Graph& graph);

// Lets every reader of `from` (nodes and subgraphs, not the graph's results) read `to` instead, for all pairs at once:
// to[from], kNoValue where a value stays.
void replace_uses(Graph& graph, const std::vector<ValueId>& to);

// Removes the nodes that are marked.
void remove_nodes(Graph& graph, const std::vector<char>& marked);

}  // namespace sardonyx
