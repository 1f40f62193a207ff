// Nodes, attributes, types, graphs and functions out of their messages.
#include "onnx/proto_source.h"

#include <climits>

#include "base/error.h"

namespace sardonyx::onnx {
namespace {

using Attr = pb::AttributeProto;

std::vector<std::string> take_strings(google::protobuf::RepeatedPtrField<std::string>& field) {
  std::vector<std::string> list;
  list.reserve(static_cast<size_t>(field.size()));
  for (std::string& s : field) list.push_back(std::move(s));
  return list;
}

template <class Shape>
void set_shape(Type& type, const Shape& shape) {
  type.has_shape = true;
  for (const auto& dim : shape.dim()) {
    Dim d;
    if (dim.has_dim_value() && dim.dim_value() >= 0) d.value = dim.dim_value();
    if (dim.has_dim_param()) d.name = dim.dim_param();
    type.shape.push_back(std::move(d));
  }
}

Type to_type(const pb::TypeProto& proto) {
  Type type;
  const auto element = [&](Type::Kind kind, bool there, const pb::TypeProto& of) {
    type.kind = kind;
    if (there) type.element = std::make_shared<const Type>(to_type(of));
  };
  switch (proto.value_case()) {
    case pb::TypeProto::kTensorType: {
      const auto& tensor = proto.tensor_type();
      if (!is_dtype(tensor.elem_type())) break;
      type.kind = Type::Kind::tensor;
      type.dtype = static_cast<DType>(tensor.elem_type());
      if (tensor.has_shape()) set_shape(type, tensor.shape());
      break;
    }
    case pb::TypeProto::kSequenceType:
      element(Type::Kind::sequence, proto.sequence_type().has_elem_type(), proto.sequence_type().elem_type());
      break;
    case pb::TypeProto::kOptionalType:
      element(Type::Kind::optional, proto.optional_type().has_elem_type(), proto.optional_type().elem_type());
      break;
    case pb::TypeProto::kMapType:
      if (!is_dtype(proto.map_type().key_type())) break;
      element(Type::Kind::map, proto.map_type().has_value_type(), proto.map_type().value_type());
      type.dtype = static_cast<DType>(proto.map_type().key_type());
      break;
    default:  // sparse, opaque: as if nothing were declared
      break;
  }
  return type;
}

// Files of IR version 1 leave the attribute's type out.
Attr::AttributeType attribute_type(const Attr& a) {
  if (a.has_type() && a.type() != Attr::UNDEFINED) return a.type();
  if (a.has_f()) return Attr::FLOAT;
  if (a.has_i()) return Attr::INT;
  if (a.has_s()) return Attr::STRING;
  if (a.has_t()) return Attr::TENSOR;
  if (a.has_g()) return Attr::GRAPH;
  if (a.has_tp()) return Attr::TYPE_PROTO;
  if (a.has_sparse_tensor()) return Attr::SPARSE_TENSOR;
  if (a.floats_size()) return Attr::FLOATS;
  if (a.ints_size()) return Attr::INTS;
  if (a.strings_size()) return Attr::STRINGS;
  if (a.tensors_size()) return Attr::TENSORS;
  if (a.graphs_size()) return Attr::GRAPHS;
  if (a.type_protos_size()) return Attr::TYPE_PROTOS;
  if (a.sparse_tensors_size()) return Attr::SPARSE_TENSORS;
  return Attr::UNDEFINED;
}

std::vector<Tensor> to_tensors(Attr& a, std::string_view place, const ReadContext& context) {
  std::vector<Tensor> list;
  for (pb::TensorProto& t : *a.mutable_tensors()) list.push_back(to_tensor(t, place, context));
  for (pb::SparseTensorProto& t : *a.mutable_sparse_tensors()) list.push_back(to_dense(t, place, context));
  return list;
}

std::vector<Type> to_types(const Attr& a) {
  std::vector<Type> list;
  for (const pb::TypeProto& t : a.type_protos()) list.push_back(to_type(t));
  return list;
}

void set_value(AttributeSource& to, Attr& a, std::string_view place, const ReadContext& context) {
  switch (attribute_type(a)) {
    case Attr::FLOAT:
      to.value = a.f();
      return;
    case Attr::INT:
      to.value = int64_t{a.i()};
      return;
    case Attr::STRING:
      to.value = std::move(*a.mutable_s());
      return;
    case Attr::TENSOR:
      to.value = to_tensor(*a.mutable_t(), place, context);
      return;
    case Attr::SPARSE_TENSOR:
      to.value = to_dense(*a.mutable_sparse_tensor(), place, context);
      return;
    case Attr::TYPE_PROTO:
      to.value = to_type(a.tp());
      return;
    case Attr::FLOATS:
      to.value = std::vector<float>(a.floats().begin(), a.floats().end());
      return;
    case Attr::INTS:
      to.value = std::vector<int64_t>(a.ints().begin(), a.ints().end());
      return;
    case Attr::STRINGS:
      to.value = take_strings(*a.mutable_strings());
      return;
    case Attr::TENSORS:
    case Attr::SPARSE_TENSORS:
      to.value = to_tensors(a, place, context);
      return;
    case Attr::TYPE_PROTOS:
      to.value = to_types(a);
      return;
    case Attr::GRAPH:
      to.form = AttributeSource::Form::graph;
      to.graphs.push_back(std::make_shared<const GraphSource>(to_graph(*a.mutable_g(), context)));
      return;
    case Attr::GRAPHS:
      to.form = AttributeSource::Form::graphs;
      for (pb::GraphProto& g : *a.mutable_graphs()) {
        to.graphs.push_back(std::make_shared<const GraphSource>(to_graph(g, context)));
      }
      return;
    case Attr::UNDEFINED:
      break;
  }
  fail(ErrorCode::invalid_model, cat(place, " has no value"));
}

}  // namespace

AttributeSource to_attribute(Attr& proto, const ReadContext& context) {
  AttributeSource a;
  a.name = std::move(*proto.mutable_name());
  check(!a.name.empty(), ErrorCode::invalid_model, "an attribute has no name");
  if (!proto.ref_attr_name().empty()) {
    a.form = AttributeSource::Form::reference;
    a.reference = std::move(*proto.mutable_ref_attr_name());
  } else {
    set_value(a, proto, cat("attribute \"", a.name, "\""), context);
  }
  return a;
}

NodeSource to_node(pb::NodeProto& proto, const ReadContext& context) {
  constexpr int kMostAttributes = 1000;  // they are searched one after the other
  NodeSource node;
  node.name = std::move(*proto.mutable_name());
  node.domain = short_domain(proto.domain());
  node.op_type = std::move(*proto.mutable_op_type());
  node.overload = std::move(*proto.mutable_overload());
  node.inputs = take_strings(*proto.mutable_input());
  node.outputs = take_strings(*proto.mutable_output());
  try {
    check(!node.op_type.empty(), ErrorCode::invalid_model, "a node has no operator");
    check(!node.outputs.empty(), ErrorCode::invalid_model, "the node has no outputs");
    check(proto.attribute_size() <= kMostAttributes, ErrorCode::invalid_model, proto.attribute_size(), " attributes");
    node.attributes.reserve(static_cast<size_t>(proto.attribute_size()));
    for (Attr& a : *proto.mutable_attribute()) node.attributes.push_back(to_attribute(a, context));
  } catch (Error& e) {
    if (e.op_type.empty()) {
      e.op_type = node.op_type;
      e.node = node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
    }
    throw;
  }
  return node;
}

NamedType to_named_type(pb::ValueInfoProto& proto) { return {std::move(*proto.mutable_name()), to_type(proto.type())}; }

NamedTensor to_named_dense(pb::SparseTensorProto& proto, const ReadContext& context) {
  std::string name = proto.values().name();
  Tensor tensor = to_dense(proto, cat("sparse initializer \"", name, "\""), context);
  return {std::move(name), std::move(tensor)};
}

GraphSource to_graph(pb::GraphProto& proto, const ReadContext& context) {
  GraphSource g;
  g.name = std::move(*proto.mutable_name());
  g.nodes.reserve(static_cast<size_t>(proto.node_size()));
  for (pb::NodeProto& node : *proto.mutable_node()) g.nodes.push_back(to_node(node, context));
  for (pb::TensorProto& t : *proto.mutable_initializer()) {
    std::string name = t.name();
    Tensor tensor = to_tensor(t, cat("initializer \"", name, "\""), context);
    g.initializers.push_back({std::move(name), std::move(tensor)});
  }
  for (pb::SparseTensorProto& t : *proto.mutable_sparse_initializer()) {
    g.initializers.push_back(to_named_dense(t, context));
  }
  for (pb::ValueInfoProto& v : *proto.mutable_input()) g.inputs.push_back(to_named_type(v));
  for (pb::ValueInfoProto& v : *proto.mutable_output()) g.outputs.push_back(to_named_type(v));
  for (pb::ValueInfoProto& v : *proto.mutable_value_info()) g.value_infos.push_back(to_named_type(v));
  return g;
}

FunctionSource to_function(pb::FunctionProto& proto, const ReadContext& context) {
  FunctionSource f;
  f.domain = short_domain(proto.domain());
  f.name = std::move(*proto.mutable_name());
  f.overload = std::move(*proto.mutable_overload());
  f.inputs = take_strings(*proto.mutable_input());
  f.outputs = take_strings(*proto.mutable_output());
  f.attributes = take_strings(*proto.mutable_attribute());
  for (Attr& a : *proto.mutable_attribute_proto()) f.defaults.push_back(to_attribute(a, context));
  for (pb::NodeProto& node : *proto.mutable_node()) f.nodes.push_back(to_node(node, context));
  for (const auto& opset : proto.opset_import()) add_opset(f.opsets, opset);
  return f;
}

void add_opset(OpsetMap& opsets, const pb::OperatorSetIdProto& proto) {
  check(proto.version() >= 0 && proto.version() <= INT_MAX, ErrorCode::invalid_model, "the opset import of domain \"",
        proto.domain(), "\" has version ", proto.version());
  const auto [at, added] = opsets.emplace(short_domain(proto.domain()), proto.version());
  check(added || at->second == proto.version(), ErrorCode::invalid_model, "domain \"", proto.domain(),
        "\" is imported with versions ", at->second, " and ", proto.version());
}

}  // namespace sardonyx::onnx
