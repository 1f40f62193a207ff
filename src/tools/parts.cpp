// Nodes in a row that put together or take apart.
#include <algorithm>
#include <numeric>

#include "tools/simplify.h"

namespace sardonyx::tools {
namespace {

// All Concats of one axis that end in node i.
bool merge_concats(Editor& graph, int i) {
  const pb::NodeProto& n = graph.node(i);
  const int64_t axis = int_attribute(n, "axis", 1);
  std::vector<std::string> open(n.input().rbegin(), n.input().rend()), inputs;
  bool changed = false;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const int before = graph.uses(name) == 1 ? graph.maker(name) : -1;
    if (before < 0 || before == i || !is_op(graph.node(before), "Concat") ||
        int_attribute(graph.node(before), "axis", 1) != axis) {
      inputs.push_back(name);
      continue;
    }
    const auto& inner = graph.node(before).input();
    open.insert(open.end(), inner.rbegin(), inner.rend());
    changed = true;
    graph.remove(before);
  }
  if (!changed) return false;
  graph.cut_inputs(i, 0);
  for (size_t k = 0; k < inputs.size(); k++) graph.set_input(i, static_cast<int>(k), inputs[k]);
  return true;
}

struct Ranges {
  std::vector<int64_t> starts, ends, axes, steps;
};

// What a Slice takes, where it is constant.
std::optional<Ranges> ranges_of(const Editor& graph, const pb::NodeProto& n, int64_t rank) {
  if (n.input_size() < 3 || n.output_size() != 1) return {};
  const auto given = [&](int k) { return k < n.input_size() && !n.input(k).empty(); };
  const auto list = [&](int k) { return integers_of(graph.constant(n.input(k))); };
  const auto starts = list(1), ends = list(2);
  if (!starts || !ends || starts->size() != ends->size()) return {};
  Ranges r{*starts, *ends, std::vector<int64_t>(starts->size()), std::vector<int64_t>(starts->size(), 1)};
  std::iota(r.axes.begin(), r.axes.end(), 0);
  if (given(3)) {
    const auto axes = list(3);
    if (!axes || axes->size() != r.axes.size()) return {};
    r.axes = *axes;
  }
  if (given(4)) {
    const auto steps = list(4);
    if (!steps || steps->size() != r.steps.size()) return {};
    r.steps = *steps;
  }
  for (int64_t& axis : r.axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return {};
  }
  return r;
}

// Slices of different axes in a row.
bool merge_slices(Editor& graph, const Facts& facts, int i) {
  const pb::NodeProto& n = graph.node(i);
  const int before = graph.uses(n.input(0)) == 1 ? graph.maker(n.input(0)) : -1;
  if (before < 0 || before == i || !is_op(graph.node(before), "Slice") || graph.node(before).input().empty())
    return false;
  const Known* known = facts.known(n.output(0));
  if (!known || !known->has_shape) return false;
  const auto rank = static_cast<int64_t>(known->dims.size());
  const auto first = ranges_of(graph, graph.node(before), rank), second = ranges_of(graph, n, rank);
  if (!first || !second) return false;
  for (const int64_t axis : second->axes)
    if (std::ranges::find(first->axes, axis) != first->axes.end()) return false;
  const std::vector<int64_t> Ranges::* lists[] = {&Ranges::starts, &Ranges::ends, &Ranges::axes, &Ranges::steps};
  const std::string name = n.output(0), source = graph.node(before).input(0);
  for (int k = 0; k < 4; k++) {
    std::vector<int64_t> both = (*first).*lists[k];
    both.insert(both.end(), ((*second).*lists[k]).begin(), ((*second).*lists[k]).end());
    auto tensor = int_tensor(pb::TensorProto::INT64, both, {std::ssize(both)});
    graph.set_input(i, k + 1, graph.add_constant(name + "_ranges", std::move(tensor)));
  }
  graph.set_input(i, 0, source);
  graph.remove(before);
  return true;
}

}  // namespace

bool merge_parts(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = graph.size() - 1; i >= 0; i--) {
    if (graph.is_removed(i) || graph.node(i).input().empty() || graph.node(i).output_size() != 1) continue;
    if (is_op(graph.node(i), "Concat")) changed = merge_concats(graph, i) || changed;
    if (is_op(graph.node(i), "Slice") && facts.opset >= 10) changed = merge_slices(graph, facts, i) || changed;
  }
  return changed;
}

}  // namespace sardonyx::tools
