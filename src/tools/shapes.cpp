// What follows from shapes.
#include <algorithm>

#include "tools/simplify.h"

namespace sardonyx::tools {
namespace {

// A constant for the shape input of a Reshape that gives `to`: sizes, 0 for dimensions that stay where they are, and -1
// for one more that is open.
std::optional<std::vector<int64_t>> reshape_target(const Known& from, const Known& to) {
  std::vector<int64_t> target;
  bool has_rest = false;
  for (size_t i = 0; i < to.dims.size(); i++) {
    const KnownDim& d = to.dims[i];
    if (d.value == 0) return {};
    if (d.value > 0) {
      target.push_back(d.value);
    } else if (i < from.dims.size() && d.is_like(from.dims[i])) {
      target.push_back(0);
    } else {
      if (has_rest) return {};
      has_rest = true;
      target.push_back(-1);
    }
  }
  return target;
}

// For Expand: 1 where the input's dimension stays.
std::optional<std::vector<int64_t>> expand_target(const Known& from, const Known& to) {
  std::vector<int64_t> target;
  const size_t before = to.dims.size() - std::min(to.dims.size(), from.dims.size());
  for (size_t i = 0; i < to.dims.size(); i++) {
    const KnownDim& d = to.dims[i];
    if (d.value >= 0)
      target.push_back(d.value);
    else if (i >= before && d.is_like(from.dims[i - before]))
      target.push_back(1);
    else
      return {};
  }
  return target;
}

}  // namespace

bool fold_shapes(Editor& graph, const Facts& facts) {
  bool changed = false;
  const Inference::Computed& computed = facts.inference.computed(facts.graph);
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || graph.node(i).output_size() != 1) continue;
    const std::string name = graph.node(i).output(0);
    const auto found = computed.find(name);
    const Known* type = facts.known(name);
    if (found == computed.end() || !type || (type->code != "7" && type->code != "6")) continue;
    const std::vector<int64_t> dims =
        type->dims.empty() ? std::vector<int64_t>() : std::vector<int64_t>{static_cast<int64_t>(found->second.size())};
    changed = graph.make_constant(name, int_tensor(type->code == "7" ? 7 : 6, found->second, dims)) || changed;
  }
  return changed;
}

bool fix_targets(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i)) continue;
    const pb::NodeProto& n = graph.node(i);
    const bool expands = is_op(n, "Expand");
    if ((!expands && !is_op(n, "Reshape")) || n.input_size() != 2 || n.output_size() != 1) continue;
    if (graph.constant(n.input(1)) || int_attribute(n, "allowzero", 0) != 0) continue;
    const Known *from = facts.known(n.input(0)), *to = facts.known(n.output(0));
    if (!from || !to || !from->has_shape || !to->has_shape) continue;
    const auto target = expands ? expand_target(*from, *to) : reshape_target(*from, *to);
    if (!target) continue;
    auto tensor = int_tensor(pb::TensorProto::INT64, *target, {static_cast<int64_t>(target->size())});
    graph.set_input(i, 1, graph.add_constant(n.output(0) + "_shape", std::move(tensor)));
    changed = true;
  }
  return changed;
}

}  // namespace sardonyx::tools
