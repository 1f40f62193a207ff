// Models that are wrong or built to be slow: the tools say so, or pass over them; nothing crashes, hangs or grows.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>

#include "error_of.h"
#include "tools_bench.h"

namespace sardonyx {
namespace {

using testing::add_attribute;
using testing::add_initializer;
using testing::add_input;
using testing::add_node;
using testing::add_output;
using testing::error_of;
using testing::new_model;
using testing::raw_of;
using testing::set_tensor;
using testing::ToolsBench;

void set_list(pb::AttributeProto& a, std::initializer_list<int64_t> values) {
  for (const int64_t v : values) a.add_ints(v);
}

bool has_finding(const std::string& json, std::string_view code, std::string_view text) {
  return json.find(cat("\"code\":\"", code, "\"")) != std::string::npos && json.find(text) != std::string::npos;
}

// Everything that a tool does with a model it is handed; none may fail but by an Error.
void use_all(const pb::ModelProto& model) {
  const auto tolerant = [](const std::function<void()>& job) {
    try {
      job();
    } catch (const Error& e) {
      EXPECT_FALSE(e.message().empty());
    }
  };
  tolerant([&] { ToolsBench(model).check(); });
  tolerant([&] { ToolsBench(model).call({"describe"}); });
  tolerant([&] { ToolsBench(model).call({"print", "exact"}); });
  tolerant([&] { ToolsBench(model).simplify(); });
  tolerant([&] { ToolsBench(model).call({"convert", "25"}); });
  tolerant([&] {
    ToolsBench bench(model);
    bench.call({"infer"}, bench.report());
    bench.call({"constant_part", "1000"}, bench.report());
  });
}

// Is `body` done in what a model of so many nodes may take, sanitizers included? The processor's time, since others may
// have the machine.
void expect_quick(const std::function<void()>& body) {
  const std::clock_t start = std::clock();
  body();
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20);
}

TEST(ToolsBad, WhatIsNoModelSaysWhatItIs) {
  for (const std::string bytes : {"", "<!DOCTYPE html><html>", "\x08\x07", "\xff\xff\xff\xff\xff\xff\xff\xff"})
    error_of([&] { ToolsBench bench(bytes); });
  const std::string whole = new_model().SerializeAsString();
  error_of([&] { ToolsBench bench(whole.substr(0, whole.size() - 2)); });
}

TEST(ToolsBad, CommandsSayWhatTheyLack) {
  ToolsBench bench(new_model());
  error_of([&] { bench.call({}); }, ErrorCode::invalid_argument);
  error_of([&] { bench.call({"dance"}); }, ErrorCode::invalid_argument);
  error_of([&] { bench.call({"extract", "1"}); }, ErrorCode::invalid_argument);
  error_of([&] { bench.call({"extract", "9", "a", "b"}); }, ErrorCode::invalid_argument);
  error_of([&] { bench.call({"fix_dim", "n", "2"}); }, ErrorCode::invalid_argument);
  error_of([&] { bench.call({"computed"}, "\xff\xff"); }, ErrorCode::invalid_argument);
}

// Groups are no part of ONNX, but of protobuf: a parser keeps them as unknown fields.
TEST(ToolsBad, GroupsInTheFileArePassedOver) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_initializer(g, "w", {1, 2});
  std::string bytes = model.SerializeAsString();
  // Field 1000, a group with a field 9 of 200 bytes that the file does not have; then the graph goes on.
  const std::string group = std::string("\xc3\x3e\x4d\x01\x02\x03\x04\xc4\x3e", 9);
  pb::GraphProto rest;
  add_initializer(rest, "v", {3});
  const std::string more = group + rest.SerializeAsString();
  bytes += std::string("\x3a") + static_cast<char>(more.size()) + more;
  ToolsBench bench(bytes);
  const std::string json = bench.call({"describe"});
  const size_t at = bytes.rfind(raw_of({3.0f}));
  EXPECT_NE(json.find(cat("\"range\":{\"offset\":", at, ",\"length\":4}")), std::string::npos) << json;
}

TEST(ToolsBad, SizesWhoseBitsPassTwoToThe64) {
  for (const DType dtype : {DType::float32, DType::float16, DType::complex128, DType::int4, DType::string}) {
    for (int power = 52; power < 63; power++) {
      pb::ModelProto model = new_model();
      pb::GraphProto& g = *model.mutable_graph();
      set_tensor(*g.add_initializer(), "w", dtype, {int64_t{1} << power}, "");
      add_input(g, "x");
      add_node(g, "Add", {"x", "w"}, {"y"});
      add_output(g, "y");
      EXPECT_TRUE(has_finding(ToolsBench(model).check(), "bad_tensor", "\"w\\\"")) << power;
      use_all(model);
    }
  }
}

// The tools' own rules of ranks and sizes, which speak where the engine's trials say nothing.
TEST(ToolsBad, SizesWhoseSumsAndProductsPassTwoToThe63) {
  const std::pair<const char*, std::vector<const char*>> nodes[] = {
      {"Reshape", {"x", "list"}},       {"Concat", {"x", "x", "x"}}, {"Expand", {"x", "list"}},
      {"OneHot", {"list", "one", "x"}}, {"Conv", {"x", "x"}},        {"MatMul", {"x", "x"}},
      {"RoiAlign", {"x", "x", "list"}}, {"Gather", {"x", "list"}},   {"TopK", {"x", "one"}},
      {"Slice", {"x", "list", "list"}}, {"Tile", {"x", "list"}},     {"Pad", {"x", "list"}},
      {"Unsqueeze", {"x", "list"}},     {"Squeeze", {"x", "list"}},  {"NonZero", {"x"}},
      {"ConstantOfShape", {"list"}},    {"Range", {"one", "one"}},   {"Resize", {"x", "", "", "list"}},
  };
  for (const auto& [op, inputs] : nodes) {
    for (const int64_t size : {int64_t{1} << 53, int64_t{1} << 59, INT64_MAX}) {
      for (const int64_t target : {int64_t{-1}, int64_t{0}, size}) {
        pb::ModelProto model = new_model(13);
        pb::GraphProto& g = *model.mutable_graph();
        add_input(g, "x", {3, size, 4, size});
        set_tensor(*g.add_initializer(), "list", DType::int64, {2}, raw_of({target, int64_t{7}}));
        set_tensor(*g.add_initializer(), "one", DType::int64, {1}, raw_of({target}));
        pb::NodeProto& n = add_node(g, op, {}, {"y"});
        for (const char* input : inputs) n.add_input(input);
        const std::string_view name = op;
        if (name == "Concat" || name == "Gather" || name == "OneHot" || name == "TopK")
          add_attribute(n, "axis", pb::AttributeProto::INT).set_i(1);
        if (name == "RoiAlign") add_attribute(n, "output_height", pb::AttributeProto::INT).set_i(size);
        if (name == "TopK") n.add_output("indices");
        add_attribute(add_node(g, "Concat", {"y", "y", "x"}, {"z"}), "axis", pb::AttributeProto::INT).set_i(1);
        add_output(g, "z");
        use_all(model);
        ToolsBench bench(model);
        for (int round = 0; round < 3; round++) bench.call({"infer"}, bench.report());
      }
    }
  }
}

TEST(ToolsBad, TypesThatDoNotExist) {
  for (const int type : {-2147483647 - 1, -5, 27, 28, 1000, 2147483647}) {
    pb::ModelProto model = new_model();
    pb::GraphProto& g = *model.mutable_graph();
    add_input(g, "x");
    g.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    set_tensor(*g.add_initializer(), "w", DType::float32, {1}, "1234");
    g.mutable_initializer(0)->set_data_type(type);
    add_node(g, "Add", {"x", "w"}, {"y"});
    add_attribute(add_node(g, "Cast", {"w"}, {"z"}), "to", pb::AttributeProto::INT).set_i(type);
    add_output(g, "y");
    add_output(g, "z");
    use_all(model);
  }
}

TEST(ToolsBad, NodesWithoutTheInputsThatTheirKindHas) {
  for (const char* op : {"Transpose", "Reshape", "Clip", "Pad", "Conv", "BatchNormalization", "Gemm", "Squeeze",
                         "Slice", "Concat", "Dropout", "Cast", "If", "Loop", "Split", "Identity", "Constant"}) {
    for (const bool to_itself : {false, true}) {
      pb::ModelProto model = new_model(10);
      pb::GraphProto& g = *model.mutable_graph();
      add_input(g, "x");
      pb::NodeProto& first = add_node(g, op, {}, {"a"});
      if (to_itself) first.add_input("a");
      add_attribute(first, "min", pb::AttributeProto::FLOAT).set_f(1);
      add_node(g, op, {"a"}, {"b"});
      add_node(g, op, {"b", "b", "b", "b", "b"}, {"y"});
      add_node(g, op, {"x"}, {});
      add_output(g, "y");
      use_all(model);
    }
  }
}

TEST(ToolsBad, AttributesOutOfTheirRange) {
  for (const int64_t value : {INT64_MIN, int64_t{-1}, int64_t{2}, int64_t{1} << 40, INT64_MAX}) {
    pb::ModelProto model = new_model(10);
    pb::GraphProto& g = *model.mutable_graph();
    add_input(g, "x", {1, 1, 4, 4});
    set_tensor(*g.add_initializer(), "w", DType::float32, {1, 1, 1, 1}, raw_of({1.0f}));
    set_list(add_attribute(add_node(g, "Transpose", {"x"}, {"a"}), "perm", pb::AttributeProto::INTS), {0, 1, 2, value});
    set_list(add_attribute(add_node(g, "Transpose", {"a"}, {"b"}), "perm", pb::AttributeProto::INTS), {3, 2, 1, value});
    set_list(add_attribute(add_node(g, "Pad", {"b"}, {"c"}), "pads", pb::AttributeProto::INTS),
             {0, 0, value, value, 0, 0, value, value});
    set_list(add_attribute(add_node(g, "Conv", {"c", "w"}, {"y"}), "pads", pb::AttributeProto::INTS),
             {value, value, value});
    add_output(g, "y", {1, 1, 4, 4});
    use_all(model);
  }
}

TEST(ToolsBad, NamesWithAZeroInThem) {
  using namespace std::literals;
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x", {-1, 3});
  g.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
      "n\0T\0\0x\0007\0001\0005"s);
  const std::string name = "a\0T\0\0y\0007\0001\0005\0"s;
  add_node(g, "Relu", {"x"}, {}).add_output(name);
  add_node(g, "Cast", {}, {"y"}).add_input(name);
  add_attribute(*g.mutable_node(1), "to", pb::AttributeProto::INT).set_i(1);
  add_output(g, "y", {-1, 3});
  use_all(model);
  // What the name would have said of y is not believed: int64[5] would contradict what is declared.
  EXPECT_FALSE(has_finding(ToolsBench(model).check(), "type_mismatch", "y"));
}

TEST(ToolsBad, ReportsThatAreNoneOfTheEngine) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_node(g, "Cast", {"x"}, {"y"});
  add_output(g, "y");
  using namespace std::literals;
  for (const std::string& report :
       {"T\0\0y\0sssssss1\0001\0005\0"s, "T\0\0y\0999\0001\0005\0"s, "V\0\0y\0999999999999\0001\0"s,
        "T\0\0y\0001\000999999999999\0"s, "T\0\0y"s, "E\0\0"s, "\0\0\0\0\0\0\0"s}) {
    ToolsBench bench(model);
    bench.call({"check", ""}, report);
    bench.call({"infer"}, report);
    bench.call({"simplify", "1", "1", "1"}, report);
    bench.call({"constant_part", "10"}, report);
  }
}

TEST(ToolsBad, CyclesAndWrongOrder) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_node(g, "Identity", {"c"}, {"a"});
  add_node(g, "Identity", {"a"}, {"b"});
  add_node(g, "Identity", {"b"}, {"c"});
  add_node(g, "Transpose", {"e"}, {"d"});
  add_node(g, "Transpose", {"d"}, {"e"});
  add_node(g, "Add", {"c", "e"}, {"y"});
  for (auto& n : *g.mutable_node())
    if (n.op_type() == "Transpose") set_list(add_attribute(n, "perm", pb::AttributeProto::INTS), {1, 0});
  add_output(g, "y");
  EXPECT_TRUE(has_finding(ToolsBench(model).check(), "not_sorted", "\"c\\\""));
  use_all(model);
}

// A hundred thousand of each thing that a file has lists of.
TEST(ToolsBad, LongLists) {
  constexpr int kMany = 100000;
  pb::ModelProto attributes = new_model();
  pb::NodeProto& node = add_node(*attributes.mutable_graph(), "Relu", {"x"}, {"y"});
  for (int i = 0; i < kMany; i++) node.add_attribute()->set_name(cat("a", i));
  expect_quick([&] { ToolsBench(attributes).check(); });

  pb::ModelProto functions = new_model();
  for (int i = 0; i < kMany / 10; i++) {  // each calls the next
    pb::FunctionProto& f = *functions.add_functions();
    f.set_name(cat("f", i));
    f.set_domain("own");
    f.add_output("r");
    pb::NodeProto& call = *f.add_node();
    call.set_op_type(cat("f", i + 1));
    call.set_domain("own");
    call.add_output("r");
  }
  add_node(*functions.mutable_graph(), "f0", {}, {"y"}).set_domain("own");
  expect_quick([&] {
    ToolsBench bench(functions);
    bench.call({"check", ""}, "");
    bench.call({"tidy"});
    EXPECT_EQ(bench.model().functions_size(), kMany / 10);
  });

  pb::ModelProto inputs = new_model();
  pb::GraphProto& g = *inputs.mutable_graph();
  add_input(g, "x");
  pb::NodeProto concat;
  concat.set_op_type("Concat");
  concat.add_output("y");
  for (int i = 0; i < kMany / 10; i++) {
    add_node(g, "Identity", {"x"}, {}).add_output(cat("i", i));
    concat.add_input(cat("i", i));
  }
  *g.add_node() = concat;
  add_output(g, "y");
  expect_quick([&] {
    ToolsBench bench(inputs);
    bench.call({"simplify", "1", "1", "1"}, "");
    EXPECT_EQ(bench.model().graph().node_size(), 1);
  });
}

// Values that are renamed outside of a graph that uses them all.
TEST(ToolsBad, ManyCaptures) {
  constexpr int kMany = 3000;
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x");
  add_input(g, "c", {}, DType::boolean);
  pb::NodeProto branch;
  testing::set_node(branch, "If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    pb::GraphProto& inner = *add_attribute(branch, name, pb::AttributeProto::GRAPH).mutable_g();
    pb::NodeProto& sum = *inner.add_node();
    sum.set_op_type("Sum");
    for (int i = 0; i < kMany; i++) sum.add_input(cat("i", i));
    sum.add_output("s");
    inner.add_output()->set_name("s");
  }
  for (int i = 0; i < kMany; i++) add_node(g, "Identity", {"x"}, {}).add_output(cat("i", i));
  *g.add_node() = branch;
  add_output(g, "y");
  expect_quick([&] {
    ToolsBench bench(model);
    bench.call({"simplify", "1", "1", "1"}, "");
    const pb::GraphProto after = bench.model().graph();
    ASSERT_EQ(after.node_size(), 1);
    for (const auto& a : after.node(0).attribute())
      for (const auto& name : a.g().node(0).input()) ASSERT_EQ(name, "x");
  });
}

// Large weights that many nodes in a row are merged into are there once.
TEST(ToolsBad, ManyBatchNorms) {
  constexpr int kMany = 300;
  constexpr int64_t kElements = 1 << 18;
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "x", {1, kElements, 1, 1});
  set_tensor(*g.add_initializer(), "w", DType::float32, {1, kElements, 1, 1},
             std::string(kElements * sizeof(float), '\0'));
  add_initializer(g, "one", {1});
  add_node(g, "Conv", {"x", "w"}, {"v0"});
  for (int i = 0; i < kMany; i++) {
    pb::NodeProto& n = add_node(g, "BatchNormalization", {}, {});
    n.add_input(cat("v", i));
    for (int k = 0; k < 4; k++) n.add_input("one");
    n.add_output(cat("v", i + 1));
  }
  add_output(g, cat("v", kMany).c_str());
  ToolsBench bench(model);
  bench.call({"simplify", "1", "1", "1"}, "");
  EXPECT_EQ(testing::types_of(bench.model().graph()), std::vector<std::string>{"Conv"});
  EXPECT_EQ(bench.model().graph().initializer_size(), 2);
}

TEST(ToolsBad, GraphsInGraphsToTheParsersLimit) {
  pb::ModelProto model = new_model();
  pb::GraphProto* g = model.mutable_graph();
  add_input(*g, "c", {}, DType::boolean);
  for (int depth = 0; depth < 30; depth++) {
    pb::NodeProto& n = add_node(*g, "If", {"c"}, {});
    n.add_output(cat("y", depth));
    g->add_output()->set_name(cat("y", depth));
    g = add_attribute(n, "then_branch", pb::AttributeProto::GRAPH).mutable_g();
  }
  use_all(model);
}

}  // namespace
}  // namespace sardonyx
