// Plans as executors keep them.
#pragma once
#include <memory>

#include "runtime/plan.h"

namespace sardonyx {

// A plan, and the graph that it is of.
struct PlannedGraph {
  std::unique_ptr<const Graph> own;  // null: the given one
  Plan plan;
};

// Like make_plan(), but branches that the shapes decide become part of the graph: they share the plan's memory, and
// their shapes are known before they run.
PlannedGraph plan_graph(const Graph& graph, std::vector<InputKey> key);

}  // namespace sardonyx
