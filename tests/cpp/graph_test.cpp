// Graphs: topological order, captures; attributes and their memory of what was read.
#include "graph/graph.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph_maker.h"

namespace sardonyx {
namespace {

using testing::GraphMaker;

std::vector<std::string> order(const Graph& graph) {
  std::vector<std::string> types;
  for (const Node& n : graph.nodes) types.push_back(n.op_type);
  return types;
}

TEST(SortNodes, KeepsTheOrderWhereItCan) {
  GraphMaker m;
  m.input("x", DType::float32, {1}).node("A", {"x"}, {"a"}).node("B", {"x"}, {"b"}).node("C", {"a", "b"}, {"c"});
  m.output("c");
  sort_nodes(*m.graph());
  EXPECT_EQ(order(*m.graph()), (std::vector<std::string>{"A", "B", "C"}));
}

TEST(SortNodes, PutsProducersFirst) {
  GraphMaker m;
  m.input("x", DType::float32, {1}).node("C", {"a", "", "b"}, {"c"}).node("B", {"a"}, {"b"}).node("D", {"x"}, {"d"});
  m.node("A", {"x"}, {"a"}).output("c");
  sort_nodes(*m.graph());
  EXPECT_EQ(order(*m.graph()), (std::vector<std::string>{"D", "A", "B", "C"}));
}

TEST(SortNodes, SubgraphsNeedWhatTheyCapture) {
  GraphMaker m, inner;
  inner.node("Inside", {"i"}, {"r"}).output("r");
  Attributes attributes;
  attributes.add("body", inner.graph());
  m.input("x", DType::float32, {1});
  m.node("Outer", {"x"}, {"y"}, attributes).node("Late", {"x"}, {"late"}).output("y");
  inner.capture(m, "late", "i");
  EXPECT_EQ(captured_values(m.graph()->nodes[0]), (std::vector<ValueId>{m.id("late")}));
  EXPECT_EQ(subgraphs(m.graph()->nodes[0]).size(), 1u);
  sort_nodes(*m.graph());
  EXPECT_EQ(order(*m.graph()), (std::vector<std::string>{"Late", "Outer"}));
}

TEST(SortNodes, NamesANodeOfTheCycle) {
  GraphMaker m;
  m.input("x", DType::float32, {1}).node("First", {"x"}, {"f"}).node("A", {"f", "b"}, {"a"}).node("B", {"a"}, {"b"});
  try {
    sort_nodes(*m.graph());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code, ErrorCode::invalid_model);
    EXPECT_EQ(e.message(), "the graph has a cycle through A \"A_1\"");
  }
  GraphMaker self;
  self.node("A", {"a"}, {"a"});
  EXPECT_THROW(sort_nodes(*self.graph()), Error);
}

TEST(Graph, LabelIsTheNameOrTheFirstOutput) {
  GraphMaker m;
  m.node("A", {}, {"", "out"});
  Node& node = m.graph()->nodes[0];
  EXPECT_EQ(node.label(*m.graph()), "A_0");
  node.name.clear();
  EXPECT_EQ(node.label(*m.graph()), "out");
}

TEST(Attributes, RememberWhatWasRead) {
  Attributes a;
  a.add("axis", int64_t{2});
  a.add("mode", std::string("linear"));
  a.add("scales", std::vector<float>{1, 2});
  EXPECT_TRUE(a.has("axis"));
  EXPECT_FALSE(a.all()[0].read);
  EXPECT_EQ(a.integer("axis"), 2);
  EXPECT_TRUE(a.all()[0].read);
  EXPECT_EQ(a.choice("mode", {"nearest", "linear"}, 0), 1);
  EXPECT_FALSE(a.all()[2].read);
  a.ignore("scales");
  EXPECT_TRUE(a.all()[2].read);
  EXPECT_EQ(a.number("missing", 0.5f), 0.5f);
  EXPECT_TRUE(a.ints("missing").empty());
}

TEST(Attributes, SayWhatIsWrong) {
  const auto message = [](auto body) {
    try {
      body();
    } catch (const Error& e) {
      EXPECT_EQ(e.code, ErrorCode::invalid_model);
      return e.message();
    }
    return std::string("no error");
  };
  Attributes a;
  a.add("axis", 1.5f);
  a.add("mode", std::string("cubic"));
  a.add("to", int64_t{99});
  EXPECT_EQ(message([&] { a.add("axis", int64_t{1}); }), "attribute \"axis\" is given twice");
  EXPECT_EQ(message([&] { (void)a.integer("axis"); }), "attribute \"axis\" must be an int, not a float");
  EXPECT_EQ(message([&] { (void)a.integer("none"); }), "attribute \"none\" is missing");
  EXPECT_EQ(message([&] { (void)a.choice("mode", {"nearest", "linear"}, 0); }),
            "attribute \"mode\" is \"cubic\"; known are nearest, linear");
  EXPECT_EQ(message([&] { (void)a.dtype("to"); }), "attribute \"to\" names the unknown element type 99");
  EXPECT_EQ(message([&] { (void)a.ints("axis"); }), "attribute \"axis\" must be ints, not a float");
}

}  // namespace
}  // namespace sardonyx
