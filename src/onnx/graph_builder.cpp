// Graphs, scopes and nodes.
#include "onnx/graph_builder.h"

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace sardonyx::onnx {
namespace {

bool is_constant_node(const NodeSource& node) { return node.domain.empty() && node.op_type == "Constant"; }

void drop_unused_constants(Graph& graph) {
  std::vector<bool> used(graph.values.size(), false);
  const auto mark = [&](const std::vector<ValueId>& ids) {
    for (ValueId id : ids) {
      if (id != kNoValue) used[static_cast<size_t>(id)] = true;
    }
  };
  mark(graph.inputs);
  mark(graph.outputs);
  for (const Node& node : graph.nodes) {
    mark(node.inputs);
    mark(captured_values(node));
  }
  for (size_t i = 0; i < used.size(); i++) {
    if (!used[i]) graph.values[i].constant = {};
  }
}

uint64_t size_of(const AttributeValue& value) {
  const auto* ints = std::get_if<std::vector<int64_t>>(&value);
  const auto* floats = std::get_if<std::vector<float>>(&value);
  const auto* text = std::get_if<std::string>(&value);
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  uint64_t size = 100;
  if (ints) size += ints->size() * sizeof(int64_t);
  if (floats) size += floats->size() * sizeof(float);
  if (text) size += text->size();
  for (size_t i = 0; texts && i < texts->size(); i++) size += sizeof(std::string) + (*texts)[i].size();
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) size += tensors->size() * sizeof(Tensor);
  if (const auto* types = std::get_if<std::vector<Type>>(&value)) size += types->size() * 10 * sizeof(Type);
  return size;
}

template <class Body>
void at_node(const NodeSource& node, const Scope& scope, Body body) {
  try {
    body();
  } catch (Error& e) {
    if (e.op_type.empty()) {
      e.op_type = node.op_type;
      e.node = scope.prefix + (node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name);
    }
    throw;
  }
}

}  // namespace

void Expansion::charge(uint64_t bytes) {
  check(bytes <= left_, ErrorCode::invalid_model,
        "the model's functions or sparse tensors unfold to far more than its size stands for");
  left_ -= bytes;
}

DepthGuard::DepthGuard(int& depth) : depth_(depth) {
  constexpr int kMost = 64;
  check(depth < kMost, ErrorCode::invalid_model, "subgraphs and functions are nested deeper than ", kMost);
  depth_++;
}

GraphBuilder::GraphBuilder(ModelSource& source, Expansion& expansion) : source_(source), expansion_(expansion) {
  for (const OpsetImport& import : source.header.opset_imports) opsets_.emplace(import.domain, import.version);
  for (const FunctionSource& f : source.functions) {
    const bool added = functions_.emplace(cat(f.domain, '\0', f.name, '\0', f.overload), &f).second;
    check(added, ErrorCode::invalid_model, "the function \"", f.name, "\" of domain \"", f.domain, "\" is given twice");
  }
}

void GraphBuilder::build(Graph& to) { build_graph(source_.graph, nullptr, to); }

void GraphBuilder::build_graph(const GraphSource& source, Scope* outer, Graph& to) {
  DepthGuard guard(depth_);
  to.name = source.name;
  std::unordered_set<std::string> used;
  Scope scope{to, used, outer, outer ? outer->call : nullptr, outer ? outer->prefix : std::string(), {}, {}};
  declare_inputs(source, scope);
  declare_initializers(source, scope);
  add_nodes(source.nodes, scope);
  resolve_outputs(source, scope);
  for (const NamedType& v : source.value_infos) {
    const auto at = scope.names.find(v.name);
    if (at == scope.names.end() || at->second < 0) continue;
    Type& type = to.value(at->second).type;
    if (type.kind == Type::Kind::unknown) type = v.type;
  }
  drop_unused_constants(to);
  sort_nodes(to);
}

void GraphBuilder::declare_inputs(const GraphSource& source, Scope& scope) {
  for (const NamedType& v : source.inputs) {
    check(scope.outer || !v.name.empty(), ErrorCode::invalid_model, "input ", scope.graph.inputs.size(),
          " of the model has no name");
    const ValueId id = v.name.empty() ? add_value({}, scope) : declare(v.name, scope);
    scope.graph.value(id).is_input = true;
    scope.graph.value(id).type = v.type;
    scope.graph.inputs.push_back(id);
  }
}

void GraphBuilder::declare_initializers(const GraphSource& source, Scope& scope) {
  // Before IR version 4 all initializers had to be listed as inputs, but none was a default that a feed could replace.
  const bool old = !scope.outer && source_.header.ir_version < 4;
  for (const NamedTensor& t : source.initializers) {
    if (t.name.empty()) continue;  // no one can use it
    const auto at = scope.names.find(t.name);
    const bool is_default = at != scope.names.end() && scope.graph.value(at->second).is_input;
    const ValueId id = is_default ? at->second : declare(t.name, scope);
    check(!scope.graph.value(id).constant.defined(), ErrorCode::invalid_model, "initializer \"", t.name,
          "\" is given twice");
    scope.graph.value(id).constant = t.tensor;
    if (is_default && old) scope.graph.value(id).is_input = false;
    if (scope.call) expansion_.charge(sizeof(ValueInfo) + t.name.size());
  }
  if (old) std::erase_if(scope.graph.inputs, [&](ValueId id) { return !scope.graph.value(id).is_input; });
}

void GraphBuilder::resolve_outputs(const GraphSource& source, Scope& scope) {
  for (const NamedType& v : source.outputs) {
    const ValueId id = lookup(v.name, scope);
    check(id >= 0, ErrorCode::invalid_model, "output \"", v.name, "\" of ", scope.outer ? "a subgraph" : "the model",
          " is produced by no node");
    if (v.type.kind != Type::Kind::unknown && !scope.graph.value(id).is_input) scope.graph.value(id).type = v.type;
    scope.graph.outputs.push_back(id);
  }
}

void GraphBuilder::add_nodes(const std::vector<NodeSource>& nodes, Scope& scope) {
  if (functions_.empty()) {  // else nodes become many
    const auto made = std::count_if(nodes.begin(), nodes.end(), [](const auto& n) { return !is_constant_node(n); });
    size_t values = scope.graph.values.size();
    for (const NodeSource& node : nodes) values += node.outputs.size();
    scope.graph.nodes.reserve(scope.graph.nodes.size() + static_cast<size_t>(made));
    // Passes add some, and a list that grows is there twice.
    scope.graph.values.reserve(values + values / 8);
  }
  for (const NodeSource& node : nodes) {
    at_node(node, scope, [&] { declare_outputs(node, scope); });
    if (is_constant_node(node)) let_go(node);
  }
  for (const NodeSource& node : nodes) {
    if (is_constant_node(node)) continue;
    at_node(node, scope, [&] { add_node(node, scope); });
    let_go(node);
  }
}

void GraphBuilder::let_go(const NodeSource& node) {
  std::vector<NodeSource>& own = source_.graph.nodes;
  const bool is_own =
      !own.empty() && std::less_equal<>()(own.data(), &node) && std::less<>()(&node, own.data() + own.size());
  if (!is_own) return;
  NodeSource& mine = own[static_cast<size_t>(&node - own.data())];
  mine.attributes = {};
  mine.inputs = {};
  mine.name = {};
}

void GraphBuilder::charge(const NodeSource& node, const Scope& scope) {
  uint64_t size = sizeof(Node) + scope.prefix.size() + node.name.size();
  for (const std::string& name : node.inputs) size += sizeof(ValueId) + name.size();
  for (const std::string& name : node.outputs) size += sizeof(ValueInfo) + name.size() + scope.prefix.size();
  for (const AttributeSource& a : node.attributes) size += size_of(a.value) + a.name.size();
  expansion_.charge(size);
}

void GraphBuilder::declare_outputs(const NodeSource& node, Scope& scope) {
  if (scope.call) charge(node, scope);
  if (!is_constant_node(node)) {
    for (const std::string& name : node.outputs) declare(name, scope);
    return;
  }
  check(node.outputs.size() == 1, ErrorCode::invalid_model, "has ", node.outputs.size(), " outputs instead of one");
  Tensor value = constant_value(node, scope.call);
  const ValueId id = declare(node.outputs[0], scope);
  if (id != kNoValue) scope.graph.value(id).constant = std::move(value);
}

void GraphBuilder::add_node(const NodeSource& source, Scope& scope) {
  if (const FunctionSource* function = find_function(source)) return inline_call(*function, source, scope);
  Node node;
  if (!source.name.empty()) node.name = scope.prefix + source.name;
  node.domain = source.domain;
  node.op_type = source.op_type;
  node.opset = opset(source.domain, scope.call);
  node.inputs = resolve_inputs(source, scope);
  for (const std::string& name : source.outputs) {
    node.outputs.push_back(name.empty() ? kNoValue : scope.names.at(name));
  }
  for (const AttributeSource& a : source.attributes) {
    if (const AttributeSource* value = resolve(a, scope.call)) add_attribute(a.name, *value, scope, node);
  }
  scope.graph.nodes.push_back(std::move(node));
}

void GraphBuilder::add_attribute(const std::string& name, const AttributeSource& attribute, Scope& scope, Node& to) {
  if (attribute.form == AttributeSource::Form::value) return to.attributes.add(name, attribute.value);
  std::vector<std::shared_ptr<Graph>> graphs;
  for (const auto& source : attribute.graphs) {
    graphs.push_back(std::make_shared<Graph>());
    build_graph(*source, &scope, *graphs.back());
  }
  if (attribute.form == AttributeSource::Form::graphs) return to.attributes.add(name, std::move(graphs));
  to.attributes.add(name, std::move(graphs[0]));
}

ValueId GraphBuilder::add_value(std::string_view name, Scope& scope) {
  std::string full = cat(scope.prefix, name);
  // Only inlining makes a name twice.
  if (!name.empty() && !functions_.empty()) {
    while (!scope.used.insert(full).second) full = cat(scope.prefix, name, "_", ++unique_);
  }
  return scope.graph.add_value(std::move(full));
}

// Where the name comes from an enclosing graph it is captured, through every graph in between.
ValueId GraphBuilder::lookup(std::string_view name, Scope& scope) {
  const auto found = scope.names.find(name);
  if (found != scope.names.end()) return found->second;
  if (!scope.outer) return kUnknownName;
  const ValueId outer = lookup(name, *scope.outer);
  if (outer < 0) return outer;
  const ValueId inner = add_value(name, scope);
  scope.names.emplace(name, inner);
  scope.graph.value(inner).type = scope.outer->graph.value(outer).type;
  scope.graph.captures.push_back({outer, inner});
  return inner;
}

ValueId GraphBuilder::declare(std::string_view name, Scope& scope) {
  if (name.empty()) return kNoValue;
  check(!scope.names.contains(name), ErrorCode::invalid_model, "the value \"", name, "\" is defined twice");
  ValueId id;
  if (const auto at = scope.bound.find(name); at != scope.bound.end()) {
    id = at->second;
    scope.bound.erase(at);
  } else {
    id = add_value(name, scope);
  }
  scope.names.emplace(name, id);
  return id;
}

std::vector<ValueId> GraphBuilder::resolve_inputs(const NodeSource& node, Scope& scope) {
  std::vector<ValueId> ids;
  ids.reserve(node.inputs.size());
  for (const std::string& name : node.inputs) {
    const ValueId id = name.empty() ? kNoValue : lookup(name, scope);
    check(id != kUnknownName, ErrorCode::invalid_model, "reads \"", name, "\", which nothing produces");
    ids.push_back(id);
  }
  while (!ids.empty() && ids.back() == kNoValue) ids.pop_back();
  return ids;
}

int GraphBuilder::opset(std::string_view domain, const FunctionCall* call) const {
  if (call) {
    const auto at = call->function.opsets.find(domain);
    if (at != call->function.opsets.end()) return static_cast<int>(at->second);
  }
  const auto at = opsets_.find(domain);
  if (at != opsets_.end()) return static_cast<int>(at->second);
  // Before IR version 3 there were no imports.
  const bool ancient = domain.empty() && source_.header.ir_version < 3 && opsets_.empty();
  check(ancient, ErrorCode::invalid_model, "the model does not import the operators of domain \"",
        domain.empty() ? "ai.onnx" : domain, "\"");
  return 1;
}

}  // namespace sardonyx::onnx
