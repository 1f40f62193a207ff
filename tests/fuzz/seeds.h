// Small models with every feature of the loader, for the fuzzer to start from.
#pragma once
#include <string>
#include <vector>

#include "tests/cpp/model_builder.h"

namespace sardonyx::testing {

inline std::string seed_initializers() {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x", {2, -1});
  add_initializer(g, "a", {1, 2});
  pb::TensorProto& typed = *g.add_initializer();
  set_tensor(typed, "b", DType::float16, {2}, "");
  typed.clear_raw_data();
  typed.add_int32_data(0x3c00);
  typed.add_int32_data(0x4000);
  pb::TensorProto& text = *g.add_initializer();
  set_tensor(text, "s", DType::string, {1}, "");
  text.clear_raw_data();
  text.add_string_data("word");
  set_tensor(*g.add_initializer(), "p", DType::int4, {3}, "\x21\x03");
  auto& sparse = *g.add_sparse_initializer();
  set_tensor(*sparse.mutable_values(), "d", DType::float32, {1}, raw_of({3.0f}));
  set_tensor(*sparse.mutable_indices(), "", DType::int64, {1, 2}, raw_of<int64_t>({1, 0}));
  sparse.add_dims(2);
  sparse.add_dims(2);
  pb::TensorProto& external = *g.add_initializer();
  set_tensor(external, "e", DType::float32, {2}, "");
  external.clear_raw_data();
  external.set_data_location(pb::TensorProto::EXTERNAL);
  const char* keys[][2] = {{"location", "weights.bin"}, {"offset", "0"}, {"length", "8"}};
  for (const auto& [key, value] : keys) {
    auto* entry = external.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  add_node(g, "Add", {"x", "a"}, {"y"}, "sum");
  add_node(g, "MatMul", {"y", "d"}, {"z"});
  add_output(g, "z");
  return model.SerializeAsString();
}

inline std::string seed_constants() {
  pb::ModelProto model = new_model(13);
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_attribute(add_node(g, "Constant", {}, {"i"}), "value_ints", pb::AttributeProto::INTS).add_ints(2);
  add_attribute(add_node(g, "Constant", {}, {"f"}), "value_float", pb::AttributeProto::FLOAT).set_f(0.5f);
  set_tensor(*add_attribute(add_node(g, "Constant", {}, {"t"}), "value", pb::AttributeProto::TENSOR).mutable_t(), "",
             DType::float32, {2}, raw_of({1.0f, 2.0f}));
  add_node(g, "Mul", {"x", "t"}, {"m"});
  add_node(g, "Clip", {"m", "", "f"}, {"c"});
  add_node(g, "Reshape", {"c", "i"}, {"y"});
  add_attribute(add_node(g, "Softmax", {"y"}, {"z"}), "axis", pb::AttributeProto::INT).set_i(-1);
  add_output(g, "z");
  return model.SerializeAsString();
}

inline std::string seed_subgraphs() {
  pb::ModelProto model = new_model(16);
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "c", {}, DType::boolean);
  add_input(g, "x");
  pb::NodeProto& node = add_node(g, "If", {"c"}, {"y"}, "choice");
  for (const char* name : {"then_branch", "else_branch"}) {
    pb::GraphProto& branch = *add_attribute(node, name, pb::AttributeProto::GRAPH).mutable_g();
    pb::NodeProto& inner = add_node(branch, "If", {"c"}, {"r"});
    for (const char* deeper : {"then_branch", "else_branch"}) {
      pb::GraphProto& leaf = *add_attribute(inner, deeper, pb::AttributeProto::GRAPH).mutable_g();
      add_node(leaf, "Relu", {"x"}, {"q"});
      add_output(leaf, "q");
    }
    add_output(branch, "r");
  }
  add_output(g, "y");
  return model.SerializeAsString();
}

inline std::string seed_functions() {
  pb::ModelProto model = new_model(18);
  import_domain(model, "local");
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  for (const char* name : {"inner", "outer"}) {
    pb::FunctionProto& f = *model.add_functions();
    f.set_domain("local");
    f.set_name(name);
    f.add_input("a");
    f.add_input("b");
    f.add_output("r");
    f.add_opset_import()->set_version(18);
    auto* fallback = f.add_attribute_proto();
    fallback->set_name("alpha");
    fallback->set_type(pb::AttributeProto::FLOAT);
    fallback->set_f(0.5f);
  }
  pb::NodeProto& leaky = add_node(*model.mutable_functions(0), "LeakyRelu", {"a"}, {"r"});
  add_attribute(leaky, "alpha", pb::AttributeProto::FLOAT).set_ref_attr_name("alpha");
  pb::NodeProto& call = add_node(*model.mutable_functions(1), "inner", {"a"}, {"t"}, "call");
  call.set_domain("local");
  add_node(*model.mutable_functions(1), "Add", {"t", "b"}, {"r"});
  pb::NodeProto& top = add_node(g, "outer", {"x", "x"}, {"y"}, "top");
  top.set_domain("local");
  add_attribute(top, "alpha", pb::AttributeProto::FLOAT).set_f(0.1f);
  add_output(g, "y");
  return model.SerializeAsString();
}

inline std::string seed_types() {
  pb::ModelProto model = new_model(18);
  pb::GraphProto& g = *model.mutable_graph();
  auto* s = g.add_input();
  s->set_name("s");
  set_type(*s->mutable_type()->mutable_sequence_type()->mutable_elem_type(), DType::float32, {-1});
  auto* o = g.add_input();
  o->set_name("o");
  set_type(*o->mutable_type()->mutable_optional_type()->mutable_elem_type(), DType::int64, {});
  add_node(g, "SequenceLength", {"s"}, {"n"});
  pb::NodeProto& make = add_node(g, "Optional", {}, {"q"});
  set_type(*add_attribute(make, "type", pb::AttributeProto::TYPE_PROTO).mutable_tp(), DType::float32, {1});
  add_output(g, "n", {}, DType::int64);
  auto* entry = model.add_metadata_props();
  entry->set_key("author");
  entry->set_value("me");
  return model.SerializeAsString();
}

inline std::vector<std::string> fuzz_seeds() {
  return {seed_initializers(), seed_constants(), seed_subgraphs(), seed_functions(), seed_types()};
}

}  // namespace sardonyx::testing
