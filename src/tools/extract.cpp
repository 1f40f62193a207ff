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

// Names that a graph in an attribute takes from outside.
void collect_outer(const pb::GraphProto& g, Names known, Names& used) {
  for (const auto& v : g.input()) known.insert(v.name());
  for (const auto& t : g.initializer()) known.insert(t.name());
  const auto use = [&](const std::string& name) {
    if (!name.empty() && !known.contains(name)) used.insert(name);
  };
  for (const auto& n : g.node()) {
    for (const auto& name : n.input()) use(name);
    for_each_subgraph(n, [&](const pb::GraphProto& inner) { collect_outer(inner, known, used); });
    for (const auto& name : n.output()) known.insert(name);
  }
  for (const auto& v : g.output()) use(v.name());
}

// The names that stop at `inputs`; marks the nodes that make the others.
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
    for_each_subgraph(n, [&](const pb::GraphProto& inner) { collect_outer(inner, {}, captured); });
    open.insert(open.end(), captured.begin(), captured.end());
  }
  return names;
}

}  // namespace

Names outer_names(const pb::GraphProto& graph) {
  Names used;
  collect_outer(graph, {}, used);
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
  const auto is_inner = [&](const std::string& name) { return names.contains(name) && !stop.contains(name); };
  keep_if(*g.mutable_initializer(), [&](int i) { return is_inner(g.initializer(i).name()); });
  keep_if(*g.mutable_sparse_initializer(), [&](int i) { return is_inner(g.sparse_initializer(i).values().name()); });
  keep_if(*g.mutable_value_info(), [&](int i) {
    const std::string& name = g.value_info(i).name();
    return is_inner(name) && std::find(outputs.begin(), outputs.end(), name) == outputs.end();
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
  std::set<std::string, std::less<>> called, domains{""};
  const auto note = [&](const pb::NodeProto& n) {
    called.insert(function_key(n.domain(), n.op_type(), n.overload()));
    domains.insert(std::string(short_domain(n.domain())));
  };
  each_node(model.graph().node(), note);
  for (size_t before = 0; before != called.size();) {  // functions call functions
    before = called.size();
    for (const auto& f : model.functions())
      if (called.contains(function_key(f.domain(), f.name(), f.overload()))) each_node(f.node(), note);
  }
  keep_if(*model.mutable_functions(), [&](int i) {
    const auto& f = model.functions(i);
    return called.contains(function_key(f.domain(), f.name(), f.overload()));
  });
  keep_if(*model.mutable_opset_import(),
          [&](int i) { return domains.contains(short_domain(model.opset_import(i).domain())); });
}

}  // namespace sardonyx::tools
