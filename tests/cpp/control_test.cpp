// If, Loop, Scan, SequenceMap in sessions; sequences, optionals and text as single operators.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/session.h"
#include "tests/cpp/graph_maker.h"
#include "tests/cpp/move_values.h"
#include "tests/cpp/op_runner.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::GraphMaker;
using testing::ints;
using testing::numbered;
using testing::positions;
using testing::reason_of;
using testing::run_op;
using testing::tensor;

using Dims = std::vector<int64_t>;

void expect_same(const Value& a, const Value& b) {
  ASSERT_EQ(a.describe(), b.describe());
  if (!a.is_tensor() || a.tensor().dtype() == DType::string) return;
  EXPECT_TRUE(std::equal(a.tensor().bytes(), a.tensor().bytes() + a.tensor().byte_size(), b.tensor().bytes()));
}

// Slices of one node; runs are given up after one slice, two slices... until one is done.
std::vector<Value> run_in_slices(Session& session, const std::vector<Value>& feeds, const std::vector<int>& wanted,
                                 int* count = nullptr) {
  for (int most = 1;; most++) {
    session.begin(feeds, wanted);
    bool done = false;
    for (int slice = 0; slice < most && !done; slice++) done = session.advance(0);
    if (count) *count = most;
    if (done) return session.finish();
    session.cancel();
  }
}

std::vector<Value> run(GraphMaker& g, std::vector<Value> feeds) {
  auto session = Session::create(g.model(), {});
  std::vector<int> wanted;
  for (size_t i = 0; i < session->outputs().size(); i++) wanted.push_back(static_cast<int>(i));
  const std::vector<Value> whole = session->run(feeds, wanted);
  const std::vector<Value> sliced = run_in_slices(*session, feeds, wanted);
  EXPECT_EQ(whole.size(), sliced.size());
  for (size_t i = 0; i < whole.size(); i++) expect_same(whole[i], sliced[i]);
  return session->run(feeds, wanted);  // nothing of the others is left
}

Dims dims_of(const Value& v) { return {v.tensor().shape().begin(), v.tensor().shape().end()}; }

// sum' = sum + [i], stacked: sum'. Goes on while sum' < limit (captured).
struct Counting {
  GraphMaker outer, body;
  explicit Counting(bool with_trips, bool with_condition) {
    outer.input("trips", DType::int64, {}).input("cond", DType::boolean, {}).input("sum", DType::int64, {-1});
    outer.input("limit", DType::int64, {1});
    body.input("i", DType::int64, {}).input("c", DType::boolean, {}).input("s", DType::int64, {-1});
    body.capture(outer, "limit", "l");
    body.node("Concat", {"s", "i1"}, {"next"}, attribute("axis", int64_t{0}));
    body.constant("axes", tensor<int64_t>({1}, {0})).node("Unsqueeze", {"i", "axes"}, {"i1"});
    body.node("Equal", {"i1", "l"}, {"at_limit"}).node("Not", {"at_limit"}, {"go_on"});
    body.output("go_on").output("next").output("i1");
    sort_nodes(*body.graph());
    Type& piece = body.graph()->value(body.id("i1")).type;
    piece.kind = Type::Kind::tensor;
    piece.dtype = DType::int64;
    piece.has_shape = true;
    piece.shape.push_back({1, {}});
    outer.node("Loop", {with_trips ? "trips" : "", with_condition ? "cond" : "", "sum"}, {"out", "stacked"},
               attribute("body", body.graph()));
    outer.output("out").output("stacked");
  }
  std::vector<Value> operator()(int64_t trips, bool cond, int64_t limit) {
    return run(outer, {Tensor::scalar(trips), Tensor::scalar(cond), tensor<int64_t>({1}, {-7}),
                       tensor<int64_t>({1}, {limit})});
  }
};

TEST(Control, LoopEndsByTripsOrCondition) {
  auto y = Counting(true, false)(3, false, 1);
  EXPECT_EQ(ints(y[0]), (Dims{-7, 0, 1, 2}));
  EXPECT_EQ(ints(y[1]), (Dims{0, 1, 2}));
  EXPECT_EQ(dims_of(y[1]), (Dims{3, 1}));
  EXPECT_EQ(ints(Counting(false, true)(0, true, 2)[0]), (Dims{-7, 0, 1, 2}));
  EXPECT_EQ(ints(Counting(true, true)(9, true, 1)[0]), (Dims{-7, 0, 1}));
  for (bool condition : {false, true}) {
    y = Counting(true, condition)(condition ? 5 : 0, false, 1);
    EXPECT_EQ(ints(y[0]), (Dims{-7}));
    EXPECT_EQ(dims_of(y[1]), (Dims{0, 1}));
  }
  EXPECT_EQ(ints(Counting(true, false)(-4, false, 1)[0]), (Dims{-7}));
}

TEST(Control, SlicesEndBetweenTheNodesOfABody) {
  GraphMaker g, body;
  g.input("trips", DType::int64, {}).input("x", DType::float32, {2});
  body.input("i", DType::int64, {}).input("c", DType::boolean, {}).input("v", DType::float32, {2});
  body.node("Sin", {"v"}, {"s"}).node("Cos", {"s"}, {"t"}).node("Identity", {"c"}, {"go"}).output("go").output("t");
  g.node("Loop", {"trips", "", "x"}, {"y"}, attribute("body", body.graph())).output("y");
  auto session = Session::create(g.model(), {});
  int slices = 0;
  run_in_slices(*session, {Tensor::scalar<int64_t>(5), tensor<float>({2}, {1, 2})}, {0}, &slices);
  EXPECT_GE(slices, 10);  // Sin and Cos, five times

  // Nor can bodies without nodes keep the thread.
  GraphMaker h, empty;
  h.input("trips", DType::int64, {}).input("x", DType::float32, {2});
  empty.input("i", DType::int64, {}).input("c", DType::boolean, {}).input("v", DType::float32, {2});
  empty.output("c").output("v");
  h.node("Loop", {"trips", "", "x"}, {"y"}, attribute("body", empty.graph())).output("y");
  session = Session::create(h.model(), {});
  bool stop = false;
  RunOptions options;
  options.should_abort = [&] { return stop; };
  const std::vector<Value> feeds = {Tensor::scalar<int64_t>(INT64_MAX), tensor<float>({2}, {1, 2})};
  session->begin(feeds, std::vector<int>{0}, options);
  EXPECT_FALSE(session->advance(1));
  EXPECT_FALSE(session->advance(1));
  stop = true;
  EXPECT_THROW(session->advance(1), Error);
}

TEST(Control, LoopRefusesAChangeOfType) {
  GraphMaker g, body;
  g.input("trips", DType::int64, {}).input("x", DType::int64, {2});
  body.input("i", DType::int64, {}).input("c", DType::boolean, {}).input("s", DType::int64, {-1});
  body.node("Identity", {"c"}, {"c2"}).node("Shape", {"s"}, {"n"}).node("Equal", {"n", "n"}, {"b"});
  body.output("c2").output("b");
  g.node("Loop", {"trips", "", "x"}, {"y"}, attribute("body", body.graph())).output("y");
  EXPECT_EQ(reason_of([&] { run(g, {Tensor::scalar<int64_t>(1), positions({2})}); }),
            "body output \"b\" turns int64(2) into bool(1)");
}

TEST(Control, IfTakesABranch) {
  for (bool cond : {true, false}) {
    GraphMaker g, yes, no;
    g.input("c", DType::boolean, {1}).input("x", DType::int64, {2, 2});
    yes.capture(g, "x", "v").node("Transpose", {"v"}, {"t"}).output("t");
    no.capture(g, "x", "v").node("Identity", {"v"}, {"same"}).output("same");
    Attributes a = attribute("then_branch", yes.graph());
    a.add("else_branch", no.graph());
    g.node("If", {"c"}, {"y"}, a).node("Identity", {"y"}, {"z"}).output("z");
    EXPECT_EQ(ints(run(g, {tensor<bool>({1}, {cond}), positions({2, 2})})[0]),
              cond ? (Dims{0, 2, 1, 3}) : (Dims{0, 1, 2, 3}));
  }
  GraphMaker g, two;
  g.input("c", DType::boolean, {1});
  two.constant("a", positions({1})).output("a").output("a");
  Attributes a = attribute("then_branch", two.graph());
  a.add("else_branch", two.graph());
  g.node("If", {"c"}, {"y"}, a).output("y");
  EXPECT_EQ(reason_of([&] { run(g, {tensor<bool>({1}, {true})}); }), "then_branch must give 1 outputs, not 2");
}

// state' = state * 10 + element, stacked: state'.
GraphMaker digits() {
  GraphMaker body;
  body.input("s", DType::int64, {1}).input("e", DType::int64, {1}).constant("ten", tensor<int64_t>({1}, {10}));
  body.node("Mul", {"s", "ten"}, {"m"}).node("Add", {"m", "e"}, {"n"}).node("Identity", {"n"}, {"o"});
  body.output("n").output("o");
  return body;
}

TEST(Control, ScanGoesAlongAnyAxisInAnyDirection) {
  for (int64_t axis : {0, 1}) {
    for (int64_t reversed : {0, 1}) {
      GraphMaker g, body = digits();
      g.input("s", DType::int64, {1}).input("x", DType::int64, {-1, -1});
      Attributes a = attribute("body", body.graph());
      a.add("num_scan_inputs", int64_t{1});
      a.add("scan_input_axes", Dims{axis - 2});
      a.add("scan_input_directions", Dims{reversed});
      a.add("scan_output_axes", Dims{axis});
      a.add("scan_output_directions", Dims{reversed});
      g.node("Scan", {"s", "x"}, {"last", "all"}, a).output("last").output("all");
      const Shape shape = axis == 0 ? Shape{3, 1} : Shape{1, 3};
      const auto y = run(g, {tensor<int64_t>({1}, {9}), tensor<int64_t>(shape, {1, 2, 3})});
      EXPECT_EQ(ints(y[0]), (Dims{reversed ? 9321 : 9123}));
      EXPECT_EQ(ints(y[1]), reversed ? (Dims{9321, 932, 93}) : (Dims{91, 912, 9123}));
      EXPECT_EQ(dims_of(y[1]), Dims(shape.begin(), shape.end()));
    }
  }
}

TEST(Control, ScanOfVersion8HasBatchesAndLengths) {
  GraphMaker g, body = digits();
  g.input("lens", DType::int64, {2}).input("s", DType::int64, {2, 1}).input("x", DType::int64, {2, 3, 1});
  Attributes a = attribute("body", body.graph());
  a.add("num_scan_inputs", int64_t{1});
  a.add("directions", Dims{1});
  g.node("Scan", {"lens", "s", "x"}, {"last", "all"}, a).output("last").output("all");
  g.graph()->nodes.back().opset = 8;
  const auto y = run(g, {tensor<int64_t>({2}, {2, 3}), tensor<int64_t>({2, 1}, {0, 7}),
                         tensor<int64_t>({2, 3, 1}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(ints(y[0]), (Dims{21, 7654}));
  EXPECT_EQ(ints(y[1]), (Dims{2, 21, 0, 76, 765, 7654}));
  EXPECT_EQ(dims_of(y[1]), (Dims{2, 3, 1}));
}

TEST(Control, SequenceMapAndCarriedSequences) {
  GraphMaker g, body;
  g.input("x", DType::int64, {3, 2});
  body.input("e", DType::int64, {-1, 2}).input("k", DType::int64, {1}).node("Add", {"e", "k"}, {"r"}).output("r");
  g.constant("k", tensor<int64_t>({1}, {100})).node("SplitToSequence", {"x"}, {"s"});
  g.node("SequenceMap", {"s", "k"}, {"m"}, attribute("body", body.graph()));
  g.node("ConcatFromSequence", {"m"}, {"y"}, attribute("axis", int64_t{0})).output("y").output("m");
  const auto y = run(g, {positions({3, 2})});
  EXPECT_EQ(ints(y[0]), (Dims{100, 101, 102, 103, 104, 105}));
  EXPECT_EQ(y[1].sequence().items.size(), 3u);
}

TEST(Sequences, InsertEraseAtLength) {
  const Value empty = run_op("SequenceEmpty", 11, attribute("dtype", int64_t{7}), {})[0];
  EXPECT_EQ(empty.sequence().dtype, DType::int64);
  const auto number = [](int64_t n) { return Tensor::scalar(n); };
  Value s = run_op("SequenceConstruct", 11, {}, {number(1), number(2)})[0];
  s = run_op("SequenceInsert", 11, {}, {s, number(3)})[0];
  s = run_op("SequenceInsert", 11, {}, {s, number(0), number(-3)})[0];
  s = run_op("SequenceErase", 11, {}, {s, Tensor::scalar<int32_t>(1)})[0];
  EXPECT_EQ(ints(run_op("SequenceLength", 11, {}, {s})[0]), (Dims{3}));
  EXPECT_EQ(ints(run_op("SequenceAt", 11, {}, {s, number(-3)})[0]), (Dims{0}));
  EXPECT_EQ(ints(run_op("SequenceAt", 11, {}, {s, number(2)})[0]), (Dims{3}));
  EXPECT_EQ(reason_of([&] { run_op("SequenceAt", 11, {}, {s, number(3)}); }),
            "position 3 is out of range for a sequence of 3");
  EXPECT_EQ(reason_of([&] { run_op("SequenceInsert", 11, {}, {s, Tensor::scalar(1.0f)}); }),
            "a tensor of float32 cannot join a sequence of int64");
  EXPECT_EQ(reason_of([&] { run_op("SequenceErase", 11, {}, {empty}); }),
            "position -1 is out of range for a sequence of 0");
  Attributes stacked = attribute("axis", int64_t{-1});
  stacked.add("new_axis", int64_t{1});
  EXPECT_EQ(ints(run_op("ConcatFromSequence", 11, stacked, {s})[0]), (Dims{0, 2, 3}));
}

TEST(Sequences, SplitToSequence) {
  const auto sizes = [](Attributes a, std::vector<Value> inputs) {
    std::vector<Dims> all;
    const Value parts = run_op("SplitToSequence", 11, std::move(a), std::move(inputs))[0];
    for (const Value& v : parts.sequence().items) {
      all.push_back(dims_of(v));
    }
    return all;
  };
  Attributes drop = attribute("keepdims", int64_t{0});
  drop.add("axis", int64_t{1});
  EXPECT_EQ(sizes(drop, {positions({3, 2})}), (std::vector<Dims>{{3}, {3}}));
  EXPECT_EQ(sizes({}, {positions({3, 2}), Tensor::scalar<int64_t>(2)}), (std::vector<Dims>{{2, 2}, {1, 2}}));
  EXPECT_EQ(sizes({}, {positions({3, 2}), tensor<int64_t>({2}, {1, 2})}), (std::vector<Dims>{{1, 2}, {2, 2}}));
  EXPECT_EQ(reason_of([&] { sizes({}, {positions({3, 2}), Tensor::scalar<int64_t>(0)}); }), "split is 0");
}

TEST(Optionals, HasAndGet) {
  Type type;
  type.kind = Type::Kind::optional;
  const Value none = run_op("Optional", 15, attribute("type", type), {})[0];
  EXPECT_TRUE(none.is_none());
  EXPECT_FALSE(*run_op("OptionalHasElement", 18, {}, {})[0].tensor().data<bool>());
  const Value some = run_op("Optional", 15, {}, {positions({2})})[0];
  EXPECT_TRUE(*run_op("OptionalHasElement", 15, {}, {some})[0].tensor().data<bool>());
  EXPECT_EQ(ints(run_op("OptionalGetElement", 15, {}, {some})[0]), (Dims{0, 1}));
}

std::vector<std::string> strings(const Value& v) {
  const auto s = v.tensor().values<std::string>();
  return {s.begin(), s.end()};
}

TEST(Text, NormalizeConcatSplit) {
  using Words = std::vector<std::string>;
  const auto words = tensor<std::string>({1, 3}, {"Größe", "und", "ЩИТ"});
  Attributes a = attribute("case_change_action", std::string("UPPER"));
  a.add("stopwords", Words{"UND"});
  a.add("locale", std::string("de_DE"));
  EXPECT_EQ(strings(run_op("StringNormalizer", 10, a, {words})[0]), (Words{"GRÖßE", "ЩИТ"}));
  Attributes b = attribute("case_change_action", std::string("LOWER"));
  EXPECT_EQ(strings(run_op("StringNormalizer", 10, b, {words})[0]), (Words{"größe", "und", "щит"}));
  EXPECT_EQ(strings(run_op("StringConcat", 20, {},
                           {tensor<std::string>({2, 1}, {"a", "b"}), tensor<std::string>({2}, {"x", ""})})[0]),
            (Words{"ax", "a", "bx", "b"}));
  Attributes c = attribute("delimiter", std::string("--"));
  c.add("maxsplit", int64_t{1});
  auto y = run_op("StringSplit", 20, c, {tensor<std::string>({2}, {"a--b--c", "d"})}, 2);
  EXPECT_EQ(strings(y[0]), (Words{"a", "b--c", "d", ""}));
  EXPECT_EQ(ints(y[1]), (Dims{2, 1}));
  y = run_op("StringSplit", 20, attribute("maxsplit", int64_t{1}), {tensor<std::string>({3}, {"  a b  c ", "", " d"})},
             2);
  EXPECT_EQ(strings(y[0]), (Words{"a", "b  c", "", "", "d", ""}));
  EXPECT_EQ(ints(y[1]), (Dims{2, 0, 1}));
}

bool full_match(const std::string& pattern, const std::string& text) {
  return *run_op("RegexFullMatch", 20, attribute("pattern", pattern), {tensor<std::string>({}, {text})})[0]
              .tensor()
              .data<bool>();
}

// Expected values are those of RE2::FullMatch.
TEST(Text, RegexMatchesWholeTexts) {
  struct Case {
    const char *pattern, *yes, *no;
  };
  const Case cases[] = {
      {"a*b+c?", "aabbc", "aac"},
      {"(ab|a)(bc)?", "abbc", "abcb"},
      {"[a-c-]+", "a-c", "a-d"},
      {"[^\\d\\s]{2,3}", "xyz", "x1"},
      {"x{2}", "xx", "xxx"},
      {"x{,2}", "x{,2}", "xx"},
      {".", "\xd1\x89", "\n"},
      {"(?s).", "\n", ""},
      {"(?i)straSSe[x-z]", "STRASSEY", "STRASSEW"},
      {"(?i:a)b", "Ab", "AB"},
      {"a(?i)b|c", "aB", "AB"},
      {"^a$", "a", "a\n"},
      {"(?m)a$\n^b", "a\nb", "ab"},
      {"\\bfoo\\b.*", "foo bar", "foobar"},
      {"fo\\Bo", "foo", "fo o"},
      {"[[:alpha:]_][[:^punct:]]", "a1", "a!"},
      {"\\x41\\x{1F600}", "A\xf0\x9f\x98\x80", "A"},
      {"\\Qa.b*\\E+", "a.b**", "axb*"},
      {"(?P<name>a)(?:b)", "ab", "a"},
      {"[]a]+", "]a", "b"},
      {"(a|b)*abb", "babaabb", "abab"},
      {"", "", "a"},
      {"a||b", "", "c"},
      {"(a*)*", "aaa", "b"},
      {"(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)", "ab.c@gmail.com", "x@gmailxcom"},
  };
  for (const Case& k : cases) {
    EXPECT_TRUE(full_match(k.pattern, k.yes)) << k.pattern;
    EXPECT_FALSE(full_match(k.pattern, k.no)) << k.pattern;
  }
  EXPECT_FALSE(full_match("(a?){900}a{900}", std::string(899, 'a')));
  EXPECT_TRUE(full_match("(a?){900}a{900}", std::string(1000, 'a')));
}

TEST(Text, RegexRefuses) {
  const auto reason = [](const std::string& pattern) { return reason_of([&] { full_match(pattern, ""); }); };
  EXPECT_EQ(reason("(a"), "pattern \"(a\" lacks a )");
  EXPECT_EQ(reason("a)"), "pattern \"a)\" has a ) without a (");
  EXPECT_EQ(reason("[a"), "pattern \"[a\" lacks a ]");
  EXPECT_EQ(reason("*"), "pattern \"*\" repeats nothing");
  EXPECT_EQ(reason("a**"), "pattern \"a**\" repeats a repetition");
  EXPECT_EQ(reason("(a)\\1"), "pattern \"(a)\\1\" has an escape that is not supported");
  EXPECT_EQ(reason("a{3,2}"), "pattern \"a{3,2}\" has a bad repetition");
  EXPECT_EQ(reason("((a{999}){999}){999}"), "the pattern is too large");
  EXPECT_EQ(reason("((((){999}){999}){999}){999}"), "the pattern is too large");
  EXPECT_NE(reason(std::string(1000, '(')), "");
  for (const char* broken : {"\\", "[", "(?", "(?P<", "\\x", "\\x{", "[[:", "a{", "[a-", "[\\"}) reason(broken);
}

}  // namespace
}  // namespace sardonyx
