// Planning a graph until no more of its branches are decided.
#include "runtime/planned_graph.h"

#include <algorithm>

#include "optimize/branches.h"
#include "runtime/place.h"

namespace sardonyx {
namespace {

// Throws Error where a branch that was taken declares another element type than its result has.
void check_results(const Branches& branches, const Plan& plan) {
  for (const Step& step : plan.steps) {
    const Node& node = branches.graph().nodes[static_cast<size_t>(step.node)];
    for (size_t o = 0; o < step.outputs.size(); o++) {
      const auto found = branches.results().find(node.outputs[o]);
      if (found == branches.results().end() || step.outputs[o].dtype == DType::undefined) continue;
      const auto& [root, declared] = found->second;
      with_place(
          branches.graph(), *root, [] { return std::string(); },
          [&] { check_declared(*declared, step.outputs[o].dtype); });
    }
  }
}

}  // namespace

PlannedGraph plan_graph(const Graph& graph, std::vector<InputKey> key) {
  if (std::ranges::all_of(graph.nodes, [](const Node& node) { return subgraphs(node).empty(); }))
    return {nullptr, make_plan(graph, std::move(key))};
  Branches branches(graph);
  Plan plan;
  do {
    plan = make_plan(branches.graph(), key);
  } while (branches.take(plan.known) || branches.keep_left_over());
  check_results(branches, plan);
  return {branches.release(), std::move(plan)};
}

}  // namespace sardonyx
