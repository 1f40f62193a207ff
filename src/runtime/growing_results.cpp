#include "runtime/growing_results.h"

#include <algorithm>

#include "ops/operator.h"
#include "optimize/uses.h"

namespace sardonyx {
namespace {

size_t index(ValueId id) { return static_cast<size_t>(id); }

// Per value, its readers that would not see that its matrices have room between them.
std::vector<char> refused(const Graph& graph, std::span<const int> ranks) {
  std::vector<char> refused(graph.values.size(), 0);
  for (const Node& node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); i++) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue || node.op->reads_shapes_only()) continue;
      if (!node.op->takes_room(static_cast<int>(i), ranks[index(id)])) refused[index(id)] = 1;
    }
    for (ValueId id : captured_values(node)) refused[index(id)] = 1;
  }
  return refused;
}

}  // namespace

GrowingResults growing_results(const Graph& graph, std::span<Value> frame, std::span<const int> kept) {
  const auto has_room = [&](ValueId id) {
    return frame[index(id)].is_tensor() && frame[index(id)].tensor().has_room();
  };
  GrowingResults growing;
  const bool fed = std::any_of(graph.inputs.begin(), graph.inputs.end(), has_room);
  if (kept.empty() && !fed) return growing;
  const std::vector<int> producers = find_producers(graph);
  std::vector<int> ranks(graph.values.size(), 0);
  for (ValueId id : graph.inputs) {
    if (frame[index(id)].is_tensor()) ranks[index(id)] = frame[index(id)].tensor().rank();
  }
  std::vector<std::pair<ValueId, ValueId>> pairs;  // results and feeds
  for (int position : kept) {
    const ValueId result = graph.outputs[static_cast<size_t>(position)];
    if (producers[index(result)] < 0) continue;
    const Node& node = graph.nodes[static_cast<size_t>(producers[index(result)])];
    const int output =
        static_cast<int>(std::find(node.outputs.begin(), node.outputs.end(), result) - node.outputs.begin());
    for (size_t i = 0; i < node.inputs.size(); i++) {
      const ValueId past = node.inputs[i];
      if (past == kNoValue || std::find(graph.inputs.begin(), graph.inputs.end(), past) == graph.inputs.end()) continue;
      const int rank = ranks[index(past)];
      if (rank < 2 || node.op->appended_to(output, rank) != static_cast<int>(i)) continue;
      ranks[index(result)] = rank;
      pairs.emplace_back(result, past);
    }
  }
  if (pairs.empty() && !fed) return growing;
  const std::vector<char> no = refused(graph, ranks);
  for (const auto& [result, past] : pairs) {
    if (!no[index(result)]) growing.emplace_back(&frame[index(result)], &frame[index(past)]);
  }
  for (ValueId id : graph.inputs) {
    const bool result = std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
    if (has_room(id) && (no[index(id)] || result)) frame[index(id)] = frame[index(id)].tensor().dense();
  }
  return growing;
}

Tensor memory_behind(const Tensor& past, DType dtype, const Shape& shape) {
  const int axis = shape.rank() - 2;
  Shape before = shape;
  if (past.rank() == shape.rank()) before[axis] = past.dim(axis);
  const int64_t rows = shape[axis];
  if (dtype != DType::float32 || past.rank() != shape.rank() || rows <= past.dim(axis) || shape.count() == 0)
    return Tensor::allocate(dtype, shape);
  if (past.has_room() && past.dtype() == dtype && past.shape() == before) {
    Buffer::Room& room = past.buffer()->room;
    if (room.used == past.dim(axis) && rows <= room.rows) {
      room.used = rows;
      return Tensor::view(dtype, shape, past.buffer(), 0);
    }
  }
  // Growing by a quarter, every row is copied four times at the most, on average.
  return Tensor::with_room(dtype, shape, rows + std::max<int64_t>(32, rows / 4));
}

}  // namespace sardonyx
