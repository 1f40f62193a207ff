// Pass: nodes with constant inputs are run once, now.
#include <algorithm>
#include <unordered_map>

#include "ops/evaluate.h"
#include "ops/fusible.h"
#include "optimize/passes.h"
#include "optimize/uses.h"

namespace sardonyx {
namespace {

// A result may be this much larger than what it is made of (bytes); an Expand of a scalar to a plane is left to the
// run.
constexpr uint64_t kMostGrowth = 64 * 1024;
// Weights of products may grow further, by this much together: products pack what is constant, and would else pack it
// in every run.
constexpr uint64_t kMostWeightGrowth = uint64_t{1} << 30;

// Marks the values that are read as weights of products, under another shape too, and as nothing else.
std::vector<char> find_weights(const Graph& graph) {
  std::vector<char> weights(graph.values.size(), 0), others(graph.values.size(), 0);
  for (const Node& node : graph.nodes) {
    const bool product = node.op->fusible() != nullptr;
    for (size_t i = 0; i < node.inputs.size(); i++) {
      if (node.inputs[i] == kNoValue || (i == 0 && node.op->view_of() == 0)) continue;
      (product && i == 1 ? weights : others)[static_cast<size_t>(node.inputs[i])] = 1;
    }
    for (ValueId id : captured_values(node)) others[static_cast<size_t>(id)] = 1;
  }
  for (ValueId id : graph.outputs) others[static_cast<size_t>(id)] = 1;
  for (size_t n = graph.nodes.size(); n-- > 0;) {  // readers first
    const Node& node = graph.nodes[n];
    if (node.op->view_of() != 0 || node.inputs.empty() || node.inputs[0] == kNoValue || node.outputs[0] == kNoValue)
      continue;
    const size_t from = static_cast<size_t>(node.inputs[0]), to = static_cast<size_t>(node.outputs[0]);
    (weights[to] && !others[to] ? weights : others)[from] = 1;
  }
  for (size_t id = 0; id < weights.size(); id++) weights[id] = weights[id] && !others[id];
  return weights;
}

// Who reads each weight that a Cast makes: node and input.
using Readers = std::unordered_map<ValueId, std::vector<std::pair<size_t, size_t>>>;
Readers readers_of_casts(const Graph& graph, std::span<const char> weights) {
  Readers readers;
  for (const Node& node : graph.nodes) {
    if (node.op_type == "Cast" && node.outputs[0] != kNoValue && weights[static_cast<size_t>(node.outputs[0])])
      readers[node.outputs[0]] = {};
  }
  for (size_t n = 0; n < graph.nodes.size() && !readers.empty(); n++) {
    const std::vector<ValueId>& inputs = graph.nodes[n].inputs;
    for (size_t i = 0; i < inputs.size(); i++) {
      if (const auto found = readers.find(inputs[i]); found != readers.end()) found->second.emplace_back(n, i);
    }
  }
  return readers;
}

// A Cast of a float16 constant, whose result (a weight of products) would be twice as large: are all its readers given
// the constant instead? They widen it when they read it.
bool pass_half_weight(Graph& graph, const Node& cast, const Readers& readers) {
  if (cast.op_type != "Cast" || !cast.domain.empty() || cast.inputs.size() != 1) return false;
  if (graph.value(cast.inputs[0]).constant.dtype() != DType::float16) return false;
  InferOutput stated;
  stated.wanted = true;
  const Value constant = graph.value(cast.inputs[0]).constant;
  const std::vector<InferInput> seen{infer_input(&constant)};
  InferContext infer(seen, {&stated, 1});
  cast.op->infer(infer);
  if (stated.dtype != DType::float32) return false;
  const auto& places = readers.at(cast.outputs[0]);
  for (const auto& [n, input] : places) {
    Fusible* product = graph.nodes[n].op->fusible();
    if (!product || !product->fuse_widening()) return false;
  }
  for (const auto& [n, input] : places) graph.nodes[n].inputs[input] = cast.inputs[0];
  return true;
}

bool is_foldable(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.op->is_random() || !subgraphs(node).empty()) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
    return id == kNoValue || (graph.is_constant(id) && graph.value(id).constant.has_data());
  });
}

// May the results be as large as they are? growth: what is allowed; less what is used afterwards.
bool is_small_enough(const Operator& op, std::span<const Value* const> inputs, std::span<const char> wanted,
                     uint64_t& growth) {
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
  if (made <= given) return true;
  if (made - given > growth) return false;
  growth -= made - given;
  return true;
}

// Runs the node and keeps its results as constants; false where it cannot be, the node is then left to the run, which
// reports what is wrong if it is ever reached.
bool fold(Graph& graph, const Node& node, uint64_t& growth) {
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
    if (!is_small_enough(*node.op, inputs, wanted, growth)) return false;
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
  const std::vector<char> weights = find_weights(graph);
  const Readers readers = readers_of_casts(graph, weights);
  uint64_t weight_growth = kMostWeightGrowth;
  for (size_t n = 0; n < graph.nodes.size(); n++) {
    const Node& node = graph.nodes[n];
    if (!is_foldable(graph, node)) continue;
    const bool weight =
        node.outputs.size() == 1 && node.outputs[0] != kNoValue && weights[static_cast<size_t>(node.outputs[0])];
    if (weight && pass_half_weight(graph, node, readers)) {
      folded[n] = 1;
      continue;
    }
    uint64_t growth = kMostGrowth;
    folded[n] = fold(graph, node, weight && weight_growth > kMostGrowth ? weight_growth : growth);
  }
  remove_nodes(graph, folded);
  pass_constants_to_subgraphs(graph);
}

}  // namespace sardonyx
