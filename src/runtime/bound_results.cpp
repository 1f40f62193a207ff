#include "runtime/bound_results.h"

#include <algorithm>

#include "ops/operator.h"
#include "optimize/uses.h"

namespace sardonyx {
namespace {

bool shares(const Value& v, const Tensor& t) { return v.is_tensor() && v.tensor().buffer() == t.buffer(); }

// May the node make `result` in `memory`, an input's? It must be the only one that reads that input, and allow it.
bool may_take(const Graph& graph, std::span<const int> uses, const Node& node, ValueId result,
              std::span<const Value> inputs, const Tensor& memory) {
  const auto output = std::find(node.outputs.begin(), node.outputs.end(), result) - node.outputs.begin();
  for (size_t i = 0; i < node.inputs.size(); i++) {
    const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), node.inputs[i]);
    if (input == graph.inputs.end() || !shares(inputs[static_cast<size_t>(input - graph.inputs.begin())], memory)) {
      continue;
    }
    const bool in_place = output == 0 && i < 32 && (node.op->in_place() >> i & 1);
    const bool over = node.op->written_over(static_cast<int>(output)) == static_cast<int>(i);
    return uses[static_cast<size_t>(*input)] == 1 && (in_place || over);
  }
  return false;
}

}  // namespace

BoundResults bound_results(const Graph& graph, std::span<const Value> frame, std::span<const Value> inputs,
                           std::span<const std::pair<int, Tensor>> into) {
  BoundResults bound;
  const std::vector<int> uses = count_uses(graph), producers = find_producers(graph);
  for (const auto& [position, tensor] : into) {
    const Tensor& memory = tensor;
    const ValueId result = graph.outputs[static_cast<size_t>(position)];
    const Value* slot = &frame[static_cast<size_t>(result)];
    const bool taken = std::any_of(bound.begin(), bound.end(), [&](const auto& other) {
      return other.first == slot || other.second.buffer() == memory.buffer();
    });
    const auto inputs_there =
        std::count_if(inputs.begin(), inputs.end(), [&](const Value& v) { return shares(v, memory); });
    const int producer = producers[static_cast<size_t>(result)];
    // What has room shares its bytes.
    if (taken || inputs_there > 1 || producer < 0 || memory.has_room()) continue;
    const Node& node = graph.nodes[static_cast<size_t>(producer)];
    if (inputs_there == 0 || may_take(graph, uses, node, result, inputs, memory)) bound.emplace_back(slot, memory);
  }
  return bound;
}

}  // namespace sardonyx
