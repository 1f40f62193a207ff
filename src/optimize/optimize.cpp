// The list of passes.
#include "optimize/optimize.h"

#include "optimize/passes.h"

namespace sardonyx {
namespace {

struct Pass {
  int level;
  void (*run)(Graph&);
};

constexpr Pass kPasses[] = {
    {1, fold_constants}, {1, remove_identities}, {2, fuse_batch_normalization}, {2, fuse_clamp}, {1, remove_dead},
};

void run_passes(Graph& graph, int level) {
  for (Node& node : graph.nodes) {
    for (const auto& inner : subgraphs(node)) run_passes(*inner, level);
  }
  for (const Pass& pass : kPasses) {
    if (pass.level <= level) pass.run(graph);
  }
}

}  // namespace

void optimize(Graph& graph, int level) {
  pass_constants_to_subgraphs(graph);
  run_passes(graph, level);
}

}  // namespace sardonyx
