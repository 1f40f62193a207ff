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

constexpr std::string_view kRandom[] = {"RandomNormal",      "RandomUniform", "RandomNormalLike",
                                        "RandomUniformLike", "Multinomial",   "Bernoulli"};

bool is_random(const pb::NodeProto& n) {
  return std::find(std::begin(kRandom), std::end(kRandom), n.op_type()) != std::end(kRandom);
}

bool has_subgraph(const pb::NodeProto& n) {
  bool has = false;
  for_each_subgraph(n, [&](const pb::GraphProto&) { has = true; });
  return has;
}

const Known* known(const Facts& facts, const std::string& name) {
  const auto found = facts.values.find(name);
  return found == facts.values.end() ? nullptr : &found->second;
}

// Do both have the same shape for all feeds? Named dimensions are alike by their names; one that is not known may be
// left, where `same_count` says that both have as many elements.
bool same_shape(const Known* a, const Known* b, bool same_count) {
  if (!a || !b || !a->has_shape || !b->has_shape || a->dims.size() != b->dims.size()) return false;
  int open = 0;
  for (size_t i = 0; i < a->dims.size(); i++) {
    const KnownDim &x = a->dims[i], &y = b->dims[i];
    if (x.value == 0 || y.value == 0) return false;
    if (x.value >= 0 ? x.value == y.value : (y.value < 0 && !x.name.empty() && x.name == y.name)) continue;
    if (x.value >= 0 && y.value >= 0) return false;
    open++;
  }
  return open == 0 || (same_count && open == 1);
}

bool all_equal(const pb::TensorProto* tensor, double wanted) {
  if (!tensor) return false;
  const Elements e(*tensor);
  if (!e.readable() || e.is_text() || e.count() < 1 || e.count() > 1 << 20) return false;
  for (int64_t i = 0; i < e.count(); i++)
    if (e.number(i) != wanted) return false;
  return true;
}

// x + 0, x * 1 and the like: the input that stays, or -1.
int neutral_input(const pb::NodeProto& n, const Editor& graph) {
  const bool sum = n.op_type() == "Add" || n.op_type() == "Sub", product = n.op_type() == "Mul" || n.op_type() == "Div";
  if ((!sum && !product) || n.input_size() != 2) return -1;
  const double neutral = sum ? 0 : 1;
  if (all_equal(graph.constant(n.input(1)), neutral)) return 0;
  const bool either = n.op_type() == "Add" || n.op_type() == "Mul";
  return either && all_equal(graph.constant(n.input(0)), neutral) ? 1 : -1;
}

// May broadcasting to the constant make more of a value?
bool enlarges(const pb::TensorProto& constant, const Known* value) {
  if (!value || !value->has_shape || static_cast<size_t>(constant.dims_size()) > value->dims.size()) return true;
  const size_t before = value->dims.size() - static_cast<size_t>(constant.dims_size());
  for (int d = 0; d < constant.dims_size(); d++)
    if (constant.dims(d) != 1 && value->dims[before + static_cast<size_t>(d)].value != constant.dims(d)) return true;
  return false;
}

bool is_identity_transpose(const pb::NodeProto& n) {
  const auto perm = ints_attribute(n, "perm");
  for (size_t i = 0; i < perm.size(); i++)
    if (perm[i] != static_cast<int64_t>(i)) return false;
  return !perm.empty();
}

// Steps all forward: a Slice of the same shape is then the same.
bool steps_forward(const pb::NodeProto& n, const Editor& graph) {
  if (n.input_size() < 5 || n.input(4).empty()) return true;
  const auto steps = integers_of(graph.constant(n.input(4)));
  return steps && std::all_of(steps->begin(), steps->end(), [](int64_t s) { return s > 0; });
}

// Is a training_mode input left out, or false?
bool is_inference_dropout(const pb::NodeProto& n, const Editor& graph, int64_t opset) {
  if (n.output_size() > 1 && !n.output(1).empty() && graph.uses(n.output(1)) > 0) return false;
  if (opset < 7) return int_attribute(n, "is_test", 0) != 0;
  return n.input_size() < 3 || n.input(2).empty() || all_equal(graph.constant(n.input(2)), 0);
}

// The input that output 0 is the same as, or -1.
int same_input(const pb::NodeProto& n, const Editor& graph, const Facts& facts) {
  const std::string& op = n.op_type();
  const Known *in = known(facts, n.input(0)), *out = known(facts, n.output(0));
  if (op == "Identity") return 0;
  if (op == "Dropout") return is_inference_dropout(n, graph, facts.opset) ? 0 : -1;
  if ((op == "Concat" || op == "Sum" || op == "Max" || op == "Min" || op == "Mean") && n.input_size() == 1) return 0;
  if (op == "Cast") return in && out && !in->code.empty() && in->code == out->code ? 0 : -1;
  if (op == "Transpose") return is_identity_transpose(n) ? 0 : -1;
  if (op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze")
    return same_shape(in, out, true) ? 0 : -1;
  if (op == "Expand" || op == "Tile") return same_shape(in, out, false) ? 0 : -1;
  if (op == "Slice") return same_shape(in, out, false) && steps_forward(n, graph) ? 0 : -1;
  if (op == "Pad") {
    if (facts.opset >= 11) return n.input_size() > 1 && all_equal(graph.constant(n.input(1)), 0) ? 0 : -1;
    const auto pads = ints_attribute(n, "pads");
    return std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; }) && !pads.empty() ? 0 : -1;
  }
  const int neutral = neutral_input(n, graph);
  if (neutral < 0) return -1;
  const Known* kept = known(facts, n.input(neutral));
  const bool same = same_shape(kept, out, false) || !enlarges(*graph.constant(n.input(1 - neutral)), kept);
  return same ? neutral : -1;
}

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

bool is_standard(const pb::NodeProto& n) { return short_domain(n.domain()).empty(); }

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

bool fold_shapes(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || graph.node(i).output_size() != 1) continue;
    const std::string name = graph.node(i).output(0);
    const auto found = facts.inference.computed().find(name);
    const Known* type = known(facts, name);
    if (found == facts.inference.computed().end() || !type || (type->code != "7" && type->code != "6")) continue;
    const std::vector<int64_t> dims =
        type->dims.empty() ? std::vector<int64_t>() : std::vector<int64_t>{static_cast<int64_t>(found->second.size())};
    changed = graph.make_constant(name, int_tensor(type->code == "7" ? 7 : 6, found->second, dims)) || changed;
  }
  return changed;
}

bool remove_no_ops(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || !is_standard(graph.node(i))) continue;
    const pb::NodeProto& n = graph.node(i);
    if (n.input().empty() || n.output().empty() || n.output(0).empty() || n.input(0).empty()) continue;
    const int same = same_input(n, graph, facts);
    if (same >= 0) changed = graph.bypass(i, std::string(n.input(same))) || changed;
  }
  return changed;
}

bool merge_same(Editor& graph) {
  bool changed = false;
  std::map<std::string, int> seen;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i)) continue;
    const pb::NodeProto& n = graph.node(i);
    if (n.output().empty() || is_random(n) || !is_standard(n) || has_subgraph(n)) continue;
    std::string key = cat(n.op_type(), "\n", n.output_size());
    for (const auto& name : n.input()) key += cat("\n", name);
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

bool simplify_once(pb::ModelProto& model, std::string_view report, const SimplifyOptions& options) {
  raise_ir(model);
  const Schemas schemas;
  Findings findings;
  const std::vector<char> none;
  const Inference inference(model, schemas, report, none, findings);
  const NodeRules rules = rules_of(model, schemas);
  const auto opset = rules.opsets.find("");
  const Facts facts{inference, inference.values(model.graph()), opset == rules.opsets.end() ? 0 : opset->second};
  Editor graph(*model.mutable_graph());
  bool changed = constants_to_initializers(graph);
  if (options.fold) changed = fold_shapes(graph, facts) || changed;
  if (options.remove) changed = remove_no_ops(graph, facts) || changed;
  if (options.merge) {
    changed = merge_same(graph) || changed;
    changed = merge_moves(graph, facts) || changed;
    changed = merge_affine(graph, facts) || changed;
    changed = merge_pads(graph, facts) || changed;
  }
  return graph.finish() || changed;
}

std::string constant_part(const pb::ModelProto& model, std::string_view report, uint64_t limit) {
  const Schemas schemas;
  Findings findings;
  const Inference inference(model, schemas, report, {}, findings);
  const auto& values = inference.values(model.graph());
  const auto bytes_of = [&](const std::string& name) -> double {
    const auto found = values.find(name);
    if (found == values.end() || !found->second.has_shape) return -1;
    double count = 1;
    for (const KnownDim& d : found->second.dims) count *= static_cast<double>(d.value);
    return count < 0 ? -1 : count * dtype_bits(static_cast<DType>(std::atoi(found->second.code.c_str()))) / 8;
  };
  pb::ModelProto part;
  part.set_ir_version(std::max<int64_t>(model.ir_version(), 4));
  *part.mutable_opset_import() = model.opset_import();
  pb::GraphProto& to = *part.mutable_graph();
  to.set_name("constants");
  std::unordered_set<std::string> constants, computed, outputs, inputs, wanted;
  for (const auto& v : model.graph().input()) inputs.insert(v.name());
  for (const auto& v : model.graph().output()) outputs.insert(v.name());
  for (const auto& t : model.graph().initializer())
    if (!inputs.contains(t.name())) constants.insert(t.name());
  for (const auto& n : model.graph().node()) {
    const bool can =
        is_standard(n) && !is_random(n) && !has_subgraph(n) && n.op_type() != "DequantizeLinear" && !n.output().empty();
    bool follows = can;
    double input_bytes = 0, largest = 0;
    for (const auto& name : n.input()) {
      follows = follows && (name.empty() || constants.contains(name));
      input_bytes += std::max(0.0, name.empty() ? 0 : bytes_of(name));
    }
    for (const auto& name : n.output()) {
      follows = follows && !name.empty() && !outputs.contains(name);
      const double bytes = follows ? bytes_of(name) : 0;
      largest = bytes < 0 ? 1e30 : std::max(largest, bytes);
    }
    follows = follows && (largest <= static_cast<double>(limit) || largest <= input_bytes);
    if (follows) {
      *to.add_node() = n;
      for (const auto& name : n.output()) constants.insert(name), computed.insert(name);
      continue;
    }
    for (const auto& name : n.input()) wanted.insert(name);
    for_each_subgraph(n, [&](const pb::GraphProto& inner) { wanted.merge(outer_names(inner)); });
  }
  if (to.node().empty()) return {};
  std::unordered_set<std::string> needed;
  for (const auto& n : to.node()) needed.insert(n.input().begin(), n.input().end());
  for (const auto& t : model.graph().initializer())
    if (needed.contains(t.name())) *to.add_initializer() = t;
  for (const auto& n : to.node())
    for (const auto& name : n.output())
      if (wanted.contains(name)) to.add_output()->set_name(name);
  return to.output().empty() ? std::string() : part.SerializeAsString();
}

void take_computed(pb::ModelProto& model, std::string_view computed) {
  pb::GraphProto tensors;
  check(tensors.ParseFromArray(computed.data(), static_cast<int>(computed.size())), ErrorCode::invalid_argument,
        "the computed tensors are no tensors");
  Editor graph(*model.mutable_graph());

  for (auto& t : *tensors.mutable_initializer()) {
    const std::string name = t.name();
    if (graph.make_constant(name, t)) continue;
    const int i = graph.maker(name);  // one of several outputs: the others are constants too, or not used
    if (i < 0) continue;
    const std::string constant = graph.add_constant(name + "_constant", t);
    graph.replace(name, constant);
  }
  graph.finish();
}

}  // namespace sardonyx::tools
