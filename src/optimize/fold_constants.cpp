// Pass: nodes with constant inputs are run once, now.
#include <algorithm>

#include "ops/evaluate.h"
#include "optimize/passes.h"
#include "optimize/uses.h"

namespace sardonyx {
namespace {

// A result may be this much larger than what it is made of (bytes); an Expand of a scalar to a plane is left to the
// run.
constexpr uint64_t kMostGrowth = 64 * 1024;

bool is_foldable(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.op->is_random() || !subgraphs(node).empty()) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
    return id == kNoValue || (graph.is_constant(id) && graph.value(id).constant.has_data());
  });
}

bool is_small_enough(const Operator& op, std::span<const Value* const> inputs, std::span<const char> wanted) {
  std::vector<InferInput> seen;
  uint64_t given = 0, made = 0;
  for (const Value* v : inputs) {
    seen.push_back(infer_input(v));
    if (v) given += v->tensor().byte_size();
  }
  std::vector<InferOutput> stated(wanted.size());
  for (size_t i = 0; i < wanted.size(); i++) stated[i].wanted = wanted[i];
  InferContext infer(seen, stated);
  op.infer(infer);
  if (infer.deferred()) return false;
  for (const InferOutput& out : stated) {
    if (!out.wanted) continue;
    if (out.state != InferOutput::State::known) return false;
    made += dtype_bytes(out.dtype, out.shape.count());
  }
  return made <= given + kMostGrowth;
}

// Runs the node and keeps its results as constants; false where it cannot be, the node is then left to the run, which
// reports what is wrong if it is ever reached.
bool fold(Graph& graph, const Node& node) {
  std::vector<Value> values(node.inputs.size());
  std::vector<const Value*> inputs(node.inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); i++) {
    if (node.inputs[i] == kNoValue) continue;
    values[i] = graph.value(node.inputs[i]).constant;
    inputs[i] = &values[i];
  }
  std::vector<char> wanted;
  for (ValueId id : node.outputs) wanted.push_back(id != kNoValue);
  try {
    if (!is_small_enough(*node.op, inputs, wanted)) return false;
    std::vector<Value> results = evaluate(*node.op, inputs, wanted);
    for (size_t o = 0; o < results.size(); o++) {
      if (wanted[o] && !results[o].is_tensor()) return false;
    }
    for (size_t o = 0; o < results.size(); o++) {
      if (wanted[o]) graph.value(node.outputs[o]).constant = results[o].tensor();
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void fold_constants(Graph& graph) {
  std::vector<char> folded(graph.nodes.size(), 0);
  for (size_t n = 0; n < graph.nodes.size(); n++) {
    if (is_foldable(graph, graph.nodes[n])) folded[n] = fold(graph, graph.nodes[n]);
  }
  remove_nodes(graph, folded);
  pass_constants_to_subgraphs(graph);
}

}  // namespace sardonyx
