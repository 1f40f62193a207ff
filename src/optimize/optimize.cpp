// The list of passes.
#include "optimize/optimize.h"

#include "optimize/passes.h"

namespace sardonyx {
namespace {

struct Pass {
  int level;
  void (*run)(Graph&, const StaticTypes&);
};

constexpr Pass kPasses[] = {
    {1, remove_no_ops},         {1, merge_common_subexpressions}, {1, merge_views}, {2, recognize_norms},
    {2, recognize_activations}, {2, recognize_attention},         {2, fuse_pads},   {2, fuse_integers},
    {2, fuse_products},
};

// outer: what is known of the graph around this one; null for the model's own.
void run_passes(Graph& graph, int level, const StaticTypes* outer, OpenDims& open) {
  if (level > 1) {
    fuse_quantized(graph, StaticTypes());
    remove_dead(graph);
  }
  fold_constants(graph);
  const StaticTypes types = infer_static_types(graph, outer, open);
  for (Node& node : graph.nodes) {
    for (const auto& inner : subgraphs(node)) run_passes(*inner, level, &types, open);
  }
  for (const Pass& pass : kPasses) {
    if (pass.level > level) continue;
    pass.run(graph, types);
    remove_dead(graph);  // what no one needs would count as a reader in the next pass
  }
}

}  // namespace

void optimize(Graph& graph, int level) {
  check_counts(graph);
  pass_constants_to_subgraphs(graph);
  OpenDims open;
  if (level > 0) run_passes(graph, level, nullptr, open);
}

}  // namespace sardonyx
