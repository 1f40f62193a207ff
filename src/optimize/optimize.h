// The graph passes that run once, when a session is created.
#pragma once
#include "graph/graph.h"

namespace sardonyx {

// Runs the passes of this level and below, in order, on the graph and its subgraphs. Operators must be bound and not
// yet prepared. 0: only what others rely on; 1: folding and dead code; 2: fusions too.
void optimize(Graph& graph, int level);

}  // namespace sardonyx
