// The loader: every encoding of tensors, constants, functions, captures, external data.
#include "onnx/loader.h"

#include <gtest/gtest.h>

#include <map>

#include "error_of.h"
#include "model_builder.h"

namespace sardonyx::testing {
namespace {

using Attr = pb::AttributeProto;

ValueId find(const Graph& graph, std::string_view name) {
  for (size_t i = 0; i < graph.values.size(); i++) {
    if (graph.values[i].name == name) return static_cast<ValueId>(i);
  }
  return kNoValue;
}

const Tensor& constant(const Graph& graph, std::string_view name) {
  const ValueId id = find(graph, name);
  EXPECT_NE(id, kNoValue) << name;
  return graph.value(id).constant;
}

template <class T>
std::vector<T> values(const Tensor& t) {
  EXPECT_TRUE(t.has_data());
  return {t.data<T>(), t.data<T>() + t.count()};
}

Tensor parse(const pb::TensorProto& proto) {
  const std::string bytes = proto.SerializeAsString();
  return parse_tensor(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

// ---- Tensors --------------------------------------------------------------------------------------------------------

pb::TensorProto typed(DType dtype, std::initializer_list<int64_t> dims) {
  pb::TensorProto t;
  set_tensor(t, "t", dtype, dims, "");
  t.clear_raw_data();
  return t;
}

TEST(TensorProto, RawDataOfEveryWidth) {
  pb::TensorProto t;
  set_tensor(t, "t", DType::float64, {2, 1}, raw_of({1.5, -2.25}));
  const Tensor d = parse(t);
  EXPECT_EQ(d.describe(), "float64(2x1)");
  EXPECT_EQ(values<double>(d), (std::vector{1.5, -2.25}));
  for (int number = 1; number < kDTypeCount; number++) {
    const DType dtype = static_cast<DType>(number);
    if (dtype == DType::string) continue;
    pb::TensorProto raw;
    const size_t bytes = (5 * static_cast<size_t>(dtype_bits(dtype)) + 7) / 8;
    std::string data(bytes, '\0');
    for (size_t i = 0; i < bytes; i++) data[i] = static_cast<char>(dtype == DType::boolean ? i & 1 : i * 37 + 1);
    set_tensor(raw, "t", dtype, {5}, data);
    const Tensor got = parse(raw);
    EXPECT_EQ(got.dtype(), dtype);
    EXPECT_EQ(memcmp(got.bytes(), data.data(), bytes), 0) << dtype_name(dtype);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(got.bytes()) % Buffer::kAlign, 0u);
  }
}

TEST(TensorProto, TypedFields) {
  pb::TensorProto f = typed(DType::float32, {2});
  f.add_float_data(1.5f);
  f.add_float_data(-3);
  EXPECT_EQ(values<float>(parse(f)), (std::vector{1.5f, -3.0f}));

  pb::TensorProto d = typed(DType::float64, {});
  d.add_double_data(0.1);
  EXPECT_EQ(parse(d).rank(), 0);
  EXPECT_EQ(values<double>(parse(d)), (std::vector{0.1}));

  pb::TensorProto l = typed(DType::int64, {1});
  l.add_int64_data(INT64_MIN);
  EXPECT_EQ(values<int64_t>(parse(l)), (std::vector<int64_t>{INT64_MIN}));

  for (DType dtype : {DType::uint32, DType::uint64}) {
    pb::TensorProto u = typed(dtype, {1});
    u.add_uint64_data(0xfffffffe);
    EXPECT_EQ(values<uint32_t>(parse(u))[0], 0xfffffffeu);
  }

  pb::TensorProto c = typed(DType::complex64, {1});
  c.add_float_data(1);
  c.add_float_data(2);
  const Tensor complex = parse(c);
  EXPECT_EQ(complex.data<float>()[0], 1);
  EXPECT_EQ(complex.data<float>()[1], 2);

  pb::TensorProto s = typed(DType::string, {2});
  s.add_string_data("one");
  s.add_string_data(std::string("a\0b", 3));
  EXPECT_EQ(values<std::string>(parse(s)), (std::vector<std::string>{"one", std::string("a\0b", 3)}));
}

TEST(TensorProto, Int32DataHoldsEverythingNarrower) {
  const auto of = [](DType dtype, std::initializer_list<int> data, int64_t count) {
    pb::TensorProto t = typed(dtype, {count});
    for (int v : data) t.add_int32_data(v);
    return parse(t);
  };
  EXPECT_EQ(values<int32_t>(of(DType::int32, {-7}, 1)), (std::vector{-7}));
  EXPECT_EQ(values<int8_t>(of(DType::int8, {-128, 127}, 2)), (std::vector<int8_t>{-128, 127}));
  EXPECT_EQ(values<uint8_t>(of(DType::uint8, {255}, 1)), (std::vector<uint8_t>{255}));
  EXPECT_EQ(values<int16_t>(of(DType::int16, {-300}, 1)), (std::vector<int16_t>{-300}));
  EXPECT_EQ(values<uint16_t>(of(DType::uint16, {65535}, 1)), (std::vector<uint16_t>{65535}));
  EXPECT_EQ(values<uint8_t>(of(DType::boolean, {0, 1}, 2)), (std::vector<uint8_t>{0, 1}));
  EXPECT_EQ(static_cast<float>(of(DType::float16, {0x3e00}, 1).data<Float16>()[0]), 1.5f);
  EXPECT_EQ(static_cast<float>(of(DType::bfloat16, {0x3fc0}, 1).data<BFloat16>()[0]), 1.5f);
  EXPECT_EQ(values<uint8_t>(of(DType::float8e4m3fn, {0x38}, 1)), (std::vector<uint8_t>{0x38}));
  // Three elements of four bits are two bytes, five of two bits as well.
  EXPECT_EQ(of(DType::uint4, {0x21, 0x03}, 3).bytes()[1], std::byte{3});
  EXPECT_EQ(of(DType::int2, {0xe4, 0x01}, 5).bytes()[0], std::byte{0xe4});
}

TEST(TensorProto, BoolsAreZeroOrOne) {
  pb::TensorProto t;
  set_tensor(t, "t", DType::boolean, {3}, std::string("\x02\x00\xff", 3));
  EXPECT_EQ(values<uint8_t>(parse(t)), (std::vector<uint8_t>{1, 0, 1}));
}

TEST(TensorProto, EmptyTensors) {
  pb::TensorProto t;
  set_tensor(t, "t", DType::float32, {0, 3}, "");
  EXPECT_EQ(parse(t).describe(), "float32(0x3)");
  EXPECT_EQ(parse(typed(DType::string, {0})).count(), 0);
  // Empty raw data beside a typed field: the field counts.
  pb::TensorProto both;
  set_tensor(both, "t", DType::float32, {1}, "");
  both.add_float_data(4);
  EXPECT_EQ(values<float>(parse(both)), (std::vector{4.0f}));
}

TEST(TensorProto, LengthsMustFit) {
  pb::TensorProto t;
  set_tensor(t, "w", DType::float32, {2, 3}, std::string(20, 'x'));
  EXPECT_EQ(error_of([&] { parse(t); }), "tensor \"w\" has 20 bytes of raw data, but float32(2x3) needs 24");
  pb::TensorProto f = typed(DType::float32, {3});
  f.add_float_data(1);
  EXPECT_EQ(error_of([&] { parse(f); }), "tensor \"t\" has 1 values in float_data, but float32(3) needs 3");
  pb::TensorProto s;
  set_tensor(s, "s", DType::string, {1}, "raw");
  EXPECT_NE(error_of([&] { parse(s); }).find("strings"), std::string::npos);
}

TEST(TensorProto, DimensionsMustMakeSense) {
  const auto message = [](std::initializer_list<int64_t> dims) {
    pb::TensorProto t;
    set_tensor(t, "w", DType::float32, dims, "1234");
    return error_of([&] { parse(t); });
  };
  EXPECT_EQ(message({-1}), "tensor \"w\" has the negative dimension -1");
  EXPECT_NE(message({int64_t{1} << 40, int64_t{1} << 40}).find("overflows"), std::string::npos);
  EXPECT_NE(message({0, int64_t{1} << 62, 8}).find("overflows"), std::string::npos);
  EXPECT_NE(message({INT64_MAX}).find("overflows"), std::string::npos);
  // No memory is asked for before the bytes are known to be there.
  EXPECT_NE(message({int64_t{1} << 50}).find("4 bytes of raw data"), std::string::npos);
  EXPECT_NE(message({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}).find("17 dimensions"), std::string::npos);
  pb::TensorProto odd;
  set_tensor(odd, "w", DType::float32, {1}, "1234");
  odd.set_data_type(99);
  EXPECT_EQ(error_of([&] { parse(odd); }), "tensor \"w\" has the unknown element type 99");
}

// ---- Graphs ---------------------------------------------------------------------------------------------------------

TEST(Loader, HeaderInputsOutputs) {
  pb::ModelProto model = new_model(17);
  model.set_producer_name("maker");
  model.set_model_version(3);
  import_domain(model, "never.used", 5);
  auto* meta = model.add_metadata_props();
  meta->set_key("k");
  meta->set_value("v");
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x", {2, -1});
  g.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_param("batch");
  add_node(g, "Relu", {"x"}, {"y"}, "r").set_domain("ai.onnx");
  add_output(g, "y");
  auto* info = g.add_value_info();
  info->set_name("y");
  set_type(*info->mutable_type(), DType::int8, {9});  // the output's own declaration wins

  const Model m = load(model);
  EXPECT_EQ(m.ir_version, 13);
  EXPECT_EQ(m.producer_name, "maker");
  EXPECT_EQ(m.model_version, 3);
  EXPECT_EQ(m.opset_imports.size(), 2u);
  EXPECT_EQ(m.metadata, (std::vector<std::pair<std::string, std::string>>{{"k", "v"}}));
  ASSERT_EQ(m.graph.inputs.size(), 1u);
  EXPECT_EQ(m.graph.value(m.graph.inputs[0]).type.to_string(), "float32(2xbatch)");
  EXPECT_TRUE(m.graph.value(m.graph.inputs[0]).is_input);
  ASSERT_EQ(m.graph.nodes.size(), 1u);
  EXPECT_EQ(m.graph.nodes[0].domain, "");
  EXPECT_EQ(m.graph.nodes[0].opset, 17);
  EXPECT_EQ(m.graph.value(m.graph.outputs[0]).type.to_string(), "float32(2)");
}

TEST(Loader, TheSameModelInBlocksOfAnySize) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x", {5});
  add_initializer(g, "w", {1, 2, 3, 4, 5});
  add_node(g, "Add", {"x", "w"}, {"y"});
  add_output(g, "y", {5});
  const std::string bytes = model.SerializeAsString();
  for (size_t block = 1; block <= bytes.size(); block++) {
    const Model m = load_model(MemoryBytes(bytes, block), {});
    EXPECT_EQ(values<float>(constant(m.graph, "w")), (std::vector<float>{1, 2, 3, 4, 5})) << block;
  }
}

TEST(Loader, InitializersThatAreInputsAndUnusedOnes) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_input(g, "w");
  add_initializer(g, "w", {1, 2});
  add_initializer(g, "fixed", {3, 4});
  add_initializer(g, "unused", {5, 6});
  add_node(g, "Sum", {"x", "w", "fixed"}, {"y"});
  add_output(g, "y");
  const Model m = load(model);
  const ValueId w = find(m.graph, "w");
  EXPECT_EQ(m.graph.inputs.size(), 2u);
  EXPECT_TRUE(m.graph.value(w).is_input);
  EXPECT_TRUE(m.graph.value(w).constant.defined());
  EXPECT_FALSE(m.graph.is_constant(w));
  EXPECT_TRUE(m.graph.is_constant(find(m.graph, "fixed")));
  EXPECT_FALSE(constant(m.graph, "unused").defined());
}

TEST(Loader, NodesAreSortedAndAbsentInputsKept) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_node(g, "Clip", {"a", "", "m"}, {"y"});
  add_node(g, "Relu", {"x", "", ""}, {"a"});
  add_node(g, "Split", {"x"}, {"m", ""});
  add_output(g, "y");
  const Model m = load(model);
  ASSERT_EQ(m.graph.nodes.size(), 3u);
  EXPECT_EQ(m.graph.nodes[0].op_type, "Relu");
  EXPECT_EQ(m.graph.nodes[0].inputs.size(), 1u);
  EXPECT_EQ(m.graph.nodes[1].outputs, (std::vector<ValueId>{find(m.graph, "m"), kNoValue}));
  EXPECT_EQ(m.graph.nodes[2].inputs[1], kNoValue);
}

TEST(Loader, ConstantNodesOfEveryForm) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  const auto add = [&](const char* output, const char* name, Attr::AttributeType type) -> Attr& {
    add_output(g, output);
    return add_attribute(add_node(g, "Constant", {}, {output}), name, type);
  };
  set_tensor(*add("t", "value", Attr::TENSOR).mutable_t(), "", DType::int8, {2}, "\1\2");
  add("f", "value_float", Attr::FLOAT).set_f(1.5f);
  add("i", "value_int", Attr::INT).set_i(-4);
  add("s", "value_string", Attr::STRING).set_s("text");
  Attr& fs = add("fs", "value_floats", Attr::FLOATS);
  fs.add_floats(1);
  fs.add_floats(2);
  add("is", "value_ints", Attr::INTS).add_ints(7);
  add("ss", "value_strings", Attr::STRINGS).add_strings("word");
  auto& sparse = *add("sp", "sparse_value", Attr::SPARSE_TENSOR).mutable_sparse_tensor();
  set_tensor(*sparse.mutable_values(), "", DType::float32, {1}, raw_of({9.0f}));
  set_tensor(*sparse.mutable_indices(), "", DType::int64, {1}, raw_of<int64_t>({2}));
  sparse.add_dims(4);
  const Model m = load(model);
  EXPECT_TRUE(m.graph.nodes.empty());
  EXPECT_EQ(values<int8_t>(constant(m.graph, "t")), (std::vector<int8_t>{1, 2}));
  EXPECT_EQ(constant(m.graph, "f").describe(), "float32(scalar)");
  EXPECT_EQ(values<float>(constant(m.graph, "f")), (std::vector{1.5f}));
  EXPECT_EQ(values<int64_t>(constant(m.graph, "i")), (std::vector<int64_t>{-4}));
  EXPECT_EQ(values<std::string>(constant(m.graph, "s")), (std::vector<std::string>{"text"}));
  EXPECT_EQ(values<float>(constant(m.graph, "fs")), (std::vector{1.0f, 2.0f}));
  EXPECT_EQ(constant(m.graph, "is").describe(), "int64(1)");
  EXPECT_EQ(values<std::string>(constant(m.graph, "ss")), (std::vector<std::string>{"word"}));
  EXPECT_EQ(values<float>(constant(m.graph, "sp")), (std::vector<float>{0, 0, 9, 0}));
}

// ---- Sparse and external --------------------------------------------------------------------------------------------

pb::ModelProto sparse_model(DType dtype, const std::string& data, int64_t count, std::initializer_list<int64_t> indices,
                            std::initializer_list<int64_t> index_dims, std::initializer_list<int64_t> dims) {
  pb::ModelProto model = new_model();
  auto& sparse = *model.mutable_graph()->add_sparse_initializer();
  set_tensor(*sparse.mutable_values(), "w", dtype, {count}, data);
  set_tensor(*sparse.mutable_indices(), "", DType::int64, index_dims, raw_of(indices));
  for (int64_t d : dims) sparse.add_dims(d);
  add_output(*model.mutable_graph(), "w");
  return model;
}

TEST(Sparse, BothFormsOfIndices) {
  const Model linear = load(sparse_model(DType::int16, raw_of<int16_t>({5, 6}), 2, {1, 5}, {2}, {2, 3}));
  EXPECT_EQ(values<int16_t>(constant(linear.graph, "w")), (std::vector<int16_t>{0, 5, 0, 0, 0, 6}));
  const Model rows = load(sparse_model(DType::int16, raw_of<int16_t>({5, 6}), 2, {0, 1, 1, 2}, {2, 2}, {2, 3}));
  EXPECT_EQ(values<int16_t>(constant(rows.graph, "w")), (std::vector<int16_t>{0, 5, 0, 0, 0, 6}));
  const Model packed = load(sparse_model(DType::uint4, "\x7f", 2, {1, 2}, {2}, {4}));
  EXPECT_EQ(constant(packed.graph, "w").bytes()[0], std::byte{0xf0});
  EXPECT_EQ(constant(packed.graph, "w").bytes()[1], std::byte{0x07});
}

TEST(Sparse, BadIndicesAndHugeShapes) {
  const auto message = [](std::initializer_list<int64_t> indices, std::initializer_list<int64_t> index_dims,
                          std::initializer_list<int64_t> dims) {
    return error_of([&] { load(sparse_model(DType::float32, raw_of({1.0f}), 1, indices, index_dims, dims)); });
  };
  EXPECT_EQ(message({6}, {1}, {2, 3}), "sparse initializer \"w\" has the index 6 in 6 elements");
  EXPECT_NE(message({-1}, {1}, {2, 3}).find("index -1"), std::string::npos);
  EXPECT_NE(message({0, 3}, {1, 2}, {2, 3}).find("index 3 in dimension 1"), std::string::npos);
  EXPECT_NE(message({0, 0}, {2}, {2, 3}).find("indices of shape 2"), std::string::npos);
  EXPECT_NE(message({0}, {1}, {int64_t{1} << 40}).find("unfold"), std::string::npos);
}

pb::ModelProto external_model(std::map<std::string, std::string> keys) {
  pb::ModelProto model = new_model();
  pb::TensorProto& t = *model.mutable_graph()->add_initializer();
  set_tensor(t, "w", DType::uint8, {3}, "");
  t.clear_raw_data();
  t.set_data_location(pb::TensorProto::EXTERNAL);
  for (const auto& [key, value] : keys) {
    auto* entry = t.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  add_output(*model.mutable_graph(), "w");
  return model;
}

TEST(ExternalData, OffsetAndLength) {
  LoadOptions options;
  options.external_data = [](const std::string& location, uint64_t offset, std::span<std::byte> to) {
    EXPECT_EQ(location, "sub/weights.bin");
    for (size_t i = 0; i < to.size(); i++) to[i] = static_cast<std::byte>(offset + i);
  };
  const auto w = [&](std::map<std::string, std::string> keys) {
    return values<uint8_t>(constant(load(external_model(keys), options).graph, "w"));
  };
  EXPECT_EQ(w({{"location", "sub/weights.bin"}}), (std::vector<uint8_t>{0, 1, 2}));
  EXPECT_EQ(w({{"location", "sub/weights.bin"}, {"offset", "16"}, {"length", "3"}}),
            (std::vector<uint8_t>{16, 17, 18}));
}

TEST(ExternalData, RefusesOtherPlacesAndLengths) {
  LoadOptions options;
  options.external_data = [](const std::string&, uint64_t, std::span<std::byte>) { ADD_FAILURE(); };
  for (const char* bad : {"/etc/passwd", "../w.bin", "a/../../w.bin", "a\\..\\w.bin", "C:\\w.bin", "", "https://x/w"}) {
    const std::string message = error_of([&] { load(external_model({{"location", bad}}), options); });
    EXPECT_NE(message.find("initializer \"w\""), std::string::npos) << message;
  }
  for (const char* bad : {"-1", "x", "", "99999999999999999999"}) {
    error_of([&] { load(external_model({{"location", "w"}, {"offset", bad}}), options); });
  }
  const std::string length = error_of([&] { load(external_model({{"location", "w"}, {"length", "4"}}), options); });
  EXPECT_EQ(length, "initializer \"w\" has 4 bytes of external data, but uint8(3) needs 3");
  const std::string none =
      error_of([&] { load(external_model({{"location", "w.bin"}})); }, ErrorCode::invalid_argument);
  EXPECT_NE(none.find("\"w.bin\""), std::string::npos);
}

// Before IR version 4 initializers had to be inputs too; that did not make them defaults.
TEST(Loader, OldInitializersAreConstants) {
  for (int version : {3, 4}) {
    pb::ModelProto model = new_model(9);
    model.set_ir_version(version);
    pb::GraphProto& graph = *model.mutable_graph();
    add_input(graph, "k");
    add_input(graph, "x");
    add_initializer(graph, "k", {1, 2});
    add_node(graph, "Add", {"x", "k"}, {"y"});
    add_output(graph, "y");
    const Model m = load(model);
    EXPECT_EQ(m.graph.inputs.size(), version < 4 ? 1u : 2u);
    EXPECT_EQ(m.graph.value(m.graph.inputs.back()).name, "x");
    EXPECT_EQ(m.graph.is_constant(m.graph.nodes[0].inputs[1]), version < 4);
  }
}

}  // namespace
}  // namespace sardonyx::testing
