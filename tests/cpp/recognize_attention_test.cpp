// Attention that is written out, in the forms that exporters write, against the same nodes run one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "graph_maker.h"
#include "op_runner.h"
#include "op_values.h"
#include "pass_results.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::expect_same_results;
using testing::GraphMaker;
using testing::left;
using testing::random_tensor;
using testing::tensor;
using testing::Types;

constexpr float kNone = -std::numeric_limits<float>::infinity();

Attributes perm(std::vector<int64_t> p) { return attribute("perm", std::move(p)); }

// Names of open dimensions.
constexpr int64_t kBatch = -2, kQueries = -3, kKeys = -4;

// Where the factor of the scores is multiplied in.
enum class Factor { none, before_turning, query, key, both, scores, divided };

struct Form {
  bool rows_first = true;  // q, k, v and y are [batch][rows][heads][size] and transposed
  Factor factor = Factor::scores;
  std::vector<int64_t> mask;  // its declared dimensions; empty: no mask
  bool guarded = false;
  bool mask_first = false;
};

GraphMaker written(const Form& form, std::vector<int64_t> q, std::vector<int64_t> k, std::vector<int64_t> v) {
  GraphMaker g;
  g.input("q", DType::float32, std::move(q)).input("k", DType::float32, std::move(k));
  g.input("v", DType::float32, std::move(v));
  if (!form.mask.empty()) g.input("mask", DType::float32, form.mask);
  g.constant("c", tensor<float>({}, {0.4f})).constant("d", tensor<float>({1}, {2.5f}));
  g.constant("zero", tensor<float>({}, {0}));
  std::string a = "q", b = "k", s = "s";
  if (form.factor == Factor::before_turning || form.factor == Factor::both) g.node("Mul", {"c", a}, {"q1"}), a = "q1";
  if (form.rows_first) g.node("Transpose", {a}, {"q2"}, perm({0, 2, 1, 3})), a = "q2";
  if (form.factor == Factor::query) g.node("Mul", {a, "c"}, {"q3"}), a = "q3";
  g.node("Transpose", {b}, {"k1"},
         perm(form.rows_first ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 1, 3, 2}));
  b = "k1";
  if (form.factor == Factor::key || form.factor == Factor::both) g.node("Mul", {b, "c"}, {"k2"}), b = "k2";
  g.node("MatMul", {a, b}, {"s"});
  if (form.factor == Factor::scores) g.node("Mul", {s, "c"}, {"s1"}), s = "s1";
  if (form.factor == Factor::divided) g.node("Div", {s, "d"}, {"s1"}), s = "s1";
  if (!form.mask.empty()) {
    g.node("Add", form.mask_first ? std::vector<std::string>{"mask", s} : std::vector<std::string>{s, "mask"}, {"s2"});
    s = "s2";
  }
  g.node("Softmax", {s}, {"p"}, attribute("axis", int64_t{-1}));
  if (form.guarded) g.node("IsNaN", {"p"}, {"nan"}).node("Where", {"nan", "zero", "p"}, {"w"});
  const std::string p = form.guarded ? "w" : "p";
  if (!form.rows_first) return g.node("MatMul", {p, "v"}, {"y"}).output("y"), g;
  g.node("Transpose", {"v"}, {"v1"}, perm({0, 2, 1, 3})).node("MatMul", {p, "v1"}, {"y1"});
  g.node("Transpose", {"y1"}, {"y"}, perm({0, 2, 1, 3})).output("y");
  return g;
}

const Types kOne = {"Attention"};

TEST(RecognizeAttention, FormsOfExporters) {
  for (bool rows_first : {true, false}) {
    for (Factor factor : {Factor::none, Factor::before_turning, Factor::query, Factor::key, Factor::both,
                          Factor::scores, Factor::divided}) {
      SCOPED_TRACE(::testing::Message() << rows_first << " " << static_cast<int>(factor));
      const std::vector<int64_t> from =
          rows_first ? std::vector<int64_t>{kBatch, kQueries, 3, 8} : std::vector<int64_t>{kBatch, 3, kQueries, 8};
      std::vector<int64_t> keys =
          rows_first ? std::vector<int64_t>{kBatch, kKeys, 3, 8} : std::vector<int64_t>{kBatch, 3, kKeys, 8};
      std::vector<int64_t> values = keys;
      values[3] = 6;
      GraphMaker g = written({rows_first, factor, {}}, from, keys, values);
      EXPECT_EQ(left(g), kOne);
      const Shape q = rows_first ? Shape{2, 5, 3, 8} : Shape{2, 3, 5, 8};
      const Shape k = rows_first ? Shape{2, 7, 3, 8} : Shape{2, 3, 7, 8};
      const Shape v = rows_first ? Shape{2, 7, 3, 6} : Shape{2, 3, 7, 6};
      expect_same_results(g, {random_tensor(q, 1), random_tensor(k, 2), random_tensor(v, 3)});
    }
  }
}

TEST(RecognizeAttention, LongRowsInBlocks) {
  GraphMaker g = written({true, Factor::scores, {kBatch, 1, kQueries, kKeys}}, {kBatch, kQueries, 2, 16},
                         {kBatch, kKeys, 2, 16}, {kBatch, kKeys, 2, 16});
  EXPECT_EQ(left(g), kOne);
  expect_same_results(g, {random_tensor({1, 450, 2, 16}, 1), random_tensor({1, 467, 2, 16}, 2),
                          random_tensor({1, 467, 2, 16}, 3), random_tensor({1, 1, 450, 467}, 4)});
}

TEST(RecognizeAttention, MasksOfEveryShape) {
  for (const auto& mask : {std::vector<int64_t>{1},
                           {7},
                           {5, 7},
                           {5, 1},
                           {3, 5, 7},
                           {2, 1, 5, 7},
                           {2, 1, 1, 7},
                           {1, 3, 1, 1},
                           {2, 3, 5, 7}}) {
    for (bool mask_first : {false, true}) {
      GraphMaker g = written({true, Factor::scores, mask, false, mask_first}, {2, 5, 3, 8}, {2, 7, 3, 8}, {2, 7, 3, 6});
      EXPECT_EQ(left(g), kOne);
      expect_same_results(g, {random_tensor({2, 5, 3, 8}, 1), random_tensor({2, 7, 3, 8}, 2),
                              random_tensor({2, 7, 3, 6}, 3), random_tensor(Shape(mask), 4)});
    }
  }
}

// Each operand, the mask too, may repeat along each axis, as it may for MatMul and Add.
TEST(RecognizeAttention, OperandsBroadcast) {
  struct Case {
    Shape q, k, v, mask;
  };
  for (const Case& c :
       {Case{{1, 1, 5, 8}, {2, 3, 7, 8}, {2, 3, 7, 6}, {1, 7}}, Case{{2, 3, 5, 8}, {1, 3, 7, 8}, {2, 1, 7, 6}, {5, 1}},
        Case{{2, 1, 5, 8}, {1, 3, 7, 8}, {1, 1, 7, 6}, {1, 1, 5, 7}},
        Case{{1, 1, 1, 8}, {1, 1, 7, 8}, {1, 1, 7, 6}, {2, 3, 5, 7}},
        Case{{2, 3, 5, 8}, {2, 3, 1, 8}, {2, 3, 7, 6}, {1, 7}},
        Case{{1, 3, 5, 8}, {1, 3, 7, 8}, {4, 3, 7, 6}, {1, 1}}}) {
    const auto list = [](const Shape& x) { return std::vector<int64_t>(x.dims().begin(), x.dims().end()); };
    GraphMaker g = written({false, Factor::scores, list(c.mask)}, list(c.q), list(c.k), list(c.v));
    const std::vector<Value> feeds = {random_tensor(c.q, 1), random_tensor(c.k, 2), random_tensor(c.v, 3),
                                      random_tensor(c.mask, 4)};
    EXPECT_EQ(left(g), kOne);
    expect_same_results(g, feeds);
  }
}

TEST(RecognizeAttention, EmptyOperands) {
  for (const auto& [queries, keys] : {std::pair<int64_t, int64_t>{0, 7}, {5, 0}, {1, 1}}) {
    GraphMaker g = written({true, Factor::scores, {}}, {2, kQueries, 3, 8}, {2, kKeys, 3, 8}, {2, kKeys, 3, 6});
    EXPECT_EQ(left(g), kOne);
    expect_same_results(g, {random_tensor({2, queries, 3, 8}, 1), random_tensor({2, keys, 3, 8}, 2),
                            random_tensor({2, keys, 3, 6}, 3)});
  }
}

// torch's expand: sizes with -1 where they stay, which the graph replaces; the mask's rank is known nonetheless.
TEST(RecognizeAttention, MasksThatAreExpanded) {
  GraphMaker g;
  g.input("q", DType::float32, {kBatch, kQueries, 3, 8}).input("seen", DType::boolean, {kBatch, 1, 1, kQueries});
  g.constant("c", tensor<float>({}, {0.4f})).constant("low", tensor<float>({}, {-1e9f}));
  g.constant("zero", tensor<float>({}, {0})).constant("at0", tensor<int64_t>({1}, {0}));
  g.constant("at1", tensor<int64_t>({1}, {1})).constant("keep", tensor<int64_t>({1}, {-1}));
  g.constant("keeps", tensor<int64_t>({4}, {-1, -1, -1, -1})).constant("ones", tensor<int64_t>({4}, {1, 1, 1, 1}));
  g.node("Shape", {"q"}, {"sizes"})
      .node("Gather", {"sizes", "at0"}, {"batch"})
      .node("Gather", {"sizes", "at1"}, {"rows"});
  g.node("Concat", {"batch", "keep", "rows", "keep"}, {"wanted"}, attribute("axis", int64_t{0}));
  g.node("Equal", {"wanted", "keeps"}, {"kept"}).node("Where", {"kept", "ones", "wanted"}, {"shape"});
  g.node("Expand", {"seen", "shape"}, {"all"}).node("Where", {"all", "zero", "low"}, {"mask"});
  g.node("Transpose", {"q"}, {"a"}, perm({0, 2, 1, 3})).node("Transpose", {"q"}, {"b"}, perm({0, 2, 3, 1}));
  g.node("MatMul", {"a", "b"}, {"s"}).node("Mul", {"s", "c"}, {"s1"}).node("Add", {"s1", "mask"}, {"s2"});
  g.node("Softmax", {"s2"}, {"p"}, attribute("axis", int64_t{-1})).node("MatMul", {"p", "a"}, {"y"}).output("y");
  const Types types = left(g);
  EXPECT_EQ(std::count(types.begin(), types.end(), "Attention"), 1);
  for (int64_t batch : {1, 2}) {
    for (int64_t rows : {1, 5}) {
      Tensor seen = Tensor::allocate(DType::boolean, {batch, 1, 1, rows});
      for (int64_t i = 0; i < seen.count(); i++) seen.data<bool>()[i] = i % 3 != 1;
      expect_same_results(g, {random_tensor({batch, rows, 3, 8}, 1), seen});
    }
  }
}

// Fewer heads of keys than of queries, as torch's repeat_kv writes them; batch and rows are open.
TEST(RecognizeAttention, HeadsThatAreRepeated) {
  const auto written_for = [](int64_t keys, int64_t values) {
    GraphMaker g;
    g.input("q", DType::float32, {kBatch, 6, kQueries, 8});
    for (const char* name : {"k", "v"})
      g.input(name, DType::float32, {kBatch, name[0] == 'k' ? keys : values, kKeys, 8});
    g.constant("at2", tensor<int64_t>({1}, {2})).constant("at0", tensor<int64_t>({1}, {0}));
    g.constant("head", tensor<int64_t>({1}, {6})).constant("size", tensor<int64_t>({1}, {8}));
    g.constant("c", tensor<float>({}, {0.4f}));
    for (const std::string x : {"k", "v"}) {
      const int64_t n = x == "k" ? keys : values;
      g.constant(x + "n", tensor<int64_t>({1}, {n})).constant(x + "g", tensor<int64_t>({1}, {6 / n}));
      g.node("Shape", {x}, {x + "s"})
          .node("Gather", {x + "s", "at0"}, {x + "b"})
          .node("Gather", {x + "s", "at2"}, {x + "r"});
      g.node("Concat", {x + "b", x + "n", x + "g", x + "r", "size"}, {x + "w"}, attribute("axis", int64_t{0}));
      g.node("Concat", {x + "b", "head", x + "r", "size"}, {x + "a"}, attribute("axis", int64_t{0}));
      g.node("Unsqueeze", {x, "at2"}, {x + "1"});
      g.node("Expand", {x + "1", x + "w"}, {x + "e"}).node("Reshape", {x + "e", x + "a"}, {x + "h"});
    }
    g.node("Transpose", {"kh"}, {"t"}, perm({0, 1, 3, 2}))
        .node("MatMul", {"q", "t"}, {"s"})
        .node("Mul", {"s", "c"}, {"m"});
    g.node("Softmax", {"m"}, {"p"}, attribute("axis", int64_t{-1})).node("MatMul", {"p", "vh"}, {"y"}).output("y");
    return g;
  };
  const auto count = [](GraphMaker& g, const char* type) {
    const Types types = left(g);
    return std::count(types.begin(), types.end(), type);
  };
  for (int64_t heads : {1, 2, 3, 6}) {
    GraphMaker g = written_for(heads, heads);
    EXPECT_EQ(count(g, "Attention"), 1);
    EXPECT_EQ(count(g, "Expand"), 0);
    for (int64_t batch : {1, 2}) {
      for (int64_t queries : {1, 5, 50}) {
        expect_same_results(g, {random_tensor({batch, 6, queries, 8}, 1), random_tensor({batch, heads, 7, 8}, 2),
                                random_tensor({batch, heads, 7, 8}, 3)});
      }
    }
  }
  GraphMaker apart = written_for(2, 3);  // groups of two sizes
  EXPECT_EQ(count(apart, "Expand"), 2);
  expect_same_results(apart,
                      {random_tensor({2, 6, 5, 8}, 1), random_tensor({2, 2, 7, 8}, 2), random_tensor({2, 3, 7, 8}, 3)});
}

// As torch's repeat of whole heads in turn (0, 1, 0, 1), which is no group.
TEST(RecognizeAttention, HeadsThatAreTiledInTurnStay) {
  GraphMaker g;
  g.input("q", DType::float32, {2, 4, 5, 8})
      .input("k", DType::float32, {2, 2, 7, 8})
      .input("v", DType::float32, {2, 2, 7, 8});
  g.constant("one", tensor<int64_t>({1}, {1})).constant("wide", tensor<int64_t>({5}, {2, 2, 2, 7, 8}));
  g.constant("all", tensor<int64_t>({4}, {2, 4, 7, 8}));
  for (const std::string x : {"k", "v"}) {
    g.node("Unsqueeze", {x, "one"}, {x + "1"}).node("Expand", {x + "1", "wide"}, {x + "e"});
    g.node("Reshape", {x + "e", "all"}, {x + "h"});
  }
  g.node("Transpose", {"kh"}, {"t"}, perm({0, 1, 3, 2})).node("MatMul", {"q", "t"}, {"s"});
  g.node("Softmax", {"s"}, {"p"}, attribute("axis", int64_t{-1})).node("MatMul", {"p", "vh"}, {"y"}).output("y");
  const Types types = left(g);
  EXPECT_EQ(std::count(types.begin(), types.end(), "Expand"), 2);
  expect_same_results(g,
                      {random_tensor({2, 4, 5, 8}, 1), random_tensor({2, 2, 7, 8}, 2), random_tensor({2, 2, 7, 8}, 3)});
}

// A query that sees no key: NaN, or zeros where the model guards against it.
TEST(RecognizeAttention, RowsThatAreMaskedWhole) {
  for (bool guarded : {false, true}) {
    GraphMaker g = written({true, Factor::scores, {2, 1, 5, 7}, guarded}, {2, 5, 3, 8}, {2, 7, 3, 8}, {2, 7, 3, 6});
    EXPECT_EQ(left(g), kOne);
    Tensor mask = random_tensor({2, 1, 5, 7}, 4);
    std::fill_n(mask.data<float>() + 14, 7, kNone);
    std::fill_n(mask.data<float>() + 42, 6, kNone);
    expect_same_results(
        g, {random_tensor({2, 5, 3, 8}, 1), random_tensor({2, 7, 3, 8}, 2), random_tensor({2, 7, 3, 6}, 3), mask});
  }
}

TEST(RecognizeAttention, WhatOnlyLooksLikeItIsLeft) {
  const auto with_nodes = [](auto&& write) {
    GraphMaker g;
    for (const char* name : {"q", "k", "v"}) g.input(name, DType::float32, {2, 3, 5, 5});
    g.constant("c", tensor<float>({}, {0.4f})).constant("row", random_tensor({5}, 9));
    write(g);
    g.output("y");
    const Types types = left(g);
    EXPECT_EQ(std::count(types.begin(), types.end(), "Attention"), 0);
    expect_same_results(
        g, {random_tensor({2, 3, 5, 5}, 1), random_tensor({2, 3, 5, 5}, 2), random_tensor({2, 3, 5, 5}, 3)});
  };
  const auto turned = [](GraphMaker& g, const Attributes& p) -> GraphMaker& {
    return g.node("Transpose", {"k"}, {"t"}, p);
  };
  const Attributes columns = perm({0, 1, 3, 2}), last = attribute("axis", int64_t{-1});
  with_nodes([&](GraphMaker& g) {  // keys that are columns as they come
    g.node("MatMul", {"q", "k"}, {"s"}).node("Softmax", {"s"}, {"p"}, last).node("MatMul", {"p", "v"}, {"y"});
  });
  with_nodes([&](GraphMaker& g) {  // another axis
    turned(g, columns).node("MatMul", {"q", "t"}, {"s"}).node("Softmax", {"s"}, {"p"}, attribute("axis", int64_t{2}));
    g.node("MatMul", {"p", "v"}, {"y"});
  });
  with_nodes([&](GraphMaker& g) {  // another transposition
    turned(g, perm({1, 0, 3, 2})).node("Transpose", {"t"}, {"u"}, perm({1, 0, 2, 3})).node("Abs", {"u"}, {"a"});
    g.node("MatMul", {"q", "a"}, {"s"}).node("Softmax", {"s"}, {"p"}, last).node("MatMul", {"p", "v"}, {"y"});
  });
  with_nodes([&](GraphMaker& g) {  // the weights of the values are a result as well
    turned(g, columns).node("MatMul", {"q", "t"}, {"s"}).node("Softmax", {"s"}, {"p"}, last).output("p");
    g.node("MatMul", {"p", "v"}, {"y"});
  });
  with_nodes([&](GraphMaker& g) {  // what is added is scaled too
    turned(g, columns)
        .node("MatMul", {"q", "t"}, {"s"})
        .node("Add", {"s", "row"}, {"a"})
        .node("Mul", {"a", "c"}, {"m"});
    g.node("Softmax", {"m"}, {"p"}, last).node("MatMul", {"p", "v"}, {"y"});
  });
  with_nodes([&](GraphMaker& g) {  // the values come first
    turned(g, columns)
        .node("MatMul", {"q", "t"}, {"s"})
        .node("Softmax", {"s"}, {"p"}, last)
        .node("MatMul", {"v", "p"}, {"y"});
  });
}

// A factor on keys that other nodes read turned, but not scaled; turned keys that are read twice.
TEST(RecognizeAttention, ReadersOfTheOperandsKeepThem) {
  GraphMaker g;
  for (const char* name : {"q", "k", "v"}) g.input(name, DType::float32, {2, 5, 3, 8});
  g.constant("c", tensor<float>({}, {0.4f}));
  g.node("Mul", {"k", "c"}, {"scaled"}).node("Transpose", {"scaled"}, {"t"}, perm({0, 2, 3, 1})).output("t");
  g.node("Transpose", {"q"}, {"a"}, perm({0, 2, 1, 3})).output("a").node("MatMul", {"a", "t"}, {"s"});
  g.node("Softmax", {"s"}, {"p"}, attribute("axis", int64_t{-1})).node("Transpose", {"v"}, {"b"}, perm({0, 2, 1, 3}));
  g.node("MatMul", {"p", "b"}, {"y"}).output("y");
  const Types types = left(g);
  EXPECT_EQ(std::count(types.begin(), types.end(), "Attention"), 1);
  expect_same_results(g,
                      {random_tensor({2, 5, 3, 8}, 1), random_tensor({2, 5, 3, 8}, 2), random_tensor({2, 5, 3, 8}, 3)});
}

}  // namespace
}  // namespace sardonyx
