// Finding the parts of joins.
#include "runtime/plan_parts.h"

#include <climits>

#include "optimize/movement.h"

namespace sardonyx {
namespace {

constexpr uint64_t kAlign = 16;  // what kernels that move several elements as one rely on

const Placement* fixed_output(const Step& step, size_t output) {
  if (step.dynamic || output >= step.outputs.size()) return nullptr;
  return step.outputs[output].kind == Placement::Kind::heap ? &step.outputs[output] : nullptr;
}

}  // namespace

std::vector<uint64_t> part_offsets(DType dtype, const Shape& whole, std::span<const Shape> parts) {
  int axis = 0;  // the outermost that is not 1: a joint along it, and only that, leaves the parts in one piece
  while (axis < whole.rank() && whole[axis] == 1) axis++;
  if (axis == whole.rank() || whole.count() == 0 || dtype == DType::string || kSubByte.has(dtype)) return {};
  std::vector<uint64_t> offsets;
  uint64_t at = 0;
  int64_t sum = 0;
  for (const Shape& part : parts) {
    if (part.rank() != whole.rank() || at % kAlign != 0) return {};
    for (int i = 0; i < whole.rank(); i++) {
      if (i != axis && part[i] != whole[i]) return {};
    }
    offsets.push_back(at);
    at += dtype_bytes(dtype, part.count());
    sum += part[axis];
  }
  return sum == whole[axis] ? offsets : std::vector<uint64_t>{};
}

Parts find_joined_parts(const Graph& graph, const Plan& plan, std::span<const int> last_use) {
  const size_t count = graph.values.size();
  Parts found{std::vector<ValueId>(count, kNoValue), std::vector<uint64_t>(count, 0)};
  std::vector<const Placement*> made(count, nullptr);
  std::vector<char> owned(count, 0);  // may its bytes be put elsewhere?
  const auto index = [](ValueId id) { return static_cast<size_t>(id); };
  std::vector<const Shape*> shape_of(count, nullptr);
  for (size_t id = 0; id < count; id++) {
    if (plan.known[id].is_tensor()) shape_of[id] = &plan.known[id].tensor().shape();
  }
  for (size_t i = 0; i < graph.inputs.size(); i++) shape_of[index(graph.inputs[i])] = &plan.key[i].shape;
  for (const Step& step : plan.steps) {
    const Node& node = graph.nodes[static_cast<size_t>(step.node)];
    for (size_t o = 0; o < node.outputs.size(); o++) {
      if (node.outputs[o] == kNoValue) continue;
      made[index(node.outputs[o])] = fixed_output(step, o);
      if (made[index(node.outputs[o])]) shape_of[index(node.outputs[o])] = &made[index(node.outputs[o])]->shape;
      owned[index(node.outputs[o])] = !step.view && last_use[index(node.outputs[o])] != INT_MAX;
    }
  }
  for (size_t s = plan.steps.size(); s-- > 0;) {  // outer joins first
    const Node& node = graph.nodes[static_cast<size_t>(plan.steps[s].node)];
    if (movement_of(node) != Movement::join || node.outputs[0] == kNoValue) continue;
    const Placement* whole = made[index(node.outputs[0])];
    if (!whole || !owned[index(node.outputs[0])]) continue;
    std::vector<Shape> shapes;
    for (ValueId id : node.inputs) {
      if (id != kNoValue && shape_of[index(id)]) shapes.push_back(*shape_of[index(id)]);
    }
    if (shapes.size() != node.inputs.size()) continue;
    const std::vector<uint64_t> offsets = part_offsets(whole->dtype, whole->shape, shapes);
    for (size_t i = 0; i < offsets.size(); i++) {
      const size_t part = index(node.inputs[i]);
      if (!made[part] || !owned[part] || found.whole[part] != kNoValue || shapes[i].count() == 0) continue;
      found.whole[part] = node.outputs[0];
      found.offset[part] = offsets[i];
    }
  }
  return found;
}

}  // namespace sardonyx
