// Builds models for tests, message by message.
#pragma once
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "onnx.pb.h"
#include "onnx/loader.h"

namespace sardonyx::testing {

using Names = std::initializer_list<const char*>;

// IR 13, ai.onnx version `opset`.
inline pb::ModelProto new_model(int opset = 25) {
  pb::ModelProto model;
  model.set_ir_version(13);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("test");
  return model;
}

inline void import_domain(pb::ModelProto& model, const char* domain, int version = 1) {
  auto* import = model.add_opset_import();
  import->set_domain(domain);
  import->set_version(version);
}

// A tensor type; dimensions below 0 are left open.
inline void set_type(pb::TypeProto& type, DType dtype, std::initializer_list<int64_t> dims) {
  type.mutable_tensor_type()->set_elem_type(static_cast<int>(dtype));
  auto* shape = type.mutable_tensor_type()->mutable_shape();
  for (int64_t d : dims) {
    auto* dim = shape->add_dim();
    if (d >= 0) dim->set_dim_value(d);
  }
}

inline void add_input(pb::GraphProto& graph, const char* name, std::initializer_list<int64_t> dims = {2},
                      DType dtype = DType::float32) {
  auto* value = graph.add_input();
  value->set_name(name);
  set_type(*value->mutable_type(), dtype, dims);
}

inline void add_output(pb::GraphProto& graph, const char* name, std::initializer_list<int64_t> dims = {2},
                       DType dtype = DType::float32) {
  auto* value = graph.add_output();
  value->set_name(name);
  set_type(*value->mutable_type(), dtype, dims);
}

inline void set_node(pb::NodeProto& node, const char* op, Names inputs, Names outputs, const char* name = "") {
  node.set_op_type(op);
  node.set_name(name);
  for (const char* i : inputs) node.add_input(i);
  for (const char* o : outputs) node.add_output(o);
}

// For GraphProto and FunctionProto.
template <class Graph>
pb::NodeProto& add_node(Graph& graph, const char* op, Names inputs, Names outputs, const char* name = "") {
  pb::NodeProto& node = *graph.add_node();
  set_node(node, op, inputs, outputs, name);
  return node;
}

inline pb::AttributeProto& add_attribute(pb::NodeProto& node, const char* name,
                                         pb::AttributeProto::AttributeType type) {
  pb::AttributeProto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(type);
  return a;
}

inline void set_tensor(pb::TensorProto& tensor, const char* name, DType dtype, std::initializer_list<int64_t> dims,
                       const std::string& raw) {
  tensor.set_name(name);
  tensor.set_data_type(static_cast<int>(dtype));
  for (int64_t d : dims) tensor.add_dims(d);
  tensor.set_raw_data(raw);
}

template <class T>
std::string raw_of(std::initializer_list<T> values) {
  std::string raw(values.size() * sizeof(T), '\0');
  if (!raw.empty()) memcpy(raw.data(), std::data(values), raw.size());
  return raw;
}

inline pb::TensorProto& add_initializer(pb::GraphProto& graph, const char* name, std::initializer_list<float> values) {
  pb::TensorProto& t = *graph.add_initializer();
  set_tensor(t, name, DType::float32, {static_cast<int64_t>(values.size())}, raw_of(values));
  return t;
}

inline Model load(const pb::ModelProto& model, const LoadOptions& options = {}) {
  return load_model(MemoryBytes(model.SerializeAsString()), options);
}

}  // namespace sardonyx::testing
