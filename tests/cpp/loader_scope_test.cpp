// The loader: subgraphs with captures, and local functions.
#include <gtest/gtest.h>

#include "error_of.h"
#include "model_builder.h"

namespace sardonyx::testing {
namespace {

using Attr = pb::AttributeProto;

const Graph& subgraph(const Node& node, const char* name) { return *node.attributes.graph(name); }

std::string name_of(const Graph& graph, ValueId id) { return id == kNoValue ? "" : graph.value(id).name; }

// "Add(x, w) -> y; ..." with names.
std::string text_of(const Graph& graph) {
  std::string text;
  for (const Node& n : graph.nodes) {
    if (!text.empty()) text += "; ";
    text += n.op_type + "(";
    for (size_t i = 0; i < n.inputs.size(); i++) text += (i ? ", " : "") + name_of(graph, n.inputs[i]);
    text += ") ->";
    for (ValueId id : n.outputs) text += " " + name_of(graph, id);
  }
  return text;
}

pb::GraphProto& add_branch(pb::NodeProto& node, const char* name) {
  return *add_attribute(node, name, Attr::GRAPH).mutable_g();
}

// ---- Subgraphs ------------------------------------------------------------------------------------------------------

TEST(Subgraphs, CaptureThroughEveryLevel) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "c", {}, DType::boolean);
  add_input(g, "x");
  pb::NodeProto& node = add_node(g, "If", {"c"}, {"y"}, "choice");
  pb::GraphProto& then_branch = add_branch(node, "then_branch");
  pb::NodeProto& inner = add_node(then_branch, "If", {"c"}, {"r"});
  for (const char* deeper : {"then_branch", "else_branch"}) {
    pb::GraphProto& leaf = add_branch(inner, deeper);
    add_node(leaf, "Add", {"x", "late"}, {"q"});
    add_output(leaf, "q");
  }
  add_output(then_branch, "r");
  pb::GraphProto& else_branch = add_branch(node, "else_branch");
  add_output(else_branch, "x");          // an outer value is the branch's result
  add_node(g, "Relu", {"x"}, {"late"});  // after its user in the file
  add_output(g, "y");

  const Model m = load(model);
  EXPECT_EQ(text_of(m.graph), "Relu(x) -> late; If(c) -> y");
  const Node& choice = m.graph.nodes[1];
  const Graph& middle = subgraph(choice, "then_branch");
  ASSERT_EQ(middle.captures.size(), 3u);
  std::vector<std::string> outer;
  for (const Capture& c : middle.captures) outer.push_back(m.graph.value(c.outer).name);
  std::sort(outer.begin(), outer.end());
  EXPECT_EQ(outer, (std::vector<std::string>{"c", "late", "x"}));
  const Graph& leaf = subgraph(middle.nodes[0], "else_branch");
  ASSERT_EQ(leaf.captures.size(), 2u);
  for (const Capture& c : leaf.captures) {
    EXPECT_EQ(middle.value(c.outer).name, leaf.value(c.inner).name);
    EXPECT_EQ(leaf.value(c.inner).type.kind,
              leaf.value(c.inner).name == "x" ? Type::Kind::tensor : Type::Kind::unknown);
  }
  const Graph& other = subgraph(choice, "else_branch");
  ASSERT_EQ(other.captures.size(), 1u);
  EXPECT_EQ(other.outputs, (std::vector<ValueId>{other.captures[0].inner}));
  EXPECT_EQ(captured_values(choice).size(), 3u);
}

TEST(Subgraphs, OwnNamesHideOuterOnes) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "c", {}, DType::boolean);
  add_input(g, "x");
  pb::NodeProto& node = add_node(g, "If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    pb::GraphProto& branch = add_branch(node, name);
    add_initializer(branch, "x", {1, 2});
    add_node(branch, "Relu", {"x"}, {"r"});
    add_output(branch, "r");
  }
  add_output(g, "y");
  const Model m = load(model);
  const Graph& branch = subgraph(m.graph.nodes[0], "then_branch");
  EXPECT_TRUE(branch.captures.empty());
  EXPECT_TRUE(branch.is_constant(branch.nodes[0].inputs[0]));
}

TEST(Subgraphs, UnknownNamesAndDepth) {
  pb::ModelProto model = new_model();
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "c", {}, DType::boolean);
  pb::NodeProto& node = add_node(g, "If", {"c"}, {"y"}, "choice");
  pb::GraphProto& branch = add_branch(node, "then_branch");
  add_node(branch, "Relu", {"nowhere"}, {"r"}, "inside");
  add_output(branch, "r");
  add_output(g, "y");
  EXPECT_EQ(error_of([&] { load(model); }), "Relu \"inside\": reads \"nowhere\", which nothing produces");

  pb::ModelProto deep = new_model();
  pb::GraphProto* graph = deep.mutable_graph();
  add_input(*graph, "c", {}, DType::boolean);
  for (int i = 0; i < 200; i++) graph = &add_branch(add_node(*graph, "If", {"c"}, {"y"}), "then_branch");
  error_of([&] { load(deep); });
}

// ---- Functions ------------------------------------------------------------------------------------------------------

pb::FunctionProto& add_function(pb::ModelProto& model, const char* name, Names inputs, Names outputs, int opset = 18) {
  pb::FunctionProto& f = *model.add_functions();
  f.set_domain("local");
  f.set_name(name);
  for (const char* i : inputs) f.add_input(i);
  for (const char* o : outputs) f.add_output(o);
  f.add_opset_import()->set_version(opset);
  return f;
}

pb::NodeProto& call(pb::NodeProto& node) {
  node.set_domain("local");
  return node;
}

pb::ModelProto function_model() {
  pb::ModelProto model = new_model(20);
  import_domain(model, "local");
  add_input(*model.mutable_graph(), "x");
  return model;
}

TEST(Functions, InlineWithUniqueNamesAndOwnOpset) {
  pb::ModelProto model = function_model();
  pb::FunctionProto& f = add_function(model, "scale", {"a", "b"}, {"r"}, 17);
  add_node(f, "Mul", {"t", "b"}, {"r"}, "mul");  // before what it reads
  add_node(f, "Relu", {"a"}, {"t"}, "relu");
  pb::GraphProto& g = *model.mutable_graph();
  call(add_node(g, "scale", {"x", "x"}, {"h"}, "first"));
  call(add_node(g, "scale", {"h", "x"}, {"y"}));
  add_output(g, "y");
  const Model m = load(model);
  EXPECT_EQ(text_of(m.graph), "Relu(x) -> first/t; Mul(first/t, x) -> h; Relu(h) -> y/t; Mul(y/t, x) -> y");
  EXPECT_EQ(m.graph.nodes[0].name, "first/relu");
  EXPECT_EQ(m.graph.nodes[0].opset, 17);
}

TEST(Functions, AttributesByReferenceDefaultOrNotAtAll) {
  pb::ModelProto model = function_model();
  pb::FunctionProto& f = add_function(model, "act", {"a"}, {"r"});
  f.add_attribute("needed");
  pb::AttributeProto& fallback = *f.add_attribute_proto();
  fallback.set_name("slope");
  fallback.set_type(Attr::FLOAT);
  fallback.set_f(0.25f);
  pb::NodeProto& node = add_node(f, "LeakyRelu", {"a"}, {"r"});
  add_attribute(node, "alpha", Attr::FLOAT).set_ref_attr_name("slope");
  add_attribute(node, "other", Attr::INT).set_ref_attr_name("needed");
  pb::GraphProto& g = *model.mutable_graph();
  call(add_node(g, "act", {"x"}, {"u"}));
  pb::NodeProto& given = call(add_node(g, "act", {"u"}, {"y"}));
  add_attribute(given, "slope", Attr::FLOAT).set_f(0.5f);
  add_attribute(given, "needed", Attr::INT).set_i(3);
  add_output(g, "y");
  const Model m = load(model);
  ASSERT_EQ(m.graph.nodes.size(), 2u);
  EXPECT_EQ(m.graph.nodes[0].attributes.number("alpha"), 0.25f);
  EXPECT_FALSE(m.graph.nodes[0].attributes.has("other"));
  EXPECT_EQ(m.graph.nodes[1].attributes.number("alpha"), 0.5f);
  EXPECT_EQ(m.graph.nodes[1].attributes.integer("other"), 3);

  add_attribute(given, "unheard", Attr::INT).set_i(1);
  EXPECT_EQ(error_of([&] { load(model); }), "act \"y\": the function has no attribute \"unheard\"");
}

TEST(Functions, CallFunctionsAndHandAttributesOn) {
  pb::ModelProto model = function_model();
  pb::FunctionProto& outer = add_function(model, "outer", {"a"}, {"r"});
  outer.add_attribute("n");
  pb::NodeProto& inside = call(add_node(outer, "inner", {"a"}, {"r"}, "in"));
  add_attribute(inside, "m", Attr::INT).set_ref_attr_name("n");
  pb::FunctionProto& inner = add_function(model, "inner", {"a"}, {"r"});
  inner.add_attribute("m");
  add_attribute(add_node(inner, "Constant", {}, {"k"}), "value_int", Attr::INT).set_ref_attr_name("m");
  add_node(inner, "Add", {"a", "k"}, {"r"});
  pb::GraphProto& g = *model.mutable_graph();
  add_attribute(call(add_node(g, "outer", {"x"}, {"y"}, "top")), "n", Attr::INT).set_i(42);
  add_output(g, "y");
  const Model m = load(model);
  EXPECT_EQ(text_of(m.graph), "Add(x, top/in/k) -> y");
  EXPECT_EQ(m.graph.value(m.graph.nodes[0].inputs[1]).constant.data<int64_t>()[0], 42);
}

TEST(Functions, OptionalInputsAndOutputs) {
  pb::ModelProto model = function_model();
  pb::FunctionProto& f = add_function(model, "f", {"a", "lo", "hi"}, {"r", "extra", "same"});
  add_node(f, "Clip", {"a", "lo", "hi"}, {"r"});
  add_node(f, "Neg", {"a"}, {"extra"});
  f.set_output(2, "a");  // an input that is an output, too
  pb::GraphProto& g = *model.mutable_graph();
  call(add_node(g, "f", {"x", "", "x"}, {"y", "", "z"}, "c"));
  call(add_node(g, "f", {"y"}, {"w"}, "d"));
  add_output(g, "z");
  add_output(g, "w");
  const Model m = load(model);
  EXPECT_EQ(text_of(m.graph),
            "Clip(x, , x) -> y; Neg(x) -> c/extra; Identity(x) -> z; Clip(y) -> w; Neg(y) -> d/extra");
}

TEST(Functions, SubgraphsInsideCaptureTheBody) {
  pb::ModelProto model = function_model();
  pb::FunctionProto& f = add_function(model, "f", {"a", "c"}, {"r"});
  f.add_attribute("n");
  pb::NodeProto& node = add_node(f, "If", {"c"}, {"r"});
  for (const char* name : {"then_branch", "else_branch"}) {
    pb::GraphProto& branch = add_branch(node, name);
    pb::NodeProto& inner = add_node(branch, "LeakyRelu", {"a"}, {"q"});
    add_attribute(inner, "alpha", Attr::FLOAT).set_ref_attr_name("n");
    add_output(branch, "q");
  }
  pb::GraphProto& g = *model.mutable_graph();
  add_input(g, "c", {}, DType::boolean);
  add_attribute(call(add_node(g, "f", {"x", "c"}, {"y"}, "k")), "n", Attr::FLOAT).set_f(2);
  add_output(g, "y");
  const Model m = load(model);
  const Graph& branch = subgraph(m.graph.nodes[0], "then_branch");
  ASSERT_EQ(branch.captures.size(), 1u);
  EXPECT_EQ(m.graph.value(branch.captures[0].outer).name, "x");
  EXPECT_EQ(branch.nodes[0].attributes.number("alpha"), 2);
}

TEST(Functions, OverloadsAndStandardOperators) {
  pb::ModelProto model = function_model();
  add_node(add_function(model, "f", {"a"}, {"r"}), "Relu", {"a"}, {"r"});
  pb::FunctionProto& second = add_function(model, "f", {"a"}, {"r"});
  second.set_overload("two");
  add_node(second, "Neg", {"a"}, {"r"});
  pb::FunctionProto& standard = add_function(model, "Gelu", {"a"}, {"r"});
  standard.set_domain("ai.onnx");
  add_node(standard, "Exp", {"a"}, {"r"});
  pb::GraphProto& g = *model.mutable_graph();
  call(add_node(g, "f", {"x"}, {"a"}));
  call(add_node(g, "f", {"a"}, {"b"})).set_overload("two");
  add_node(g, "Gelu", {"b"}, {"y"});
  add_output(g, "y");
  EXPECT_EQ(text_of(load(model).graph), "Relu(x) -> a; Neg(a) -> b; Exp(b) -> y");
}

TEST(Functions, RecursionAndBlowUpAreRefused) {
  pb::ModelProto model = function_model();
  call(add_node(add_function(model, "f", {"a"}, {"r"}), "g", {"a"}, {"r"}));
  call(add_node(add_function(model, "g", {"a"}, {"r"}), "f", {"a"}, {"r"}));
  call(add_node(*model.mutable_graph(), "f", {"x"}, {"y"}));
  add_output(*model.mutable_graph(), "y");
  EXPECT_NE(error_of([&] { load(model); }).find("calls itself"), std::string::npos);

  pb::ModelProto bomb = function_model();  // each function calls the next one four times
  for (int i = 0; i < 30; i++) {
    pb::FunctionProto& f = add_function(bomb, cat("f", i).c_str(), {"a"}, {"r"});
    for (int j = 0; j < 4; j++) {
      const std::string from = j ? cat("t", j) : "a", to = j < 3 ? cat("t", j + 1) : "r";
      pb::NodeProto& node = add_node(f, cat("f", i + 1).c_str(), {from.c_str()}, {to.c_str()});
      if (i < 29) call(node);
    }
  }
  call(add_node(*bomb.mutable_graph(), "f0", {"x"}, {"y"}));
  add_output(*bomb.mutable_graph(), "y");
  EXPECT_NE(error_of([&] { load(bomb); }).find("unfold"), std::string::npos);
}

TEST(Functions, WrongCalls) {
  pb::ModelProto model = function_model();
  pb::FunctionProto& f = add_function(model, "f", {"a"}, {"r"});
  add_node(f, "Relu", {"x"}, {"r"}, "n");  // the model's names are not the function's
  pb::NodeProto& node = call(add_node(*model.mutable_graph(), "f", {"x"}, {"y"}, "c"));
  add_output(*model.mutable_graph(), "y");
  EXPECT_EQ(error_of([&] { load(model); }), "Relu \"c/n\": reads \"x\", which nothing produces");
  f.mutable_node(0)->set_input(0, "a");
  EXPECT_EQ(text_of(load(model).graph), "Relu(x) -> y");
  node.add_input("x");
  EXPECT_NE(error_of([&] { load(model); }).find("1 inputs, not 2"), std::string::npos);
  node.mutable_input()->RemoveLast();
  node.add_output("z");
  EXPECT_NE(error_of([&] { load(model); }).find("1 outputs, not 2"), std::string::npos);
}

}  // namespace
}  // namespace sardonyx::testing
