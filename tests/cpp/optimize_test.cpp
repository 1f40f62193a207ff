// Graph passes: what must match, what must not, and that results stay.
#include "optimize/optimize.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "graph_maker.h"
#include "op_runner.h"
#include "op_values.h"
#include "ops/registry.h"
#include "optimize/static_types.h"
#include "pass_results.h"
#include "runtime/session.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::expect_same_results;
using testing::GraphMaker;
using testing::left;
using testing::random_tensor;
using testing::tensor;
using testing::Types;

Tensor scalar(float v) { return tensor<float>({}, {v}); }

Attributes ints(const std::string& name, std::vector<int64_t> values) { return attribute(name, std::move(values)); }

// x: float32 [2][3][4][5]
GraphMaker with_x() {
  GraphMaker g;
  g.input("x", DType::float32, {2, 3, 4, 5});
  return g;
}
const Tensor& x_tensor() {
  static const Tensor x = random_tensor({2, 3, 4, 5}, 1);
  return x;
}

TEST(RemoveNoOps, TakesOutWhatChangesNothing) {
  GraphMaker g = with_x();
  g.constant("one", tensor<float>({1}, {1})).constant("zero", tensor<float>({3, 1, 1}, {0, 0, 0}));
  g.constant("pads", tensor<int64_t>({8}, {0, 0, 0, 0, 0, 0, 0, 0})).constant("from", tensor<int64_t>({1}, {0}));
  g.constant("to", tensor<int64_t>({1}, {INT64_MAX})).constant("shape", tensor<int64_t>({4}, {2, 3, 4, -1}));
  g.node("Identity", {"x"}, {"a"}).node("Transpose", {"a"}, {"b"}, ints("perm", {0, 1, 2, 3}));
  g.node("Cast", {"b"}, {"c"}, attribute("to", int64_t{1})).node("Pad", {"c", "pads"}, {"d"});
  g.node("Slice", {"d", "from", "to"}, {"e"}).node("Reshape", {"e", "shape"}, {"f"});
  g.node("Concat", {"f"}, {"h"}, attribute("axis", int64_t{1})).node("Sum", {"h"}, {"i"});
  g.node("Mul", {"one", "i"}, {"j"}).node("Div", {"j", "one"}, {"k"}).node("Add", {"k", "zero"}, {"l"});
  g.node("Sub", {"l", "zero"}, {"m"}).node("Abs", {"m"}, {"y"}).output("y");
  EXPECT_EQ(left(g, 1), (Types{"Abs"}));
  EXPECT_EQ(left(g, 0).size(), 13u);
  expect_same_results(g, {x_tensor()});
}

TEST(RemoveNoOps, LeavesWhatOnlyLooksLikeOne) {
  GraphMaker g = with_x();
  g.constant("ones", tensor<float>({2, 1, 1, 1, 1}, {1, 1})).constant("zero", scalar(0));
  g.constant("starts", tensor<int64_t>({1}, {0})).constant("ends", tensor<int64_t>({1}, {3}));
  g.node("Mul", {"x", "ones"}, {"a"});                         // broadcasts x
  g.node("Sub", {"zero", "x"}, {"b"});                         // the other way round
  g.node("Slice", {"x", "starts", "ends"}, {"c"});             // cuts nothing of the first axis, this time
  g.node("Cast", {"x"}, {"d"}, attribute("to", int64_t{11}));  // to double
  g.node("Transpose", {"x"}, {"e"}, ints("perm", {0, 1, 3, 2}));
  g.output("a").output("b").output("c").output("d").output("e");
  EXPECT_EQ(left(g, 1), (Types{"Mul", "Sub", "Slice", "Cast", "Transpose"}));
  expect_same_results(g, {x_tensor()});
}

TEST(RemoveNoOps, ResultsKeepTheirNames) {
  GraphMaker g = with_x();
  g.node("Identity", {"x"}, {"y"}).node("Neg", {"y"}, {"z"}).output("y").output("z");
  EXPECT_EQ(left(g, 1), (Types{"Identity", "Neg"}));
  expect_same_results(g, {x_tensor()});
}

TEST(RemoveNoOps, ADropoutWhoseMaskNoOneReads) {
  for (bool read : {false, true}) {
    GraphMaker g = with_x();
    g.node("Dropout", {"x"}, {"a", "mask"}).node("Abs", {"a"}, {"y"}).output("y");
    if (read) g.output("mask");
    EXPECT_EQ(left(g, 1), read ? (Types{"Dropout", "Abs"}) : Types{"Abs"});
  }
}

TEST(RemoveNoOps, AnOpenDimensionIsNotTakenForOne) {
  GraphMaker g;
  g.input("x", DType::float32, {-1, 3}).constant("ones", tensor<float>({5, 1}, {1, 1, 1, 1, 1}));
  g.node("Mul", {"x", "ones"}, {"y"}).output("y");
  EXPECT_EQ(left(g), (Types{"Mul"}));
  expect_same_results(g, {random_tensor({1, 3}, 2)});
  expect_same_results(g, {random_tensor({5, 3}, 2)});
}

// Both trial sizes of an open dimension are unlike 1, and positive after a subtraction: other feeds' may be like it.
TEST(RemoveNoOps, SizesThatAreComparedAreNotBelieved) {
  for (const auto& [with, less] : {std::pair<int64_t, int64_t>{1, 0}, {-1, 4}}) {
    GraphMaker g;
    g.input("x", DType::float32, {-1}).constant("with", tensor<int64_t>({1}, {with}));
    g.constant("less", tensor<int64_t>({1}, {less})).constant("five", tensor<int64_t>({1}, {5}));
    g.constant("three", tensor<int64_t>({1}, {3})).node("Shape", {"x"}, {"n"}).node("Sub", {"n", "less"}, {"m"});
    g.node("Equal", {"m", "with"}, {"is"}).node("Where", {"is", "five", "three"}, {"to"});
    g.node("ConstantOfShape", {"to"}, {"y"}).output("y");
    expect_same_results(g, {random_tensor({1}, 2)});
    expect_same_results(g, {random_tensor({3}, 2)});
  }
}

// Position embeddings: the first rows of a table that is shorter than the sizes that stand for an open dimension.
TEST(StaticTypes, TheFirstRowsOfATable) {
  GraphMaker g;
  g.input("x", DType::float32, {-2, 4}).constant("table", random_tensor({40, 4}, 3));
  g.constant("zero", tensor<int64_t>({1}, {0})).constant("axes", tensor<int64_t>({1}, {0}));
  g.node("Shape", {"x"}, {"sizes"}).node("Gather", {"sizes", "zero"}, {"n"});
  g.node("Slice", {"table", "zero", "n", "axes"}, {"rows"}).node("Add", {"x", "rows"}, {"y"}).output("y");
  Graph graph = *g.graph();
  bind_operators(graph);
  const StaticTypes types = infer_static_types(graph, true);
  EXPECT_TRUE(types[g.id("y")].same_shape(types[g.id("x")]));
  expect_same_results(g, {random_tensor({3, 4}, 2)});
  expect_same_results(g, {random_tensor({40, 4}, 2)});
}

// What exporters expand a mask to: past and new keys in one, where a -1 would be the length that there is.
TEST(StaticTypes, SumsOfSizesAreNotNegative) {
  for (const int64_t less : {0, -4}) {
    GraphMaker g;
    g.input("x", DType::float32, {-2}).input("z", DType::float32, {-3}).constant("less", tensor<int64_t>({1}, {less}));
    g.constant("m", tensor<int64_t>({1}, {-1})).constant("one", tensor<int64_t>({1}, {1})).constant("w", scalar(2));
    g.node("Shape", {"x"}, {"past"}).node("Shape", {"z"}, {"length"}).node("Add", {"past", "length"}, {"sum"});
    g.node("Add", {"sum", "less"}, {"n"}).node("Equal", {"n", "m"}, {"is"}).node("Where", {"is", "one", "n"}, {"to"});
    g.node("Expand", {"w", "to"}, {"mask"}).node("Concat", {"x", "z"}, {"keys"}, attribute("axis", int64_t{0}));
    g.node("Neg", {"mask"}, {"y"}).output("y").output("keys");
    Graph graph = *g.graph();
    bind_operators(graph);
    const StaticTypes types = infer_static_types(graph, true);
    EXPECT_EQ(types[g.id("y")].known(), less == 0);
    if (less == 0) EXPECT_TRUE(types[g.id("y")].same_shape(types[g.id("keys")]));
    expect_same_results(g, {random_tensor({1}, 2), random_tensor({3}, 2)});
    expect_same_results(g, {random_tensor({2}, 2), random_tensor({1}, 2)});
  }
}

// Half of a fixed dimension is known; halves of an open one may be rounded off.
TEST(StaticTypes, HalvesOfDimensions) {
  GraphMaker g;
  g.input("x", DType::float32, {-2, 8}).constant("zero", tensor<int64_t>({1}, {0}));
  g.constant("one", tensor<int64_t>({1}, {1})).constant("two", tensor<int64_t>({1}, {2}));
  g.node("Shape", {"x"}, {"sizes"})
      .node("Gather", {"sizes", "one"}, {"columns"})
      .node("Gather", {"sizes", "zero"}, {"n"});
  g.node("Div", {"columns", "two"}, {"half"}).node("Slice", {"x", "zero", "half", "one"}, {"y"}).output("y");
  g.node("Add", {"n", "one"}, {"more"}).node("Div", {"n", "two"}, {"floor"}).node("Div", {"more", "two"}, {"ceiling"});
  g.node("ConstantOfShape", {"floor"}, {"a"}).node("ConstantOfShape", {"ceiling"}, {"b"}).output("a").output("b");
  Graph graph = *g.graph();
  bind_operators(graph);
  const StaticTypes types = infer_static_types(graph, true);
  EXPECT_EQ(types[g.id("y")].dim(1), 4);
  EXPECT_FALSE(types[g.id("a")].same_shape(types[g.id("b")]));
  for (int64_t n : {1, 2, 3}) expect_same_results(g, {random_tensor({n, 8}, 2)});
}

// Operators of onnxruntime's domain stop no inference.
TEST(StaticTypes, OtherDomains) {
  GraphMaker g;
  g.input("x", DType::float32, {-2, 8}).node("FastGelu", {"x"}, {"y"}).output("y");
  g.graph()->nodes.back().domain = "com.microsoft";
  g.graph()->nodes.back().opset = 1;
  Graph graph = *g.graph();
  bind_operators(graph);
  const StaticTypes types = infer_static_types(graph, true);
  EXPECT_TRUE(types[g.id("y")].same_shape(types[g.id("x")]));
}

TEST(CommonSubexpressions, OneRemains) {
  GraphMaker g = with_x();
  g.constant("two", scalar(2)).constant("zwei", scalar(2));
  g.node("Mul", {"x", "two"}, {"a"}).node("Mul", {"x", "zwei"}, {"b"});
  g.node("Exp", {"a"}, {"c"}).node("Exp", {"b"}, {"d"}).node("Max", {"c", "d"}, {"y"}).output("y");
  EXPECT_EQ(left(g, 1), (Types{"Mul", "Exp", "Max"}));
  expect_same_results(g, {x_tensor()});
}

TEST(CommonSubexpressions, LeavesWhatDiffers) {
  GraphMaker g = with_x();
  g.constant("two", scalar(2)).constant("three", scalar(3));
  g.node("Mul", {"x", "two"}, {"a"}).node("Mul", {"x", "three"}, {"b"});
  g.node("LeakyRelu", {"x"}, {"c"}, attribute("alpha", 0.1f)).node("LeakyRelu", {"x"}, {"d"}, attribute("alpha", 0.2f));
  g.node("RandomUniformLike", {"x"}, {"e"}).node("RandomUniformLike", {"x"}, {"f"});
  g.output("a").output("b").output("c").output("d").output("e").output("f");
  EXPECT_EQ(left(g, 1).size(), 6u);
}

TEST(CommonSubexpressions, ResultsAreKept) {
  GraphMaker g = with_x();
  g.node("Exp", {"x"}, {"a"}).node("Exp", {"x"}, {"b"}).node("Neg", {"b"}, {"c"}).output("a").output("b").output("c");
  EXPECT_EQ(left(g, 1), (Types{"Exp", "Exp", "Neg"}));
  expect_same_results(g, {x_tensor()});
}

TEST(MergeViews, AChainBecomesOneReshape) {
  GraphMaker g = with_x();
  g.constant("s", tensor<int64_t>({2}, {-1, 60})).constant("axis", tensor<int64_t>({1}, {0}));
  g.constant("t", tensor<int64_t>({3}, {4, 5, 6}));
  g.node("Reshape", {"x", "s"}, {"a"}).node("Unsqueeze", {"a", "axis"}, {"b"}).node("Squeeze", {"b", "axis"}, {"c"});
  g.node("Flatten", {"c"}, {"d"}).node("Reshape", {"d", "t"}, {"e"}).node("Abs", {"e"}, {"y"}).output("y");
  EXPECT_EQ(left(g, 1), (Types{"Reshape", "Abs"}));
  expect_same_results(g, {x_tensor()});
}

TEST(MergeViews, ShapeArithmeticOfOneOpenDimensionGoes) {
  GraphMaker g;
  g.input("x", DType::float32, {-1, 3, 4}).constant("zero", tensor<int64_t>({1}, {0}));
  g.constant("m", tensor<int64_t>({1}, {-1}));
  g.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"rows"});
  g.node("Concat", {"rows", "m"}, {"t"}, attribute("axis", int64_t{0})).node("Reshape", {"x", "t"}, {"a"});
  g.node("Abs", {"a"}, {"y"}).output("y");
  EXPECT_EQ(left(g, 1), (Types{"Reshape", "Abs"}));
  for (int64_t n : {1, 2, 7}) expect_same_results(g, {random_tensor({n, 3, 4}, 3)});
}

// The first 3 of an open number are 3 only if there are as many; those of a Shape always are.
TEST(MergeViews, WhatIsSlicedIsBelievedWhereItCannotBeShorter) {
  GraphMaker g;
  g.input("x", DType::float32, {-1, 3, 4}).constant("from", tensor<int64_t>({1}, {0}));
  g.constant("to", tensor<int64_t>({1}, {2})).constant("ones", tensor<float>({2, 3, 4}, {1, 1, 1, 1, 1, 1, 1, 1,
                                                                                         1, 1, 1, 1, 1, 1, 1, 1,
                                                                                         1, 1, 1, 1, 1, 1, 1, 1}));
  g.constant("m", tensor<int64_t>({1}, {-1}));
  g.node("Slice", {"x", "from", "to"}, {"a"}).node("Mul", {"a", "ones"}, {"y"}).output("y");
  g.node("Shape", {"x"}, {"s"}).node("Slice", {"s", "from", "to"}, {"two"});
  g.node("Concat", {"two", "m"}, {"t"}, attribute("axis", int64_t{0})).node("Reshape", {"x", "t"}, {"z"}).output("z");
  EXPECT_EQ(left(g, 1), (Types{"Slice", "Mul", "Reshape"}));
  for (int64_t n : {1, 2, 7}) expect_same_results(g, {random_tensor({n, 3, 4}, 3)});
}

TEST(MergeViews, TransposesAreCombined) {
  GraphMaker g = with_x();
  g.node("Transpose", {"x"}, {"a"}, ints("perm", {1, 2, 3, 0}))
      .node("Transpose", {"a"}, {"b"}, ints("perm", {2, 0, 3, 1}));
  g.node("Abs", {"b"}, {"y"}).output("y").output("a");
  EXPECT_EQ(left(g, 1), (Types{"Transpose", "Transpose", "Abs"}));
  expect_same_results(g, {x_tensor()});
}

// Makes `type` of x by hand-written nodes; the passes must find it.
struct Written {
  const char* name;
  void (*write)(GraphMaker&);
  Types left;
};

TEST(RecognizeActivations, WrittenOutFormsBecomeOneNode) {
  const Written forms[] = {
      {"hard swish, divided last",
       [](GraphMaker& g) {
         g.node("Add", {"x", "three"}, {"a"}).node("Clip", {"a", "zero", "six"}, {"b"});
         g.node("Mul", {"x", "b"}, {"c"}).node("Div", {"c", "six"}, {"y"});
       },
       {"HardSwish"}},
      {"hard swish, gate first",
       [](GraphMaker& g) {
         g.node("Add", {"three", "x"}, {"a"}).node("Clip", {"a", "zero", "six"}, {"b"});
         g.node("Div", {"b", "six"}, {"c"}).node("Mul", {"c", "x"}, {"y"});
       },
       {"HardSwish"}},
      {"hard swish of a hard sigmoid",
       [](GraphMaker& g) {
         g.node("HardSigmoid", {"x"}, {"a"}, attribute("alpha", 1.0f / 6)).node("Mul", {"x", "a"}, {"y"});
       },
       {"HardSwish"}},
      {"hard sigmoid",
       [](GraphMaker& g) {
         g.node("Add", {"x", "three"}, {"a"})
             .node("Clip", {"a", "zero", "six"}, {"b"})
             .node("Div", {"b", "six"}, {"y"});
       },
       {"HardSigmoid"}},
      {"swish", [](GraphMaker& g) { g.node("Sigmoid", {"x"}, {"a"}).node("Mul", {"a", "x"}, {"y"}); }, {"Swish"}},
      {"swish of a factor",
       [](GraphMaker& g) {
         g.node("Mul", {"x", "three"}, {"b"}).node("Sigmoid", {"b"}, {"a"}).node("Mul", {"a", "x"}, {"y"});
       },
       {"Swish"}},
      {"gelu, halved last",
       [](GraphMaker& g) {
         g.node("Div", {"x", "root2"}, {"a"}).node("Erf", {"a"}, {"b"}).node("Add", {"b", "one"}, {"c"});
         g.node("Mul", {"x", "c"}, {"d"}).node("Mul", {"d", "half"}, {"y"});
       },
       {"Gelu"}},
      {"gelu, halved first",
       [](GraphMaker& g) {
         g.node("Div", {"x", "root2"}, {"a"}).node("Erf", {"a"}, {"b"}).node("Add", {"b", "one"}, {"c"});
         g.node("Mul", {"x", "half"}, {"d"}).node("Mul", {"d", "c"}, {"y"});
       },
       {"Gelu"}},
      {"gelu by tanh",
       [](GraphMaker& g) {
         g.node("Pow", {"x", "three"}, {"a"}).node("Mul", {"a", "cubic"}, {"b"}).node("Add", {"x", "b"}, {"c"});
         g.node("Mul", {"c", "root2pi"}, {"d"}).node("Tanh", {"d"}, {"e"}).node("Add", {"e", "one"}, {"f"});
         g.node("Mul", {"f", "x"}, {"h"}).node("Mul", {"half", "h"}, {"y"});
       },
       {"Gelu"}},
  };
  for (const Written& form : forms) {
    SCOPED_TRACE(form.name);
    GraphMaker g = with_x();
    g.constant("three", scalar(3)).constant("zero", scalar(0)).constant("six", scalar(6)).constant("one", scalar(1));
    g.constant("half", scalar(0.5f)).constant("root2", scalar(1.41421356f)).constant("cubic", scalar(0.044715f));
    g.constant("root2pi", scalar(0.7978845608f));
    form.write(g);
    g.output("y");
    EXPECT_EQ(left(g), form.left);
    Tensor x = random_tensor({2, 3, 4, 5}, 4);
    for (int64_t i = 0; i < x.count(); i++) x.data<float>()[i] *= 5;
    x.data<float>()[0] = NAN;
    x.data<float>()[1] = 50;
    x.data<float>()[2] = -50;
    expect_same_results(g, {x});
  }
}

TEST(RecognizeActivations, OtherConstantsReadersAndOperandsAreLeft) {
  const Written forms[] = {
      {"clipped at 5",
       [](GraphMaker& g) {
         g.node("Add", {"x", "three"}, {"a"}).node("Clip", {"a", "zero", "five"}, {"b"});
         g.node("Mul", {"x", "b"}, {"c"}).node("Div", {"c", "six"}, {"y"});
       },
       {"Add", "Clip", "Mul", "Div"}},
      {"another x",
       [](GraphMaker& g) { g.node("Abs", {"x"}, {"z"}).node("Sigmoid", {"x"}, {"a"}).node("Mul", {"a", "z"}, {"y"}); },
       {"Abs", "Sigmoid", "Mul"}},
      {"the sigmoid is a result",
       [](GraphMaker& g) { g.node("Sigmoid", {"x"}, {"a"}).node("Mul", {"a", "x"}, {"y"}).output("a"); },
       {"Sigmoid", "Mul"}},
      {"the division by a constant of higher rank",
       [](GraphMaker& g) {
         g.node("Add", {"x", "three"}, {"a"}).node("Clip", {"a", "zero", "six"}, {"b"});
         g.node("Mul", {"x", "b"}, {"c"}).node("Div", {"c", "six5"}, {"y"});
       },
       {"Add", "Clip", "Mul", "Div"}},
      {"erf of x / 2",
       [](GraphMaker& g) {
         g.node("Mul", {"x", "half"}, {"a"}).node("Erf", {"a"}, {"b"}).node("Add", {"b", "one"}, {"c"});
         g.node("Mul", {"x", "c"}, {"d"}).node("Mul", {"d", "half"}, {"y"});
       },
       {"Mul", "Erf", "Add", "Mul", "Mul"}},
  };
  for (const Written& form : forms) {
    SCOPED_TRACE(form.name);
    GraphMaker g = with_x();
    g.constant("three", scalar(3)).constant("zero", scalar(0)).constant("six", scalar(6)).constant("one", scalar(1));
    g.constant("five", scalar(5)).constant("six5", tensor<float>({1, 1, 1, 1, 1}, {6})).constant("half", scalar(0.5f));
    form.write(g);
    g.output("y");
    EXPECT_EQ(left(g), form.left);
    expect_same_results(g, {x_tensor()});
  }
}

void write_norm(GraphMaker& g, bool centered, bool bias, std::vector<int64_t> axes) {
  std::string x = "x";
  if (centered) {
    g.node("ReduceMean", {"x"}, {"mean"}, ints("axes", axes)).node("Sub", {"x", "mean"}, {"d"});
    x = "d";
  }
  g.node("Pow", {x, "two"}, {"sq"}).node("ReduceMean", {"sq"}, {"var"}, ints("axes", axes));
  g.node("Add", {"var", "eps"}, {"ve"}).node("Sqrt", {"ve"}, {"sd"}).node("Div", {x, "sd"}, {"n"});
  g.node("Mul", {"n", "scale"}, {bias ? "s" : "y"});
  if (bias) g.node("Add", {"s", "bias"}, {"y"});
  g.output("y");
}

TEST(RecognizeNorms, WrittenOutFormsBecomeOneNode) {
  for (bool centered : {false, true}) {
    for (bool bias : {false, true}) {
      GraphMaker g = with_x();
      g.constant("two", scalar(2)).constant("eps", scalar(1e-5f)).constant("scale", random_tensor({5}, 5));
      g.constant("bias", random_tensor({5}, 6));
      write_norm(g, centered, bias, {-1});
      EXPECT_EQ(left(g), centered ? Types{"LayerNormalization"}
                         : bias   ? (Types{"RMSNormalization", "Add"})
                                  : Types{"RMSNormalization"});
      expect_same_results(g, {x_tensor()});
    }
  }
}

TEST(RecognizeNorms, ScalesThatBroadcastAndOtherAxesAreLeft) {
  for (auto [axes, scale] : {std::pair(std::vector<int64_t>{-1}, Shape{4, 5}),
                             {{1}, Shape{5}},
                             {{-1}, Shape{2, 3, 4, 5}},
                             {{-2}, Shape{5}}}) {
    GraphMaker g = with_x();
    g.constant("two", scalar(2)).constant("eps", scalar(1e-5f)).constant("scale", random_tensor(scale, 5));
    g.constant("bias", random_tensor({5}, 6));
    write_norm(g, true, true, axes);
    const Types types = left(g);
    EXPECT_EQ(std::count(types.begin(), types.end(), "LayerNormalization"), 0);
    expect_same_results(g, {x_tensor()});
  }
  GraphMaker g;  // the last dimension may be 1, and the scale then makes it 5
  g.input("x", DType::float32, {2, -1});
  g.constant("two", scalar(2)).constant("eps", scalar(1e-5f)).constant("scale", random_tensor({5}, 5));
  g.constant("bias", random_tensor({5}, 6));
  write_norm(g, true, true, {-1});
  expect_same_results(g, {random_tensor({2, 1}, 7)});
}

// Max and Min with one number are clamps; a LeakyRelu before a Max is one with it.
TEST(FuseProducts, MaxAndMinOfANumber) {
  const auto make = [](Tensor low, bool leaky) {
    GraphMaker g;
    g.input("x", DType::float32, {1, 3, -1, 4}).constant("w", random_tensor({5, 3, 1, 1}, 2));
    g.constant("low", std::move(low)).constant("high", tensor<float>({1, 1}, {0.75f}));
    g.node("Conv", {"x", "w"}, {"a"});
    if (leaky) g.node("LeakyRelu", {"a"}, {"b"}, attribute("alpha", 0.25f));
    g.node("Max", {"low", leaky ? "b" : "a"}, {leaky ? "y" : "c"});
    if (!leaky) g.node("Min", {"c", "high"}, {"y"});
    g.output("y");
    return g;
  };
  for (const bool leaky : {false, true}) {
    GraphMaker g = make(tensor<float>({1, 1, 1, 1}, {-0.125f}), leaky);
    EXPECT_EQ(left(g), (Types{"Conv"})) << leaky;
    expect_same_results(g, {random_tensor({1, 3, 2, 4}, 1)});
  }
  // What is no number, or has more axes than the product, is left.
  GraphMaker several = make(random_tensor({4}, 3), false), deep = make(tensor<float>({1, 1, 1, 1, 1}, {0}), false);
  EXPECT_EQ(left(several), (Types{"Conv", "Max", "Min"}));
  EXPECT_EQ(left(deep), (Types{"Conv", "Max", "Min"}));
  expect_same_results(several, {random_tensor({1, 3, 2, 4}, 1)});
}

TEST(FusePads, ZerosBecomeThePaddingOfWhatFollows) {
  for (const char* type : {"Conv", "AveragePool"}) {
    GraphMaker g = with_x();
    g.constant("pads", tensor<int64_t>({8}, {0, 0, 1, 0, 0, 0, 0, 1})).constant("w", random_tensor({2, 3, 2, 2}, 8));
    g.node("Pad", {"x", "pads"}, {"p"});
    Attributes a = ints("kernel_shape", {2, 2});
    if (*type == 'C') a.add("pads", std::vector<int64_t>{0, 1, 1, 0});
    g.node(type, *type == 'C' ? std::vector<std::string>{"p", "w"} : std::vector<std::string>{"p"}, {"y"}, a)
        .output("y");
    EXPECT_EQ(left(g), Types{type});
    expect_same_results(g, {x_tensor()});
  }
}

TEST(FusePads, OtherPadsAreLeft) {
  struct Case {
    std::vector<int64_t> pads;
    float value;
    const char* mode;
    const char* auto_pad;
  };
  for (const Case& c : {Case{{0, 0, 1, 0, 0, 0, 0, 1}, 1, "constant", "NOTSET"},
                        {{0, 1, 0, 0, 0, 2, 0, 0}, 0, "constant", "NOTSET"},
                        {{0, 0, 1, 0, 0, 0, 0, 1}, 0, "edge", "NOTSET"},
                        {{0, 0, -1, 0, 0, 0, 0, 1}, 0, "constant", "NOTSET"},
                        {{0, 0, 1, 0, 0, 0, 0, 1}, 0, "constant", "SAME_UPPER"}}) {
    GraphMaker g = with_x();
    g.constant("pads", Tensor::of(c.pads));
    g.constant("value", scalar(c.value)).constant("w", random_tensor({2, c.pads[1] ? 6 : 3, 2, 2}, 8));
    g.node("Pad", {"x", "pads", "value"}, {"p"}, attribute("mode", std::string(c.mode)));
    g.node("Conv", {"p", "w"}, {"y"}, attribute("auto_pad", std::string(c.auto_pad))).output("y");
    EXPECT_EQ(left(g), (Types{"Pad", "Conv"}));
    expect_same_results(g, {x_tensor()});
  }
}

TEST(FuseProducts, ScalesAndShiftsGoIntoTheConvolution) {
  GraphMaker g = with_x();
  g.constant("w", random_tensor({4, 3, 3, 3}, 9)).constant("b", random_tensor({4}, 10));
  g.constant("m", random_tensor({4, 1, 1}, 11)).constant("a", random_tensor({1, 4, 1, 1}, 12)).constant("s", scalar(3));
  g.node("Conv", {"x", "w", "b"}, {"c"}).node("Mul", {"m", "c"}, {"d"}).node("Add", {"d", "a"}, {"e"});
  g.node("Div", {"e", "s"}, {"f"}).node("Sub", {"s", "f"}, {"h"}).node("Relu", {"h"}, {"y"}).output("y");
  EXPECT_EQ(left(g), Types{"Conv"});
  expect_same_results(g, {x_tensor()});
}

TEST(FuseProducts, OtherOperandsAndReadersAreLeft) {
  GraphMaker g = with_x();
  g.constant("w", random_tensor({4, 3, 3, 3}, 9)).constant("wide", random_tensor({1, 4, 1, 3}, 11));
  g.constant("s", scalar(3)).constant("five", tensor<float>({1, 1, 1, 1, 1}, {2}));
  g.node("Conv", {"x", "w"}, {"c"}).node("Mul", {"c", "wide"}, {"d"});           // along another axis
  g.node("Conv", {"x", "w"}, {"e"}).node("Mul", {"e", "s"}, {"f"}).output("e");  // a result itself (e is c, then)
  g.node("Conv", {"d", "w1"}, {"h"}).node("Mul", {"h", "five"}, {"i"});          // raises the rank
  g.constant("w1", random_tensor({2, 4, 1, 1}, 13)).node("Div", {"s", "i"}, {"j"});
  g.output("f").output("j");
  const Types types = left(g);
  EXPECT_EQ(std::count(types.begin(), types.end(), "Mul"), 3);
  EXPECT_EQ(std::count(types.begin(), types.end(), "Div"), 1);
  expect_same_results(g, {x_tensor()});
}

TEST(FuseProducts, ScalesAndShiftsThatFollowOneAnotherAreOneNode) {
  GraphMaker g = with_x();
  g.constant("scale", random_tensor({3}, 14))
      .constant("bias", random_tensor({3}, 15))
      .constant("m", random_tensor({3, 1, 1}, 16));
  g.constant("mean", random_tensor({3}, 17)).constant("var", tensor<float>({3}, {1, 2, 0.5f})).constant("s", scalar(3));
  g.node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"a"}).node("Mul", {"a", "m"}, {"b"});
  g.node("Add", {"b", "m"}, {"c"})
      .node("Exp", {"c"}, {"d"})
      .node("Mul", {"s", "d"}, {"e"})
      .node("Add", {"e", "m"}, {"y"});
  g.output("y");
  EXPECT_EQ(left(g), (Types{"BatchNormalization", "Exp", "BatchNormalization"}));
  expect_same_results(g, {x_tensor()});
}

TEST(FuseProducts, BatchNormalizationTakesAClamp) {
  GraphMaker g = with_x();
  g.constant("scale", random_tensor({3}, 14)).constant("bias", random_tensor({3}, 15));
  g.constant("mean", random_tensor({3}, 17)).constant("var", tensor<float>({3}, {1, 2, 0.5f})).constant("s", scalar(3));
  g.node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"a"}).node("Relu", {"a"}, {"b"});
  g.node("Mul", {"b", "s"}, {"y"}).output("y");  // must not be put before the Relu's result
  EXPECT_EQ(left(g), (Types{"BatchNormalization", "Mul"}));
  Tensor x = x_tensor().clone();
  x.data<float>()[0] = NAN;
  expect_same_results(g, {x});
}

TEST(FuseProducts, ScalesAndShiftsGoIntoTheNextConvolution) {
  for (int64_t pad : {0, 1}) {
    for (float shift : {0.0f, 1.5f}) {
      GraphMaker g = with_x();
      g.constant("w", random_tensor({4, 3, 1, 1}, 9)).constant("v", random_tensor({6, 2, 3, 3}, 10));
      g.constant("m", random_tensor({4, 1, 1}, 11)).constant("a", scalar(shift)).constant("b", random_tensor({6}, 12));
      g.node("Conv", {"x", "w"}, {"c"}).node("Exp", {"c"}, {"d"}).node("Mul", {"d", "m"}, {"e"});
      g.node("Add", {"e", "a"}, {"f"});
      Attributes a = ints("pads", {pad, pad, pad, pad});
      a.add("group", int64_t{2});
      g.node("Conv", {"f", "v", "b"}, {"y"}, a).output("y");
      Types wanted{"Conv", "Exp", "BatchNormalization", "Conv"};
      if (pad == 0 || shift == 0) wanted = {"Conv", "Exp", "Conv"};
      EXPECT_EQ(left(g), wanted);
      expect_same_results(g, {x_tensor()});
    }
  }
}

// Whether products take these over is theirs to say; results must stay in any case.
TEST(FuseProducts, ResidualsActivationsAndTransposes) {
  for (const char* type : {"LeakyRelu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Softplus", "Elu", "Relu"}) {
    GraphMaker g = with_x();
    g.constant("w", random_tensor({3, 3, 3, 3}, 9)).constant("v", random_tensor({3, 3, 1, 1}, 10));
    g.constant("s", scalar(0.25f)).constant("k", random_tensor({1, 1, 4, 5}, 11));
    g.node("Conv", {"x", "w"}, {"a"}, ints("pads", {1, 1, 1, 1}))
        .node("Add", {"x", "a"}, {"b"})
        .node(type, {"b"}, {"c"});
    g.node("Conv", {"c", "v"}, {"d"}).node("Conv", {"x", "v"}, {"e"}).node("Add", {"e", "d"}, {"f"});
    g.node("Transpose", {"x"}, {"t"}, ints("perm", {0, 1, 3, 2})).node("MatMul", {"f", "t"}, {"h"});
    g.node("Mul", {"h", "s"}, {"i"}).node(type, {"i"}, {"j"}).node("Add", {"j", "j"}, {"l"}).output("l");
    g.node("Conv", {"x", "v"}, {"m"}).node("Add", {"m", "k"}, {"n"}).node(type, {"n"}, {"o"}).output("o");
    expect_same_results(g, {x_tensor()});
  }
}

// Weights that the model computes (ConstantOfShape) are packed like stored ones, however large they are.
TEST(FoldConstants, WeightsAreFoldedWhateverTheirSize) {
  GraphMaker g;
  g.input("x", DType::float32, {1, 256}).constant("s", tensor<int64_t>({2}, {256, 300}));
  g.node("ConstantOfShape", {"s"}, {"w"}, attribute("value", tensor<float>({1}, {0.5f})));
  g.node("ConstantOfShape", {"s"}, {"large"}, attribute("value", tensor<float>({1}, {0.5f})));
  g.constant("t", tensor<int64_t>({3}, {1, 256, 300})).node("Reshape", {"w", "t"}, {"v"});
  g.node("MatMul", {"x", "v"}, {"y"}).output("y").output("large");
  EXPECT_EQ(left(g, 1), (Types{"ConstantOfShape", "MatMul"}));
  expect_same_results(g, {random_tensor({1, 256}, 18)});
}

// 40000 nodes of every kind that the passes look at, and the steps of a plan, in time that is linear in them: a
// quadratic step would take minutes.
TEST(Optimize, LargeGraphsAreTakenInTheirStride) {
  constexpr int kBlocks = 4000;
  GraphMaker g;
  g.input("x", DType::float32, {1, 2, 2, 2})
      .constant("w", random_tensor({2, 2, 1, 1}, 1))
      .constant("half", scalar(0.5f));
  g.constant("three", scalar(3)).constant("zero", scalar(0)).constant("six", scalar(6));
  std::string x = "x";
  for (int i = 0; i < kBlocks; i++) {
    const std::string n = std::to_string(i);
    g.node("Conv", {x, "w"}, {"a" + n})
        .node("Mul", {"half", "a" + n}, {"b" + n})
        .node("Add", {"b" + n, "half"}, {"c" + n});
    g.node("Add", {"c" + n, "three"}, {"d" + n}).node("Clip", {"d" + n, "zero", "six"}, {"e" + n});
    g.node("Mul", {"c" + n, "e" + n}, {"f" + n}).node("Div", {"f" + n, "six"}, {"h" + n});
    g.node("Identity", {"h" + n}, {"i" + n}).node("Sin", {"i" + n}, {"j" + n}).node("Max", {"j" + n, "x"}, {"k" + n});
    x = "k" + n;
  }
  g.output(x);
  const Types types = left(g);
  EXPECT_GE(types.size(), 3u * kBlocks);
  EXPECT_LE(types.size(), 4u * kBlocks);
  expect_same_results(g, {random_tensor({1, 2, 2, 2}, 2)});
}

// What a loop's body declares of its inputs is not held to by anyone.
TEST(Optimize, DeclarationsOfInnerInputsAreNotBelieved) {
  GraphMaker g, body;
  g.input("n", DType::int64, {}).input("v", DType::float32, {1});
  body.input("i", DType::int64, {}).input("go", DType::boolean, {}).input("in", DType::float32, {3});
  body.constant("ones", tensor<float>({3}, {1, 1, 1}));
  body.node("Mul", {"in", "ones"}, {"out"}).node("Identity", {"go"}, {"still"}).output("still").output("out");
  g.node("Loop", {"n", "", "v"}, {"y"}, attribute("body", body.graph())).output("y");
  expect_same_results(g, {tensor<int64_t>({}, {2}), tensor<float>({1}, {5})});
}

TEST(Optimize, LevelZeroLeavesTheGraph) {
  GraphMaker g = with_x();
  g.constant("k", scalar(1));
  g.node("Identity", {"x"}, {"a"}).node("Neg", {"k"}, {"n"}).node("Mul", {"a", "n"}, {"y"}).output("y");
  EXPECT_EQ(left(g, 0), (Types{"Identity", "Neg", "Mul"}));
}

}  // namespace
}  // namespace sardonyx
