// The rounds, and the passes that need one node at a time.
#include "tools/simplify.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "tools/elements.h"
#include "tools/extract.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

constexpr size_t kSmallBytes = 1024;
constexpr std::string_view kRandom[] = {"RandomNormal",      "RandomUniform", "RandomNormalLike",
                                        "RandomUniformLike", "Multinomial",   "Bernoulli"};

pb::TensorProto constant_of(const pb::NodeProto& n) {
  pb::TensorProto t;
  if (n.attribute_size() != 1) return t;
  const auto& a = n.attribute(0);
  if (a.name() == "value" && a.has_t()) t = a.t();
  if (a.name() == "value_float") t = float_tensor({a.f()}, {});
  if (a.name() == "value_int") t = int_tensor(pb::TensorProto::INT64, {a.i()}, {});
  if (a.name() == "value_floats") t = float_tensor({a.floats().begin(), a.floats().end()}, {a.floats_size()});
  if (a.name() == "value_ints")
    t = int_tensor(pb::TensorProto::INT64, {a.ints().begin(), a.ints().end()}, {a.ints_size()});
  return t;
}

// Before IR 4 every constant had to be an input as well.
void raise_ir(pb::ModelProto& model) {
  if (model.ir_version() >= 4) return;
  pb::GraphProto& g = *model.mutable_graph();
  std::unordered_set<std::string> constants;
  for (const auto& t : g.initializer()) constants.insert(t.name());
  keep_if(*g.mutable_input(), [&](int i) { return !constants.contains(g.input(i).name()); });
  model.set_ir_version(4);
}

}  // namespace

bool constants_to_initializers(Editor& graph) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || graph.node(i).op_type() != "Constant" || !is_standard(graph.node(i))) continue;
    pb::TensorProto tensor = constant_of(graph.node(i));
    if (tensor.data_type() == 0 || graph.node(i).output_size() != 1) continue;
    const std::string name = graph.node(i).output(0);
    changed = graph.make_constant(name, std::move(tensor)) || changed;
  }
  return changed;
}

bool merge_same(Editor& graph) {
  bool changed = false;
  std::map<std::string, int> seen;
  // Small constants are the same where their elements are.
  std::unordered_map<std::string, std::string> by_value, same;
  const auto put_input = [&](std::string& key, const std::string& name) {
    const auto known = same.find(name);
    const auto* tensor = known == same.end() ? graph.constant(name) : nullptr;
    if (tensor && tensor->ByteSizeLong() <= kSmallBytes) {
      pb::TensorProto value = *tensor;
      value.clear_name();
      value.clear_doc_string();
      same[name] = by_value.try_emplace(value.SerializeAsString(), name).first->second;
    }
    const auto found = same.find(name);
    key += cat("\n", found == same.end() ? name : found->second);
  };
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i)) continue;
    const pb::NodeProto& n = graph.node(i);
    if (n.output().empty() || is_random(n) || !is_standard(n) || has_subgraph(n)) continue;
    std::string key = cat(n.op_type(), "\n", n.output_size());
    for (const auto& name : n.input()) put_input(key, name);
    std::map<std::string, std::string> attributes;
    for (const auto& a : n.attribute()) attributes[a.name()] = a.SerializeAsString();
    for (const auto& [name, bytes] : attributes) key += cat("\n", bytes);
    const auto [first, is_new] = seen.try_emplace(std::move(key), i);
    if (is_new) continue;
    bool free = true;
    for (const auto& name : n.output()) free = free && !graph.is_output(name);
    const pb::NodeProto& other = graph.node(first->second);
    for (int o = 0; o < n.output_size(); o++) free = free && n.output(o).empty() == other.output(o).empty();
    if (!free) continue;
    const std::vector<std::string> outputs(n.output().begin(), n.output().end());
    for (size_t o = 0; o < outputs.size(); o++)
      if (!outputs[o].empty()) graph.replace(outputs[o], other.output(static_cast<int>(o)));
    graph.remove(i);
    changed = true;
  }
  return changed;
}

const Known* Facts::known(const std::string& name) const {
  const auto& values = inference.values(graph);
  const auto found = values.find(name);
  if (found != values.end()) return &found->second;
  return outer ? outer->known(name) : nullptr;
}

bool is_standard(const pb::NodeProto& n) { return short_domain(n.domain()).empty(); }
bool is_op(const pb::NodeProto& n, std::string_view type) { return n.op_type() == type && is_standard(n); }

bool is_random(const pb::NodeProto& n) {
  return std::find(std::begin(kRandom), std::end(kRandom), n.op_type()) != std::end(kRandom);
}

bool has_subgraph(const pb::NodeProto& n) {
  bool has = false;
  for_each_subgraph(n, [&](const pb::GraphProto&) { has = true; });
  return has;
}

namespace {

bool simplify_graph(pb::GraphProto& g, const Facts& facts, Definitions& names, const Editor* outer,
                    const SimplifyOptions& options) {
  Editor graph(g, names, outer);
  bool changed = constants_to_initializers(graph);
  if (options.fold) {
    changed = fold_shapes(graph, facts) || changed;
    changed = fix_targets(graph, facts) || changed;
  }
  if (options.remove) changed = remove_no_ops(graph, facts) || changed;
  if (options.merge) {
    changed = merge_same(graph) || changed;
    changed = merge_moves(graph, facts) || changed;
    changed = merge_affine(graph, facts) || changed;
    changed = merge_pads(graph, facts) || changed;
    changed = merge_parts(graph, facts) || changed;
    changed = merge_products(graph, facts) || changed;
  }
  changed = graph.finish() || changed;
  for (auto& n : *g.mutable_node()) {
    for_each_subgraph(n, [&](pb::GraphProto& inner) {
      const Facts within{facts.inference, inner, facts.opset, &facts};
      changed = simplify_graph(inner, within, names, &graph, options) || changed;
    });
  }
  return changed;
}

}  // namespace

bool simplify_once(pb::ModelProto& model, std::string_view report, const SimplifyOptions& options) {
  raise_ir(model);
  const Schemas schemas;
  Findings findings;
  const std::vector<char> none;
  const Inference inference(model, schemas, report, none, findings);
  const NodeRules rules = rules_of(model, schemas);
  const auto opset = rules.opsets.find("");
  const Facts facts{inference, model.graph(), opset == rules.opsets.end() ? 0 : opset->second, nullptr};
  Definitions names = definitions(model.graph());
  const bool changed = simplify_graph(*model.mutable_graph(), facts, names, nullptr, options);
  return (options.fold && inline_branches(model)) || changed;
}

}  // namespace sardonyx::tools
