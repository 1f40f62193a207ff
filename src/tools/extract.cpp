// From the outputs back to the inputs.
#include "tools/extract.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "tools/check.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

using Names = std::unordered_set<std::string>;

// Names of a graph in an attribute, and of those around it within the node.
struct Inside {
  const Inside* outer;
  std::unordered_set<std::string_view> names;
  bool has(std::string_view name) const { return names.contains(name) || (outer && outer->has(name)); }
};

// Names that a graph in an attribute takes from outside.
void collect_outer(const pb::GraphProto& g, const Inside* outer, Names& used) {
  Inside inside{outer, {}};
  for (const auto& v : g.input()) inside.names.insert(v.name());
  for (const auto& t : g.initializer()) inside.names.insert(t.name());
  for (const auto& t : g.sparse_initializer()) inside.names.insert(t.values().name());
  const auto use = [&](const std::string& name) {
    if (!name.empty() && !inside.has(name)) used.insert(name);
  };
  for (const auto& n : g.node()) {
    for (const auto& name : n.input()) use(name);
    for_each_subgraph(n, [&](const pb::GraphProto& inner) { collect_outer(inner, &inside, used); });
    for (const auto& name : n.output()) inside.names.insert(name);
  }
  for (const auto& v : g.output()) use(v.name());
}

}  // namespace

Names needed_names(const pb::GraphProto& g, const Names& inputs, const std::vector<std::string>& outputs,
                   std::vector<char>& needed) {
  std::unordered_map<std::string, int> makers;
  for (int i = 0; i < g.node_size(); i++)
    for (const auto& name : g.node(i).output())
      if (!name.empty()) makers.emplace(name, i);
  Names names;
  std::vector<std::string> open(outputs.begin(), outputs.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!names.insert(name).second || inputs.contains(name)) continue;
    const auto maker = makers.find(name);
    if (maker == makers.end() || needed[static_cast<size_t>(maker->second)]) continue;
    needed[static_cast<size_t>(maker->second)] = 1;
    const auto& n = g.node(maker->second);
    for (const auto& input : n.input())
      if (!input.empty()) open.push_back(input);
    Names captured;
    for_each_subgraph(n, [&](const pb::GraphProto& inner) { collect_outer(inner, nullptr, captured); });
    open.insert(open.end(), captured.begin(), captured.end());
  }
  return names;
}

Names outer_names(const pb::GraphProto& graph) {
  Names used;
  collect_outer(graph, nullptr, used);
  return used;
}

void extract(pb::ModelProto& model, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  pb::GraphProto& g = *model.mutable_graph();
  std::unordered_map<std::string, pb::ValueInfoProto> known;
  for (const auto& n : g.node())
    for (const auto& name : n.output()) known[name].set_name(name);
  Names constants;
  for (const auto& t : g.initializer()) constants.insert(t.name());
  for (const auto* list : {&g.value_info(), &g.output(), &g.input()})
    for (const auto& v : *list) known[v.name()] = v;
  const auto info = [&](const std::string& name) {
    const auto found = known.find(name);
    check(found != known.end(), ErrorCode::invalid_argument, "the model has no value \"", name, "\"");
    check(found->second.has_type(), ErrorCode::invalid_argument, "the type of \"", name, "\" is not known");
    return found->second;
  };
  check(!outputs.empty(), ErrorCode::invalid_argument, "no outputs are named");
  for (const auto* list : {&inputs, &outputs}) {
    Names seen;
    for (const auto& name : *list)
      check(seen.insert(name).second, ErrorCode::invalid_argument, "\"", name, "\" is named twice");
  }
  std::vector<pb::ValueInfoProto> new_inputs, new_outputs;
  for (const auto& name : inputs) new_inputs.push_back(info(name));
  for (const auto& name : outputs) new_outputs.push_back(info(name));

  std::vector<char> needed(static_cast<size_t>(g.node_size()), 0);
  const Names stop(inputs.begin(), inputs.end());
  const Names names = needed_names(g, stop, outputs, needed);
  for (const auto& v : g.input()) {
    check(!names.contains(v.name()) || stop.contains(v.name()) || constants.contains(v.name()),
          ErrorCode::invalid_argument, "the outputs need the model's input \"", v.name(),
          "\", which is not among the inputs");
  }
  keep_if(*g.mutable_node(), [&](int i) { return needed[static_cast<size_t>(i)] != 0; });
  const Names ends(outputs.begin(), outputs.end());
  const auto is_inner = [&](const std::string& name) { return names.contains(name) && !stop.contains(name); };
  keep_if(*g.mutable_initializer(), [&](int i) { return is_inner(g.initializer(i).name()); });
  keep_if(*g.mutable_sparse_initializer(), [&](int i) { return is_inner(g.sparse_initializer(i).values().name()); });
  keep_if(*g.mutable_value_info(), [&](int i) {
    const std::string& name = g.value_info(i).name();
    return is_inner(name) && !ends.contains(name);
  });
  g.clear_input();
  g.clear_output();
  for (auto& v : new_inputs) *g.add_input() = std::move(v);
  for (auto& v : new_outputs) *g.add_output() = std::move(v);
  drop_unused(model);
}

namespace {

template <class List, class Body>
void each_node(const List& list, const Body& body) {
  for (const auto& n : list) {
    body(n);
    for_each_subgraph(n, [&](const pb::GraphProto& inner) { each_node(inner.node(), body); });
  }
}

}  // namespace

void drop_unused(pb::ModelProto& model) {
  std::unordered_map<std::string, int> functions;
  for (int i = 0; i < model.functions_size(); i++) {
    const auto& f = model.functions(i);
    functions.emplace(function_key(f.domain(), f.name(), f.overload()), i);
  }
  std::vector<char> called(static_cast<size_t>(model.functions_size()), 0);
  std::set<std::string, std::less<>> domains{""};
  std::vector<int> open;
  const auto note = [&](const pb::NodeProto& n) {
    domains.insert(std::string(short_domain(n.domain())));
    const auto found = functions.find(function_key(n.domain(), n.op_type(), n.overload()));
    if (found == functions.end() || called[static_cast<size_t>(found->second)]) return;
    called[static_cast<size_t>(found->second)] = 1;
    open.push_back(found->second);
  };
  each_node(model.graph().node(), note);
  while (!open.empty()) {  // functions call functions
    const int next = open.back();
    open.pop_back();
    each_node(model.functions(next).node(), note);
  }
  keep_if(*model.mutable_functions(), [&](int i) { return called[static_cast<size_t>(i)] != 0; });
  keep_if(*model.mutable_opset_import(),
          [&](int i) { return domains.contains(short_domain(model.opset_import(i).domain())); });
}

}  // namespace sardonyx::tools
