// The maps of a graph that is being changed.
#include "tools/editor.h"

#include <cstring>

#include "base/error.h"
#include "tools/elements.h"
#include "tools/extract.h"
#include "tools/walk.h"

namespace sardonyx::tools {

Definitions definitions(const pb::GraphProto& graph) {
  Definitions counts;
  const auto add = [&](const auto& self, const pb::GraphProto& g) -> void {
    std::unordered_set<std::string_view> inputs;
    for (const auto& v : g.input())
      if (inputs.insert(v.name()).second) counts[v.name()]++;
    for (const auto& t : g.initializer())
      if (!inputs.contains(t.name())) counts[t.name()]++;
    for (const auto& s : g.sparse_initializer()) counts[s.values().name()]++;
    for (const auto& n : g.node()) {
      for (const auto& name : n.output()) counts[name]++;
      for_each_subgraph(n, [&](const pb::GraphProto& inner) { self(self, inner); });
    }
  };
  add(add, graph);
  return counts;
}

Editor::Editor(pb::GraphProto& graph, Definitions& names, const Editor* outer)
    : graph_(graph), names_(names), outer_(outer), removed_(static_cast<size_t>(graph.node_size()), 0) {
  for (const auto& v : graph.input()) inputs_.insert(v.name());
  for (const auto& v : graph.output()) outputs_.insert(v.name());
  for (auto& t : *graph.mutable_initializer())
    if (!inputs_.contains(t.name())) constants_[t.name()] = &t;
  for (int i = 0; i < graph.node_size(); i++) {
    const pb::NodeProto& n = graph.node(i);
    for (const auto& name : n.output())
      if (!name.empty()) makers_[name] = i;
    for (const auto& name : n.input()) use(name, i);
    for_each_subgraph(n, [&](const pb::GraphProto& inner) { captures_[i].merge(outer_names(inner)); });
    const auto captured = captures_.find(i);
    if (captured == captures_.end()) continue;
    for (const auto& name : captured->second) use(name, i);
  }
}

void Editor::use(const std::string& name, int i, size_t times) {
  if (name.empty()) return;
  Users& users = users_[name];
  users.nodes[i] += times;
  users.total += times;
}

void Editor::unuse(const std::string& name, int i) {
  const auto users = users_.find(name);
  if (users == users_.end()) return;
  const auto found = users->second.nodes.find(i);
  if (found == users->second.nodes.end()) return;
  users->second.total--;
  if (--found->second == 0) users->second.nodes.erase(found);
}

void Editor::remove(int i) {
  if (is_removed(i)) return;
  for (const auto& name : graph_.node(i).input()) unuse(name, i);
  const auto captured = captures_.find(i);
  if (captured != captures_.end())
    for (const auto& name : captured->second) unuse(name, i);
  for (const auto& name : graph_.node(i).output()) {
    const auto made = makers_.find(name);
    if (made != makers_.end() && made->second == i) makers_.erase(made);
  }
  removed_[static_cast<size_t>(i)] = 1;
}

const pb::TensorProto* Editor::constant(const std::string& name) const {
  const auto found = constants_.find(name);
  if (found != constants_.end()) return found->second;
  return outer_ && !makers_.contains(name) && !inputs_.contains(name) ? outer_->constant(name) : nullptr;
}

int Editor::maker(const std::string& name) const {
  const auto found = makers_.find(name);
  return found == makers_.end() ? -1 : found->second;
}

size_t Editor::uses(const std::string& name) const {
  const auto found = users_.find(name);
  return (outputs_.contains(name) ? 1 : 0) + (found == users_.end() ? 0 : found->second.total);
}

void Editor::replace(const std::string& from, const std::string& to) {
  const auto found = users_.find(from);
  if (found == users_.end() || from == to) return;
  const Users users = std::move(found->second);
  users_.erase(found);
  for (const auto& [i, times] : users.nodes) {
    for (auto& name : *node(i).mutable_input())
      if (name == from) name = to;
    const auto captured = captures_.find(i);
    if (captured == captures_.end() || captured->second.erase(from) == 0) {
      use(to, i, times);
      continue;
    }
    // Captured names count once.
    const bool is_new = captured->second.insert(to).second;
    use(to, i, is_new ? times : times - 1);
    renames_[from] = to;
  }
}

const std::string& Editor::renamed(const std::string& name) const {
  const std::string* now = &name;
  for (size_t steps = 0; steps <= renames_.size(); steps++) {
    const auto found = renames_.find(*now);
    if (found == renames_.end()) break;
    now = &found->second;
  }
  return *now;
}

// Inner graphs hide no names.
void Editor::rename_inside(pb::GraphProto& g) {
  for (auto& n : *g.mutable_node()) {
    for (auto& name : *n.mutable_input()) name = std::string(renamed(name));
    for_each_subgraph(n, [&](pb::GraphProto& inner) { rename_inside(inner); });
  }
  for (auto& v : *g.mutable_output()) v.set_name(std::string(renamed(v.name())));
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
  pb::NodeProto& n = node(i);
  while (n.input_size() <= k) n.add_input();
  const std::string now = name;  // may be one that goes
  unuse(n.input(k), i);
  n.set_input(k, now);
  use(now, i);
}

void Editor::cut_inputs(int i, int k) {
  pb::NodeProto& n = node(i);
  while (n.input_size() > k) {
    unuse(n.input(n.input_size() - 1), i);
    n.mutable_input()->RemoveLast();
  }
}

bool Editor::make_constant(const std::string& name, pb::TensorProto tensor) {
  const int i = maker(name);
  if (is_output(name) || i < 0 || constants_.contains(name) || node(i).output_size() != 1) return false;
  remove(i);
  tensor.set_name(name);
  constants_[name] = graph_.add_initializer();
  *constants_[name] = std::move(tensor);
  return true;
}

std::string Editor::fresh_name(const std::string& hint) {
  std::string name = hint;
  for (int k = 1; names_.contains(name) || renames_.contains(name); k++) name = cat(hint, "_", k);
  names_[name]++;
  return name;
}

void Editor::add_node(pb::NodeProto n, int after) {
  const int i = size();
  removed_.push_back(0);
  after_.push_back(after);
  for (const auto& name : n.output()) makers_[name] = i;
  for (const auto& name : n.input()) use(name, i);
  *graph_.add_node() = std::move(n);
}

void Editor::place_added() {
  if (after_.empty()) return;
  const int before = size() - static_cast<int>(after_.size());
  google::protobuf::RepeatedPtrField<pb::NodeProto> nodes;
  std::vector<char> removed;
  const auto take = [&](int i) {
    nodes.Add()->Swap(&node(i));
    removed.push_back(removed_[static_cast<size_t>(i)]);
  };
  for (int i = 0; i < before; i++) {
    take(i);
    for (size_t k = 0; k < after_.size(); k++)
      if (after_[k] == i) take(before + static_cast<int>(k));
  }
  graph_.mutable_node()->Swap(&nodes);
  removed_ = std::move(removed);
}

std::string Editor::add_constant(const std::string& hint, pb::TensorProto tensor) {
  const std::string name = fresh_name(hint);
  tensor.set_name(name);
  constants_[name] = graph_.add_initializer();
  *constants_[name] = std::move(tensor);
  return name;
}

void Editor::set_constant(int i, int k, const std::string& hint, pb::TensorProto tensor) {
  const std::string before = k < node(i).input_size() ? node(i).input(k) : std::string();
  const auto found = constants_.find(before);
  if (found == constants_.end() || uses(before) != 1) return set_input(i, k, add_constant(hint, std::move(tensor)));
  tensor.set_name(before);
  *found->second = std::move(tensor);
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
  if (!renames_.empty())
    for (const auto& [i, names] : captures_)
      if (!is_removed(i)) for_each_subgraph(node(i), [&](pb::GraphProto& inner) { rename_inside(inner); });
  place_added();
  keep_if(*graph_.mutable_node(), [&](int i) { return !is_removed(i); });
  changed = static_cast<size_t>(graph_.node_size()) != removed_.size();
  std::unordered_set<std::string> there;
  for (const auto& n : graph_.node())
    for (const auto& name : n.output()) there.insert(name);
  keep_if(*graph_.mutable_initializer(), [&](int i) {
    const std::string& name = graph_.initializer(i).name();
    const bool kept = uses(name) > 0 || inputs_.contains(name);  // an input without it would have to be fed
    if (!kept) constants_.erase(name);
    return kept;
  });
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

void clear_attribute(pb::NodeProto& node, std::string_view name) {
  keep_if(*node.mutable_attribute(), [&](int i) { return node.attribute(i).name() != name; });
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
