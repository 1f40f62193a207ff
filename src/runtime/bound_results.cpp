#include "runtime/bound_results.h"

#include <algorithm>

#include "ops/operator.h"

namespace sardonyx {

BoundResults bound_results(const Graph& graph, std::span<const Value> frame, std::span<const Value> inputs,
                           std::span<const std::pair<int, Tensor>> into) {
  BoundResults bound;
  std::vector<int> readers(graph.values.size(), 0);
  const auto read = [&](ValueId id) { readers[static_cast<size_t>(id)]++; };
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.inputs) {
      if (id != kNoValue) read(id);
    }
    for (ValueId id : captured_values(node)) read(id);
  }
  for (ValueId id : graph.outputs) read(id);
  const auto shares = [](const Value& v, const Tensor& t) {
    return v.is_tensor() && v.tensor().buffer() == t.buffer();
  };
  for (const auto& [position, tensor] : into) {
    const ValueId result = graph.outputs[static_cast<size_t>(position)];
    const Value* slot = &frame[static_cast<size_t>(result)];
    const bool taken = std::any_of(bound.begin(), bound.end(), [&](const auto& other) {
      return other.first == slot || other.second.buffer() == tensor.buffer();
    });
    const auto inputs_there =
        std::count_if(inputs.begin(), inputs.end(), [&](const Value& v) { return shares(v, tensor); });
    if (taken || inputs_there > 1) continue;
    const auto may_take = [&](const Node& node, size_t output) {
      for (size_t i = 0; i < node.inputs.size(); i++) {
        const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), node.inputs[i]);
        if (input == graph.inputs.end() || !shares(inputs[static_cast<size_t>(input - graph.inputs.begin())], tensor)) {
          continue;
        }
        const bool in_place = output == 0 && i < 32 && (node.op->in_place() >> i & 1);
        const bool over = node.op->written_over(static_cast<int>(output)) == static_cast<int>(i);
        return readers[static_cast<size_t>(*input)] == 1 && (in_place || over);
      }
      return false;
    };
    for (const Node& node : graph.nodes) {
      const auto output = std::find(node.outputs.begin(), node.outputs.end(), result);
      if (output == node.outputs.end()) continue;
      if (inputs_there == 0 || may_take(node, static_cast<size_t>(output - node.outputs.begin()))) {
        bound.emplace_back(slot, tensor);
      }
      break;
    }
  }
  return bound;
}

}  // namespace sardonyx
