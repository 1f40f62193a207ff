// Putting the nodes of branches in place of their Ifs.
#include "optimize/branches.h"

#include <algorithm>

#include "ops/registry.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

const Graph* branch_of(const Node& node, std::span<const Value> known) {
  if (!node.domain.empty() || node.op_type != "If" || node.inputs.empty() || node.inputs[0] == kNoValue) return nullptr;
  const Value& condition = known[static_cast<size_t>(node.inputs[0])];
  if (!condition.is_tensor() || !condition.tensor().has_data()) return nullptr;
  return node.attributes.graph(*condition.tensor().data<bool>() ? "then_branch" : "else_branch").get();
}

void renumber(std::vector<ValueId>& list, const std::vector<ValueId>& ids) {
  for (ValueId& id : list) {
    if (id != kNoValue) id = ids[static_cast<size_t>(id)];
  }
}

}  // namespace

void Branches::reset() {
  own_.reset();
  results_.clear();
  origins_.assign(graph_.nodes.size(), {});
  for (size_t n = 0; n < origins_.size(); n++) origins_[n].root = n;
}

bool Branches::take(std::span<const Value> known) {
  const Graph& from = graph();
  std::vector<const Graph*> taken(from.nodes.size(), nullptr);
  for (size_t n = 0; n < taken.size(); n++) {
    if (!kept_[origins_[n].root]) taken[n] = branch_of(from.nodes[n], known);
  }
  if (std::ranges::all_of(taken, [](const Graph* branch) { return branch == nullptr; })) return false;
  auto to = std::make_unique<Graph>(from);
  to->nodes.clear();
  std::vector<Origin> origins;
  for (size_t n = 0; n < taken.size(); n++) {
    Origin origin = origins_[n];
    if (taken[n]) {
      origin.ids = put(*taken[n], from.nodes[n], origin, *to);
    } else {
      to->nodes.push_back(from.nodes[n]);
    }
    origins.resize(to->nodes.size(), origin);
  }
  origins_ = std::move(origins);
  own_ = std::move(to);
  return true;
}

bool Branches::keep_left_over() {
  bool any = false;
  for (size_t n = 0; n < origins_.size(); n++) {
    if (origins_[n].ids && !subgraphs(graph().nodes[n]).empty()) kept_[origins_[n].root] = any = true;
  }
  if (any) reset();
  return any;
}

std::shared_ptr<const std::vector<ValueId>> Branches::put(const Graph& branch, const Node& node, const Origin& origin,
                                                          Graph& to) {
  std::vector<ValueId> ids(branch.values.size(), kNoValue);
  for (const Capture& c : branch.captures)
    ids[static_cast<size_t>(c.inner)] = origin.ids ? (*origin.ids)[static_cast<size_t>(c.outer)] : c.outer;
  std::vector<char> made(branch.values.size(), 0);
  for (const Node& inner : branch.nodes) {
    for (ValueId id : inner.outputs) {
      if (id != kNoValue) made[static_cast<size_t>(id)] = 1;
    }
  }
  // What the branch makes is the If's result itself; what it passes on, or makes two results of, goes by an Identity.
  std::vector<std::pair<ValueId, ValueId>> passed;
  for (size_t o = 0; o < node.outputs.size(); o++) {
    const ValueId inner = branch.outputs[o], outer = node.outputs[o];
    if (outer == kNoValue) continue;
    results_[outer] = {&graph_.nodes[origin.root], &branch.value(inner)};
    ValueId& id = ids[static_cast<size_t>(inner)];
    if (made[static_cast<size_t>(inner)] && id == kNoValue) {
      id = outer;
    } else {
      passed.emplace_back(inner, outer);
    }
  }
  for (size_t i = 0; i < ids.size(); i++) {
    if (ids[i] != kNoValue) continue;
    ids[i] = to.add_value();
    to.values.back() = branch.values[i];
  }
  for (const Node& inner : branch.nodes) {
    Node& copy = to.nodes.emplace_back(inner);
    renumber(copy.inputs, ids);
    renumber(copy.outputs, ids);
  }
  for (const auto& [inner, outer] : passed) {
    Node identity = make_node("Identity", node.opset, {ids[static_cast<size_t>(inner)]}, {outer}, {}, node.name);
    bind_operator(identity, to);
    to.nodes.push_back(std::move(identity));
  }
  return std::make_shared<const std::vector<ValueId>>(std::move(ids));
}

}  // namespace sardonyx
