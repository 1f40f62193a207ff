// Ifs whose conditions follow from shapes: their branches become part of the plan.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cpp/error_of.h"
#include "tests/cpp/pass_results.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::doubles;
using testing::expect_near;
using testing::GraphMaker;
using testing::random_tensor;
using testing::tensor;
using testing::Types;

Attributes branches(GraphMaker& then_branch, GraphMaker& else_branch) {
  Attributes a = attribute("then_branch", then_branch.graph());
  a.add("else_branch", else_branch.graph());
  return a;
}

// The types of the nodes that run, with their depth in front where it is not 0, for each of these feeds in turn.
std::vector<Types> that_run(GraphMaker& g, const std::vector<std::vector<Value>>& feeds, int level = 2) {
  Model model;
  model.graph = *g.graph();
  SessionOptions options;
  options.optimization_level = level;
  auto session = Session::create(std::move(model), options);
  std::vector<Types> all;
  for (const auto& given : feeds) {
    Profile profile;
    RunOptions run;
    run.profile = &profile;
    session->run(given, std::vector<int>{0}, run);
    Types& types = all.emplace_back();
    for (const auto& entry : profile) types.push_back((entry.depth ? cat(entry.depth) : "") + entry.op_type);
  }
  return all;
}

// y = x has one row ? -x : |x| + first row of x (by an If within)
struct Rows {
  GraphMaker outer, one, more, inner_then, inner_else;
  Rows() {
    outer.input("x", DType::float32, {-1, 4}).constant("zero", tensor<int64_t>({}, {0}));
    outer.constant("1", tensor<int64_t>({}, {1})).constant("2", tensor<int64_t>({}, {2}));
    outer.node("Shape", {"x"}, {"sizes"}).node("Gather", {"sizes", "zero"}, {"rows"});
    outer.node("Equal", {"rows", "1"}, {"is_one"}).node("Equal", {"rows", "2"}, {"are_two"});
    one.capture(outer, "x", "in").node("Neg", {"in"}, {"out"}).output("out");
    more.capture(outer, "x", "a").capture(outer, "are_two", "two").capture(outer, "zero", "z");
    more.node("Abs", {"a"}, {"abs"}).node("Gather", {"a", "z"}, {"row"});
    inner_then.capture(more, "row", "r").capture(more, "abs", "m").node("Add", {"m", "r"}, {"s"}).output("s");
    inner_else.capture(more, "abs", "m").output("m");
    more.node("If", {"two"}, {"out"}, branches(inner_then, inner_else)).output("out");
    outer.node("If", {"is_one"}, {"y"}, branches(one, more)).output("y");
  }
};

TEST(Branches, KnownOnesArePartOfThePlan) {
  Rows rows;
  const Tensor one = random_tensor({1, 4}, 1), two = random_tensor({2, 4}, 2), three = random_tensor({3, 4}, 3);
  // Again and again: each shape has a plan of its own.
  const auto ran = that_run(rows.outer, {{one}, {two}, {three}, {one}, {two}});
  EXPECT_EQ(ran[0], (Types{"Neg"}));
  EXPECT_EQ(ran[1], (Types{"Abs", "Gather", "Add"}));
  EXPECT_EQ(ran[2], (Types{"Abs", "Gather", "Identity"}));
  EXPECT_EQ(ran[3], ran[0]);
  EXPECT_EQ(ran[4], ran[1]);

  Model model;
  model.graph = *rows.outer.graph();
  auto session = Session::create(std::move(model), {});
  const std::vector<int> wanted{0};
  for (const Tensor& x : {one, two, three, two, one}) {
    std::vector<double> expected = doubles(x);
    for (size_t i = 0; i < expected.size(); i++) {
      expected[i] = x.dim(0) == 1 ? -expected[i] : std::fabs(expected[i]) + (x.dim(0) == 2 ? doubles(x)[i % 4] : 0.0);
    }
    expect_near(session->run(std::vector<Value>{x}, wanted)[0].tensor(), expected, cat(x.dim(0), " rows"));
  }
}

// A branch that has a loop, or an If on data, stays where it is: its subgraph captures from it.
TEST(Branches, OnesWithSubgraphsLeftOverStay) {
  GraphMaker outer, then_branch, else_branch, positive, negative;
  outer.input("x", DType::float32, {-1}).input("flag", DType::boolean, {}).constant("zero", tensor<int64_t>({1}, {0}));
  outer.constant("three", tensor<int64_t>({1}, {3})).node("Shape", {"x"}, {"n"}).node("Equal", {"n", "three"}, {"is"});
  then_branch.capture(outer, "x", "a").capture(outer, "flag", "f").node("Neg", {"a"}, {"b"});
  positive.capture(then_branch, "b", "c").node("Abs", {"c"}, {"d"}).output("d");
  negative.capture(then_branch, "b", "c").node("Exp", {"c"}, {"d"}).output("d");
  then_branch.node("If", {"f"}, {"e"}, branches(positive, negative)).output("e");
  else_branch.capture(outer, "x", "a").node("Neg", {"a"}, {"b"}).output("b");
  outer.node("If", {"is"}, {"y"}, branches(then_branch, else_branch)).output("y");
  const Tensor three = random_tensor({3}, 1), four = random_tensor({4}, 2);
  const auto ran =
      that_run(outer, {{three, Tensor::scalar(true)}, {four, Tensor::scalar(true)}, {three, Tensor::scalar(false)}});
  EXPECT_EQ(ran[0], (Types{"1Neg", "2Abs", "1If", "If"}));
  EXPECT_EQ(ran[1], (Types{"Neg"}));
  EXPECT_EQ(ran[2], (Types{"1Neg", "2Exp", "1If", "If"}));
}

// A value that is passed on, a constant, and one that is two results.
TEST(Branches, ResultsThatNoNodeMakesAlone) {
  GraphMaker outer, then_branch, else_branch;
  outer.input("x", DType::float32, {2}).constant("yes", Tensor::scalar(true));
  then_branch.capture(outer, "x", "a").constant("k", tensor<float>({2}, {5, 6})).node("Neg", {"a"}, {"b"});
  then_branch.output("a").output("k").output("b").output("b");
  else_branch.constant("k", tensor<float>({2}, {1, 2})).output("k").output("k").output("k").output("k");
  outer.node("If", {"yes"}, {"p", "q", "r", "s"}, branches(then_branch, else_branch));
  outer.output("p").output("q").output("r").output("s");
  for (int level : {0, 1, 2}) {
    Model model;
    model.graph = *outer.graph();
    SessionOptions options;
    options.optimization_level = level;
    auto session = Session::create(std::move(model), options);
    const auto results = session->run(std::vector<Value>{tensor<float>({2}, {1, -2})}, std::vector<int>{0, 1, 2, 3});
    const std::vector<double> expected[] = {{1, -2}, {5, 6}, {-1, 2}, {-1, 2}};
    for (size_t i = 0; i < 4; i++) expect_near(results[i].tensor(), expected[i], cat("level ", level, " output ", i));
  }
}

// A branch that says of its result what it is not is refused, in a plan as well.
TEST(Branches, DeclaredTypesAreHeldTo) {
  GraphMaker outer, then_branch, else_branch;
  outer.input("x", DType::float32, {2}).constant("yes", Tensor::scalar(true));
  for (GraphMaker* branch : {&then_branch, &else_branch}) {
    branch->capture(outer, "x", "a").node("Neg", {"a"}, {"b"}).output("b");
    Type& type = branch->graph()->value(branch->id("b")).type;
    type.kind = Type::Kind::tensor;
    type.dtype = DType::int64;
  }
  outer.node("If", {"yes"}, {"y"}, branches(then_branch, else_branch)).output("y");
  const std::string error = testing::error_of([&] { Session::create(outer.model(), {}); });
  EXPECT_NE(error.find("If"), std::string::npos) << error;
  EXPECT_NE(error.find("declared as int64"), std::string::npos) << error;
}

// A norm that an exporter took apart, in a branch.
struct Norm {
  GraphMaker outer, then_branch, else_branch;
  Norm() {
    outer.input("x", DType::float32, {-1, 8}).input("flag", DType::boolean, {});
    then_branch.capture(outer, "x", "a")
        .constant("axes", tensor<int64_t>({1}, {-1}))
        .constant("two", tensor<float>({}, {2}));
    then_branch.constant("eps", tensor<float>({}, {1e-5f})).constant("w", random_tensor({8}, 1));
    then_branch.constant("bias", random_tensor({8}, 2));
    then_branch.node("ReduceMean", {"a"}, {"mean"}, attribute("axes", std::vector<int64_t>{-1}));
    then_branch.node("Sub", {"a", "mean"}, {"d"}).node("Pow", {"d", "two"}, {"square"});
    then_branch.node("ReduceMean", {"square"}, {"var"}, attribute("axes", std::vector<int64_t>{-1}));
    then_branch.node("Add", {"var", "eps"}, {"v"}).node("Sqrt", {"v"}, {"root"}).node("Div", {"d", "root"}, {"q"});
    then_branch.node("Mul", {"q", "w"}, {"m"}).node("Add", {"m", "bias"}, {"y"}).output("y");
    else_branch.capture(outer, "x", "a").output("a");
    outer.node("If", {"flag"}, {"y"}, branches(then_branch, else_branch)).output("y");
  }
};

// What is known of captured values is known within.
TEST(Branches, PassesKnowTypesOfWhatIsCaptured) {
  Norm fused, plain;
  const Tensor x = random_tensor({3, 8}, 3);
  EXPECT_EQ(that_run(fused.outer, {{x, Tensor::scalar(true)}})[0], (Types{"1LayerNormalization", "If"}));
  EXPECT_EQ(that_run(plain.outer, {{x, Tensor::scalar(true)}}, 0)[0].size(), 10u);
}

}  // namespace
}  // namespace sardonyx
