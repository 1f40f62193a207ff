// Constant nodes, attributes that refer to a function's, and the inlining of local functions.
#include <algorithm>

#include "base/error.h"
#include "onnx/graph_builder.h"

namespace sardonyx::onnx {
namespace {

template <class T, class List>
Tensor vector_of(const List& list) {
  Tensor t = Tensor::allocate(dtype_of<T>(), Shape{static_cast<int64_t>(list.size())});
  std::copy(list.begin(), list.end(), t.data<T>());
  return t;
}

template <class T>
const T& get(const AttributeSource& a) {
  const T* value = a.form == AttributeSource::Form::value ? std::get_if<T>(&a.value) : nullptr;
  check(value, ErrorCode::invalid_model, "attribute \"", a.name, "\" has the wrong type");
  return *value;
}

// Long names are cut: a prefix is repeated in every name of the function's body, and unique names do not depend on it.
std::string prefix_of(const NodeSource& node, const Scope& caller) {
  constexpr size_t kMost = 100, kMostTotal = 1000;
  const std::string& label = node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
  std::string prefix = caller.prefix + label.substr(0, kMost) + "/";
  if (prefix.size() > kMostTotal) prefix.erase(0, prefix.size() - kMostTotal);
  return prefix;
}

}  // namespace

const AttributeSource* resolve(const AttributeSource& attribute, const FunctionCall* call) {
  if (attribute.form != AttributeSource::Form::reference) return &attribute;
  check(call, ErrorCode::invalid_model, "attribute \"", attribute.name, "\" refers to an attribute of a function, \"",
        attribute.reference, "\", outside of one");
  for (const AttributeSource& a : call->attributes) {
    if (a.name == attribute.reference) return &a;
  }
  return nullptr;
}

Tensor constant_value(const NodeSource& node, const FunctionCall* call) {
  check(node.attributes.size() == 1, ErrorCode::invalid_model, "has ", node.attributes.size(),
        " attributes instead of one");
  const std::string& name = node.attributes[0].name;
  const AttributeSource* a = resolve(node.attributes[0], call);
  check(a, ErrorCode::invalid_model, "attribute \"", name, "\" is missing");
  if (name == "value" || name == "sparse_value") return get<Tensor>(*a);
  if (name == "value_float") return Tensor::scalar(get<float>(*a));
  if (name == "value_int") return Tensor::scalar(get<int64_t>(*a));
  if (name == "value_string") return Tensor::scalar(get<std::string>(*a));
  if (name == "value_floats") return vector_of<float>(get<std::vector<float>>(*a));
  if (name == "value_ints") return vector_of<int64_t>(get<std::vector<int64_t>>(*a));
  if (name == "value_strings") return vector_of<std::string>(get<std::vector<std::string>>(*a));
  fail(ErrorCode::invalid_model, cat("attribute \"", name, "\" is not one of Constant"));
}

const FunctionSource* GraphBuilder::find_function(const NodeSource& node) const {
  if (functions_.empty()) return nullptr;
  const auto at = functions_.find(cat(node.domain, '\0', node.op_type, '\0', node.overload));
  return at == functions_.end() ? nullptr : at->second;
}

void GraphBuilder::inline_call(const FunctionSource& function, const NodeSource& node, Scope& caller) {
  for (const FunctionCall* c = caller.call; c; c = c->caller) {
    check(&c->function != &function, ErrorCode::invalid_model, "the function calls itself");
  }
  const FunctionCall call{function, caller.call, bind_attributes(function, node, caller.call)};
  Scope body{caller.graph, caller.used, nullptr, &call, prefix_of(node, caller), {}, {}};
  DepthGuard guard(depth_);
  bind_inputs(node, caller, body);
  check(node.outputs.size() <= function.outputs.size(), ErrorCode::invalid_model, "the function has ",
        function.outputs.size(), " outputs, not ", node.outputs.size());
  for (size_t i = 0; i < node.outputs.size(); i++) {
    if (node.outputs[i].empty() || body.names.contains(function.outputs[i])) continue;
    body.bound.emplace(function.outputs[i], caller.names.at(node.outputs[i]));
  }
  add_nodes(function.nodes, body);
  finish_outputs(node, caller, body);
}

void GraphBuilder::bind_inputs(const NodeSource& node, Scope& caller, Scope& body) {
  const std::vector<std::string>& formal = body.call->function.inputs;
  const std::vector<ValueId> given = resolve_inputs(node, caller);
  check(given.size() <= formal.size(), ErrorCode::invalid_model, "the function has ", formal.size(), " inputs, not ",
        given.size());
  for (size_t i = 0; i < formal.size(); i++) {
    const bool added = body.names.emplace(formal[i], i < given.size() ? given[i] : kNoValue).second;
    check(added, ErrorCode::invalid_model, "the function has two inputs \"", formal[i], "\"");
  }
}

// An output that is one of the function's inputs, or an output for the second time, is copied by an Identity.
void GraphBuilder::finish_outputs(const NodeSource& node, Scope& caller, Scope& body) {
  for (size_t i = 0; i < node.outputs.size(); i++) {
    if (node.outputs[i].empty()) continue;
    const std::string& name = body.call->function.outputs[i];
    const auto at = body.names.find(name);
    check(at != body.names.end() && at->second != kNoValue, ErrorCode::invalid_model, "the function's output \"", name,
          "\" is produced by no node");
    const ValueId wanted = caller.names.at(node.outputs[i]);
    if (at->second == wanted) continue;
    constexpr int kAnyType = 16;  // from this version on Identity takes sequences and optionals too
    Node identity;
    identity.name = body.prefix + name;
    identity.op_type = "Identity";
    identity.opset = kAnyType;
    identity.inputs = {at->second};
    identity.outputs = {wanted};
    body.graph.nodes.push_back(std::move(identity));
  }
}

std::vector<AttributeSource> GraphBuilder::bind_attributes(const FunctionSource& function, const NodeSource& node,
                                                           const FunctionCall* caller) {
  std::vector<AttributeSource> bound;
  const auto is = [](std::string_view name) { return [name](const AttributeSource& a) { return a.name == name; }; };
  for (const AttributeSource& a : node.attributes) {
    const bool declared =
        std::find(function.attributes.begin(), function.attributes.end(), a.name) != function.attributes.end() ||
        std::any_of(function.defaults.begin(), function.defaults.end(), is(a.name));
    check(declared, ErrorCode::invalid_model, "the function has no attribute \"", a.name, "\"");
    const AttributeSource* value = resolve(a, caller);
    if (!value) continue;
    check(value->form == AttributeSource::Form::value, ErrorCode::unsupported_operator, "attribute \"", a.name,
          "\" hands a graph to a function, which is not implemented");
    bound.push_back(*value);
    bound.back().name = a.name;
  }
  for (const AttributeSource& a : function.defaults) {
    if (std::none_of(bound.begin(), bound.end(), is(a.name))) bound.push_back(a);
  }
  return bound;
}

}  // namespace sardonyx::onnx
