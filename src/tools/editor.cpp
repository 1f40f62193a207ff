// The maps of a graph that is being changed.
#include "tools/editor.h"

#include <cstring>

#include "base/error.h"
#include "tools/elements.h"
#include "tools/extract.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

// In inner graphs, which hide no names.
void rename_inside(pb::GraphProto& g, const std::string& from, const std::string& to) {
  for (auto& n : *g.mutable_node()) {
    for (auto& name : *n.mutable_input())
      if (name == from) name = to;
    for_each_subgraph(n, [&](pb::GraphProto& inner) { rename_inside(inner, from, to); });
  }
  for (auto& v : *g.mutable_output())
    if (v.name() == from) v.set_name(to);
}

}  // namespace

Editor::Editor(pb::GraphProto& graph) : graph_(graph), removed_(static_cast<size_t>(graph.node_size()), 0) {
  std::unordered_set<std::string> inputs;
  for (const auto& v : graph.input()) inputs.insert(v.name());
  for (const auto& v : graph.output()) outputs_.insert(v.name());
  for (int i = 0; i < graph.initializer_size(); i++)
    if (!inputs.contains(graph.initializer(i).name())) constants_[graph.initializer(i).name()] = i;
  for (int i = 0; i < graph.node_size(); i++) {
    for (const auto& name : graph.node(i).output())
      if (!name.empty()) makers_[name] = i;
    note(i, 1);
  }
}

void Editor::note(int i, int change) {
  const auto use = [&](const std::string& name) {
    if (name.empty()) return;
    int& count = users_[name][i];
    count += change;
    if (count <= 0) users_[name].erase(i);
  };
  const pb::NodeProto& n = graph_.node(i);
  for (const auto& name : n.input()) use(name);
  for_each_subgraph(n, [&](const pb::GraphProto& inner) {
    for (const auto& name : outer_names(inner)) use(name);
  });
}

void Editor::remove(int i) {
  if (is_removed(i)) return;
  note(i, -1);
  for (const auto& name : graph_.node(i).output()) {
    const auto made = makers_.find(name);
    if (made != makers_.end() && made->second == i) makers_.erase(made);
  }
  removed_[static_cast<size_t>(i)] = 1;
}

const pb::TensorProto* Editor::constant(const std::string& name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : &graph_.initializer(found->second);
}

int Editor::maker(const std::string& name) const {
  const auto found = makers_.find(name);
  return found == makers_.end() ? -1 : found->second;
}

size_t Editor::uses(const std::string& name) const {
  const auto found = users_.find(name);
  size_t count = outputs_.contains(name) ? 1 : 0;
  if (found != users_.end())
    for (const auto& [node, times] : found->second) count += static_cast<size_t>(times);
  return count;
}

void Editor::replace(const std::string& from, const std::string& to) {
  const auto found = users_.find(from);
  if (found == users_.end()) return;
  std::vector<int> nodes;
  for (const auto& [i, times] : found->second) nodes.push_back(i);
  for (const int i : nodes) {
    note(i, -1);
    for (auto& name : *node(i).mutable_input())
      if (name == from) name = to;
    for_each_subgraph(node(i), [&](pb::GraphProto& inner) { rename_inside(inner, from, to); });
    note(i, 1);
  }
}

bool Editor::bypass(int i, const std::string& input) {
  const std::string output = node(i).output(0);
  if (!is_output(output)) {
    replace(output, input);
    remove(i);
    return true;
  }
  const int before = maker(input);
  if (before < 0 || is_output(input)) return false;
  remove(i);
  for (auto& name : *node(before).mutable_output())
    if (name == input) name = output;
  makers_.erase(input);
  makers_[output] = before;
  replace(input, output);
  return true;
}

void Editor::set_input(int i, int k, const std::string& name) {
  note(i, -1);
  while (node(i).input_size() <= k) node(i).add_input();
  *node(i).mutable_input(k) = name;
  note(i, 1);
}

bool Editor::make_constant(const std::string& name, pb::TensorProto tensor) {
  const int i = maker(name);
  if (is_output(name) || i < 0 || constant(name) || node(i).output_size() != 1) return false;
  remove(i);
  tensor.set_name(name);
  constants_[name] = graph_.initializer_size();
  *graph_.add_initializer() = std::move(tensor);
  return true;
}

std::string Editor::add_constant(const std::string& hint, pb::TensorProto tensor) {
  std::string name = hint;
  for (int k = 1; constants_.contains(name) || makers_.contains(name) || users_.contains(name); k++)
    name = cat(hint, "_", k);
  tensor.set_name(name);
  constants_[name] = graph_.initializer_size();
  *graph_.add_initializer() = std::move(tensor);
  return name;
}

bool Editor::finish() {
  bool changed = false;
  for (int i = size() - 1; i >= 0; i--) {
    if (is_removed(i)) continue;
    bool used = false;
    for (const auto& name : node(i).output()) used = used || (!name.empty() && uses(name) > 0);
    if (used) continue;
    remove(i);
  }
  keep_if(*graph_.mutable_node(), [&](int i) { return !is_removed(i); });
  changed = static_cast<size_t>(graph_.node_size()) != removed_.size();
  std::unordered_set<std::string> there;
  for (const auto& n : graph_.node())
    for (const auto& name : n.output()) there.insert(name);
  keep_if(*graph_.mutable_initializer(), [&](int i) { return uses(graph_.initializer(i).name()) > 0; });
  keep_if(*graph_.mutable_value_info(), [&](int i) { return there.contains(graph_.value_info(i).name()); });
  return changed;
}

const pb::AttributeProto* attribute(const pb::NodeProto& node, std::string_view name) {
  for (const auto& a : node.attribute())
    if (a.name() == name) return &a;
  return nullptr;
}

int64_t int_attribute(const pb::NodeProto& node, std::string_view name, int64_t otherwise) {
  const auto* a = attribute(node, name);
  return a ? a->i() : otherwise;
}

std::vector<int64_t> ints_attribute(const pb::NodeProto& node, std::string_view name) {
  const auto* a = attribute(node, name);
  return a ? std::vector<int64_t>(a->ints().begin(), a->ints().end()) : std::vector<int64_t>();
}

void set_ints(pb::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  auto* a = const_cast<pb::AttributeProto*>(attribute(node, name));
  if (!a) a = node.add_attribute();
  a->set_name(name);
  a->set_type(pb::AttributeProto::INTS);
  a->mutable_ints()->Assign(values.begin(), values.end());
}

std::optional<std::vector<int64_t>> integers_of(const pb::TensorProto* tensor) {
  if (!tensor) return {};
  const Elements e(*tensor);
  if (!e.readable() || !e.is_integer() || e.count() > 4096) return {};
  std::vector<int64_t> values;
  for (int64_t i = 0; i < e.count(); i++) values.push_back(e.integer(i));
  return values;
}

std::optional<std::vector<float>> floats_of(const pb::TensorProto* tensor) {
  if (!tensor) return {};
  const Elements e(*tensor);
  if (!e.readable() || e.dtype() != DType::float32) return {};
  std::vector<float> values(static_cast<size_t>(e.count()));
  for (int64_t i = 0; i < e.count(); i++) values[static_cast<size_t>(i)] = static_cast<float>(e.number(i));
  return values;
}

pb::TensorProto float_tensor(const std::vector<float>& values, const std::vector<int64_t>& dims) {
  pb::TensorProto t;
  t.set_data_type(pb::TensorProto::FLOAT);
  t.mutable_dims()->Assign(dims.begin(), dims.end());
  t.set_raw_data(values.data(), values.size() * sizeof(float));
  return t;
}

pb::TensorProto int_tensor(int32_t data_type, const std::vector<int64_t>& values, const std::vector<int64_t>& dims) {
  pb::TensorProto t;
  t.set_data_type(data_type);
  t.mutable_dims()->Assign(dims.begin(), dims.end());
  if (data_type == pb::TensorProto::INT64) {
    t.set_raw_data(values.data(), values.size() * sizeof(int64_t));
  } else {
    for (const int64_t v : values) t.add_int32_data(static_cast<int32_t>(v));
  }
  return t;
}

}  // namespace sardonyx::tools
