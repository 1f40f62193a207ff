// Uses, producers and replacements of one pass.
#include "optimize/rewriter.h"

#include <algorithm>

#include "base/error.h"
#include "ops/operator.h"
#include "ops/registry.h"
#include "ops/util/as_float.h"
#include "optimize/uses.h"

namespace sardonyx {

Rewriter::Rewriter(Graph& g, const StaticTypes& t)
    : graph(g), types(t), uses_(count_uses(g)), producers_(find_producers(g)), removed_(g.nodes.size(), 0) {}

Rewriter::~Rewriter() {
  if (forwards_) {
    forward_.resize(graph.values.size(), kNoValue);
    replace_uses(graph, forward_);
  }
  if (removes_) remove_nodes(graph, removed_);
}

bool Rewriter::is(size_t n, std::string_view type) const {
  return !removed_[n] && graph.nodes[n].op_type == type && graph.nodes[n].domain.empty();
}

int Rewriter::producer(ValueId id) const {
  return id >= 0 && static_cast<size_t>(id) < producers_.size() ? producers_[static_cast<size_t>(id)] : -1;
}

Node* Rewriter::producer(ValueId id, std::string_view type) {
  const int n = producer(id);
  if (n < 0 || !is(static_cast<size_t>(n), type) || node(static_cast<size_t>(n)).outputs[0] != id) return nullptr;
  return &node(static_cast<size_t>(n));
}

const Tensor* Rewriter::constant(ValueId id) const {
  if (!graph.is_constant(id) || !graph.value(id).constant.has_data()) return nullptr;
  return &graph.value(id).constant;
}

std::optional<double> Rewriter::scalar(ValueId id) const {
  const Tensor* t = constant(id);
  if (!t || t->count() != 1 || !kFloat.has(t->dtype())) return std::nullopt;
  return float_at(*t, 0);
}

std::optional<std::vector<int64_t>> Rewriter::integers(ValueId id) const {
  const Tensor* t = constant(id);
  if (!t || (t->dtype() != DType::int64 && t->dtype() != DType::int32)) return std::nullopt;
  return t->to_int64();
}

ValueId Rewriter::add_constant(Tensor tensor) {
  const ValueId id = graph.add_value();
  graph.value(id).constant = std::move(tensor);
  uses_.push_back(0);
  producers_.push_back(-1);
  return id;
}

void Rewriter::count(ValueId id, int change) {
  if (id != kNoValue) uses_[static_cast<size_t>(id)] += change;
}

void Rewriter::remove(size_t n) {
  for (ValueId id : node(n).inputs) count(id, -1);
  for (ValueId id : captured_values(node(n))) count(id, -1);
  removed_[n] = 1;
  removes_ = true;
}

bool Rewriter::replace(size_t n, Node made) {
  try {
    if (!made.op) bind_operator(made, graph);
  } catch (const Error&) {
    return false;
  }
  for (ValueId id : made.inputs) count(id, 1);
  for (ValueId id : node(n).inputs) count(id, -1);
  if (made.name.empty()) made.name = node(n).name;
  for (ValueId id : made.outputs) {
    if (id != kNoValue) producers_[static_cast<size_t>(id)] = static_cast<int>(n);
  }
  node(n) = std::move(made);
  return true;
}

void Rewriter::set_input(size_t n, size_t input, ValueId to) {
  count(node(n).inputs[input], -1);
  node(n).inputs[input] = to;
  count(to, 1);
}

void Rewriter::add_input(size_t n, size_t input, ValueId id) {
  node(n).inputs.resize(std::max(node(n).inputs.size(), input + 1), kNoValue);
  node(n).inputs[input] = id;
  count(id, 1);
}

void Rewriter::set_output(size_t n, ValueId to) {
  node(n).outputs[0] = to;
  producers_[static_cast<size_t>(to)] = static_cast<int>(n);
}

void Rewriter::forward(ValueId from, ValueId to) {
  forward_.resize(graph.values.size(), kNoValue);
  forward_[static_cast<size_t>(from)] = to;
  forwards_ = true;
}

Node make_node(std::string_view type, int opset, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
               Attributes attributes, std::string name) {
  Node node;
  node.op_type = type;
  node.opset = opset;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
  node.name = std::move(name);
  return node;
}

}  // namespace sardonyx
