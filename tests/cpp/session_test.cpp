// Sessions: plans, memory, subgraphs, errors, on graphs built by hand.
#include "runtime/session.h"

#include <gtest/gtest.h>

#include <functional>

#include "error_of.h"
#include "graph_maker.h"
#include "op_runner.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::GraphMaker;
using testing::tensor;
using testing::thrown_by;

std::vector<float> floats(const Value& v) {
  const auto values = v.tensor().values<float>();
  return {values.begin(), values.end()};
}

std::vector<Value> run(Session& session, std::vector<Value> feeds, const RunOptions& options = {}) {
  std::vector<int> wanted;
  for (size_t i = 0; i < session.outputs().size(); i++) wanted.push_back(static_cast<int>(i));
  return session.run(feeds, wanted, options);
}

std::unique_ptr<Session> session_of(GraphMaker& maker, int level = 2) {
  SessionOptions options;
  options.optimization_level = level;
  return Session::create(maker.model(), options);
}

// y = relu(x + x) + x, twice over, so that memory is shared, reused and written in place.
GraphMaker chain() {
  GraphMaker g;
  g.input("x", DType::float32, {-1}).node("Add", {"x", "x"}, {"a"}).node("Relu", {"a"}, {"b"});
  g.node("Add", {"b", "x"}, {"c"}).node("Add", {"c", "c"}, {"d"}).node("Relu", {"d"}, {"y"}).output("y");
  return g;
}

TEST(Session, PlansForEachShapeAndReusesThem) {
  for (int level : {0, 1, 2}) {
    GraphMaker g = chain();
    auto session = session_of(g, level);
    for (int round = 0; round < 3; round++) {
      EXPECT_EQ(floats(run(*session, {tensor<float>({2}, {1, -3})})[0]), (std::vector<float>{6, 0}));
      EXPECT_EQ(floats(run(*session, {tensor<float>({3}, {1, 2, 4})})[0]), (std::vector<float>{6, 12, 24}));
    }
    EXPECT_TRUE(run(*session, {tensor<float>({0}, {})})[0].tensor().shape() == Shape{0});
  }
}

TEST(Session, TheCallersTensorsStayAsTheyWere) {
  GraphMaker g = chain();
  auto session = session_of(g);
  const Tensor x = tensor<float>({2}, {1, -3});
  const Value first = run(*session, {x})[0];
  run(*session, {tensor<float>({2}, {5, 5})});
  EXPECT_EQ(floats(x), (std::vector<float>{1, -3}));
  EXPECT_EQ(floats(first), (std::vector<float>{6, 0}));
}

TEST(Session, ResultsMayBeInputsConstantsAndViews) {
  GraphMaker g;
  g.input("x", DType::float32, {2, 2}).constant("k", tensor<float>({1}, {7})).constant("s", tensor<int64_t>({1}, {-1}));
  g.node("Reshape", {"x", "s"}, {"v"}).node("Relu", {"v"}, {"r"}).node("Reshape", {"r", "s"}, {"w"});
  g.output("x").output("k").output("v").output("w").output("r");
  auto session = session_of(g);
  const auto out = run(*session, {tensor<float>({2, 2}, {1, -2, 3, -4})});
  EXPECT_EQ(floats(out[0]), (std::vector<float>{1, -2, 3, -4}));
  EXPECT_EQ(floats(out[1]), (std::vector<float>{7}));
  EXPECT_EQ(floats(out[2]), (std::vector<float>{1, -2, 3, -4}));
  EXPECT_EQ(floats(out[3]), (std::vector<float>{1, 0, 3, 0}));
  EXPECT_EQ(floats(out[4]), (std::vector<float>{1, 0, 3, 0}));
  EXPECT_TRUE(out[2].tensor().shape() == Shape{4});
}

// A view of a value must keep its memory from being given to a later one.
TEST(Session, ViewsKeepMemoryAlive) {
  GraphMaker g;
  g.input("x", DType::float32, {4})
      .constant("s", tensor<int64_t>({2}, {2, 2}))
      .constant("f", tensor<int64_t>({1}, {4}));
  g.node("Add", {"x", "x"}, {"a"}).node("Reshape", {"a", "s"}, {"v"});
  g.node("Mul", {"x", "x"}, {"b"}).node("Mul", {"b", "x"}, {"c"}).node("Mul", {"c", "x"}, {"d"});
  g.node("Reshape", {"v", "f"}, {"w"}).node("Add", {"w", "d"}, {"y"}).output("y");
  auto session = session_of(g);
  EXPECT_EQ(floats(run(*session, {tensor<float>({4}, {1, 2, 3, -1})})[0]), (std::vector<float>{3, 20, 87, -1}));
}

TEST(Session, ShapesThatDependOnDataAreMetWhenTheyAreReached) {
  GraphMaker g;
  g.input("x", DType::float32, {-1}).input("s", DType::int64, {-1});
  g.node("Relu", {"x"}, {"a"}).node("Reshape", {"a", "s"}, {"b"}).node("Add", {"b", "b"}, {"c"});
  g.node("Mul", {"c", "c"}, {"d"}).node("Relu", {"d"}, {"y"}).output("y").output("b");
  auto session = session_of(g);
  for (int round = 0; round < 2; round++) {
    const auto out = run(*session, {tensor<float>({4}, {1, -2, 3, 4}), tensor<int64_t>({2}, {2, -1})});
    EXPECT_EQ(floats(out[0]), (std::vector<float>{4, 0, 36, 64}));
    EXPECT_EQ(floats(out[1]), (std::vector<float>{1, 0, 3, 4}));
    EXPECT_TRUE(out[0].tensor().shape() == (Shape{2, 2}));
  }
}

TEST(Session, ShapeArithmeticIsFoldedIntoThePlan) {
  GraphMaker g;
  g.input("x", DType::float32, {-1, -1})
      .constant("zero", tensor<int64_t>({1}, {0}))
      .constant("m", tensor<int64_t>({1}, {-1}));
  g.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"rows"});
  g.node("Concat", {"m", "rows"}, {"t"}, attribute("axis", int64_t{0})).node("Reshape", {"x", "t"}, {"y"}).output("y");
  auto session = session_of(g);
  Profile profile;
  RunOptions options;
  options.profile = &profile;
  const auto out = run(*session, {tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6})}, options);
  EXPECT_TRUE(out[0].tensor().shape() == (Shape{3, 2}));
  ASSERT_EQ(profile.size(), 1u);  // the Reshape alone is left
  EXPECT_EQ(profile[0].op_type, "Reshape");
}

GraphMaker branches() {
  GraphMaker g;
  g.input("c", DType::boolean, {}).input("x", DType::float32, {-1}).constant("k", tensor<float>({1}, {10}));
  g.node("Add", {"x", "x"}, {"d"});
  GraphMaker yes, no;
  yes.capture(g, "d", "in").capture(g, "k", "kk").node("Add", {"in", "kk"}, {"out"}).output("out");
  no.capture(g, "x", "in").node("Relu", {"in"}, {"mid"}).node("Add", {"mid", "in"}, {"out"}).output("out");
  Attributes a = attribute("then_branch", yes.graph());
  a.add("else_branch", no.graph());
  g.node("If", {"c"}, {"z"}, a).node("Relu", {"z"}, {"y"}).output("y");
  return g;
}

TEST(Session, BranchesReadOuterValues) {
  GraphMaker g = branches();
  auto session = session_of(g);
  const Tensor x = tensor<float>({2}, {1, -30});
  for (int round = 0; round < 2; round++) {
    EXPECT_EQ(floats(run(*session, {tensor<bool>({}, {true}), x})[0]), (std::vector<float>{12, 0}));
    EXPECT_EQ(floats(run(*session, {tensor<bool>({}, {false}), x})[0]), (std::vector<float>{2, 0}));
  }
}

GraphMaker loop() {  // doubles v, n times; collects what it had before
  GraphMaker g;
  g.input("n", DType::int64, {}).input("v", DType::float32, {-1});
  GraphMaker body;
  body.input("i", DType::int64, {}).input("go", DType::boolean, {}).input("in", DType::float32, {-1});
  body.node("Add", {"in", "in"}, {"out"}).node("Identity", {"in"}, {"scan"}).node("Identity", {"go"}, {"still"});
  body.output("still").output("out").output("scan");
  g.node("Loop", {"n", "", "v"}, {"last", "all"}, attribute("body", body.graph())).output("last").output("all");
  return g;
}

TEST(Session, LoopsCarryValuesAndStackScans) {
  GraphMaker g = loop();
  auto session = session_of(g);
  const auto out = run(*session, {tensor<int64_t>({}, {3}), tensor<float>({2}, {1, 5})});
  EXPECT_EQ(floats(out[0]), (std::vector<float>{8, 40}));
  EXPECT_EQ(floats(out[1]), (std::vector<float>{1, 5, 2, 10, 4, 20}));
  EXPECT_TRUE(out[1].tensor().shape() == (Shape{3, 2}));
}

TEST(Session, ARunCanBeAbortedAndTheSessionGoesOn) {
  GraphMaker g = loop();
  auto session = session_of(g);
  int asked = 0;
  RunOptions options;
  options.should_abort = [&] { return ++asked > 20; };
  try {
    run(*session, {tensor<int64_t>({}, {1000000}), tensor<float>({1}, {1})}, options);
    FAIL() << "it ran to the end";
  } catch (const Error& e) {
    EXPECT_EQ(e.code, ErrorCode::aborted);
  }
  EXPECT_EQ(floats(run(*session, {tensor<int64_t>({}, {2}), tensor<float>({1}, {1})})[0]), (std::vector<float>{4}));
}

TEST(Session, FeedsThatDoNotFitAreNamed) {
  GraphMaker g;
  g.input("x", DType::float32, {2, -1}).node("Relu", {"x"}, {"y"}).output("y");
  auto session = session_of(g);
  const auto message = [&](Value v) {
    const Error e = thrown_by([&] { run(*session, {v}); });
    EXPECT_EQ(e.code, ErrorCode::invalid_input);
    return e.message();
  };
  EXPECT_EQ(message(Value()), "input \"x\" (float32(2x?)) is missing");
  EXPECT_EQ(message(tensor<int64_t>({2, 1}, {1, 2})), "input \"x\" must be float32, not int64");
  EXPECT_NE(message(tensor<float>({2}, {1, 2})).find("rank 2, not 1"), std::string::npos);
  EXPECT_NE(message(tensor<float>({1, 1}, {1})).find("dimension 0 of input \"x\" must be 2, not 1"), std::string::npos);
  EXPECT_EQ(floats(run(*session, {tensor<float>({2, 1}, {1, -1})})[0]), (std::vector<float>{1, 0}));
}

TEST(Session, ErrorsNameTheNodeAndItsInputs) {
  GraphMaker g;
  g.input("x", DType::float32, {-1}).input("y", DType::float32, {-1}).node("Add", {"x", "y"}, {"z"}).output("z");
  auto session = session_of(g);
  const Error e = thrown_by([&] { run(*session, {tensor<float>({2}, {1, 2}), tensor<float>({3}, {1, 2, 3})}); });
  EXPECT_EQ(e.op_type, "Add");
  EXPECT_EQ(e.node, "Add_0");
  EXPECT_NE(e.message().find("[float32(2), float32(3)]"), std::string::npos) << e.message();
  EXPECT_EQ(floats(run(*session, {tensor<float>({1}, {1}), tensor<float>({1}, {2})})[0]), (std::vector<float>{3}));
}

TEST(Session, AllUnknownOperatorsComeInOneError) {
  GraphMaker g;
  g.input("x", DType::float32, {})
      .node("Foo", {"x"}, {"a"})
      .node("Relu", {"a"}, {"b"})
      .node("Bar", {"b"}, {"c"})
      .output("c");
  const Error e = thrown_by([&] { session_of(g); });
  EXPECT_EQ(e.code, ErrorCode::unsupported_operator);
  EXPECT_NE(e.message().find("Foo-17 (node \"Foo_0\"), Bar-17 (node \"Bar_2\")"), std::string::npos) << e.message();
}

TEST(Session, UnknownAttributesAreRefused) {
  GraphMaker g;
  g.input("x", DType::float32, {}).node("Relu", {"x"}, {"y"}, attribute("slope", 1.0f)).output("y");
  const Error e = thrown_by([&] { session_of(g); });
  EXPECT_EQ(e.code, ErrorCode::invalid_model);
  EXPECT_NE(e.message().find("Relu \"Relu_0\": attribute \"slope\""), std::string::npos) << e.message();
}

TEST(Session, InputsWithADefaultMayBeLeftOut) {
  GraphMaker g;
  g.input("x", DType::float32, {1}).input("k", DType::float32, {1}).constant("k", tensor<float>({1}, {5}));
  g.node("Add", {"x", "k"}, {"y"}).output("y");
  auto session = session_of(g);
  EXPECT_EQ(floats(run(*session, {tensor<float>({1}, {1}), Value()})[0]), (std::vector<float>{6}));
  EXPECT_EQ(floats(run(*session, {tensor<float>({1}, {1}), tensor<float>({1}, {2})})[0]), (std::vector<float>{3}));
}

TEST(Session, ConvolutionTakesOverNormalizationAndClamp) {
  GraphMaker g;
  g.input("x", DType::float32, {1, 2, 1, 1}).constant("w", tensor<float>({2, 2, 1, 1}, {1, 2, 3, -4}));
  g.constant("scale", tensor<float>({2}, {2, 2})).constant("bias", tensor<float>({2}, {1, 1}));
  g.constant("mean", tensor<float>({2}, {0, 1})).constant("var", tensor<float>({2}, {1, 4}));
  g.node("Conv", {"x", "w"}, {"a"});
  g.node("BatchNormalization", {"a", "scale", "bias", "mean", "var"}, {"b"}, attribute("epsilon", 0.0f));
  g.node("Relu", {"b"}, {"y"}).output("y");
  auto session = session_of(g);
  Profile profile;
  RunOptions options;
  options.profile = &profile;
  const auto out = run(*session, {tensor<float>({1, 2, 1, 1}, {1, 2})}, options);
  EXPECT_EQ(floats(out[0]), (std::vector<float>{11, 0}));  // 2 * 5 + 1; 2 * (-5 - 1) / 2 + 1 = -5
  EXPECT_EQ(profile.size(), 1u);
  EXPECT_EQ(session->memory().weights, 0u);  // packed, and the file's bytes given back
  EXPECT_GT(session->memory().packed, 0u);
}

ErrorCode code_of(const std::function<void()>& body) { return thrown_by(body).code; }

TEST(Session, SlicesGiveWhatARunGives) {
  GraphMaker g = chain();
  auto session = session_of(g, 0);
  Profile profile;
  RunOptions options;
  options.profile = &profile;
  const std::vector<Value> feeds = {tensor<float>({2}, {1, -3})};
  const std::vector<int> wanted = {0};
  session->begin(feeds, wanted, options);
  int slices = 1;
  while (!session->advance(0)) slices++;
  EXPECT_EQ(slices, 5);  // a node each
  EXPECT_EQ(floats(session->finish()[0]), (std::vector<float>{6, 0}));
  EXPECT_EQ(profile.size(), 5u);
  EXPECT_EQ(code_of([&] { session->finish(); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { session->advance(0); }), ErrorCode::invalid_argument);
}

TEST(Session, ARunThatIsLeftBehindDoesNoHarm) {
  GraphMaker g = chain();
  auto session = session_of(g);
  const std::vector<Value> feeds = {tensor<float>({2}, {1, -3})};
  const std::vector<int> wanted = {0};
  session->begin(feeds, wanted);
  session->advance(0);
  session->cancel();
  EXPECT_EQ(floats(run(*session, {tensor<float>({1}, {4})})[0]), (std::vector<float>{24}));
  session->begin(feeds, wanted);
  session->advance(0);
  EXPECT_EQ(floats(run(*session, {tensor<float>({1}, {4})})[0]), (std::vector<float>{24}));
  RunOptions options;
  options.should_abort = [] { return true; };
  session->begin(feeds, wanted, options);
  EXPECT_EQ(code_of([&] { session->advance(0); }), ErrorCode::aborted);
  EXPECT_EQ(code_of([&] { session->advance(0); }), ErrorCode::invalid_argument);
  EXPECT_EQ(floats(run(*session, {tensor<float>({1}, {4})})[0]), (std::vector<float>{24}));
}

TEST(Session, OutputsHaveTheTypeThatIsDeclared) {
  for (const bool fixed : {true, false}) {
    GraphMaker g;
    g.input("x", DType::float32, {fixed ? 3 : -1}).node("Neg", {"x"}, {"y"}).output("y");
    Type& type = g.graph()->value(g.id("y")).type;
    type.kind = Type::Kind::tensor;
    type.dtype = DType::int64;
    std::unique_ptr<Session> session;
    const auto create = [&] { session = session_of(g); };
    if (fixed) {
      EXPECT_EQ(code_of(create), ErrorCode::invalid_model);
      continue;
    }
    create();
    EXPECT_EQ(code_of([&] { run(*session, {tensor<float>({1}, {4})}); }), ErrorCode::invalid_model);
  }
}

TEST(Session, CountsMultiplyAdds) {
  GraphMaker g;
  g.input("x", DType::float32, {2, 4, 5, 5}).constant("w", Tensor::allocate(DType::float32, {6, 2, 3, 3}));
  Attributes attributes = attribute("group", int64_t{2});
  g.node("Conv", {"x", "w"}, {"y"}, std::move(attributes)).output("y");
  auto session = session_of(g);
  EXPECT_EQ(session->macs(), 2 * 6 * 3 * 3 * (2 * 3 * 3));  // outputs times what each takes
  GraphMaker open = chain();
  session = session_of(open);
  EXPECT_EQ(session->macs(), -1);
  run(*session, {tensor<float>({1}, {4})});
  EXPECT_EQ(session->macs(), 0);
}

// y = 2 x for the operator "Twice" of a domain of its own.
class Twice final : public Operator {
 public:
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    for (int64_t i = 0; i < c.input(0).count(); i++) c.output(0).data<float>()[i] = 2 * c.input(0).data<float>()[i];
  }
};

TEST(Session, TakesOperatorsOfTheCallersOwn) {
  GraphMaker g;
  g.input("x", DType::float32, {-1}).node("Twice", {"x"}, {"t"}).node("Relu", {"t"}, {"y"}).output("y");
  g.graph()->nodes[0].domain = "org.example";
  SessionOptions options;
  options.custom_operators = [](const Node& node) -> std::unique_ptr<Operator> {
    if (node.domain == "org.example" && node.op_type == "Twice") return std::make_unique<Twice>();
    return nullptr;
  };
  auto session = Session::create(g.model(), options);
  EXPECT_EQ(floats(run(*session, {tensor<float>({2}, {3, -3})})[0]), (std::vector<float>{6, 0}));
}

TEST(Session, ResultsAreMadeInTheCallersMemory) {
  GraphMaker g;
  g.input("x", DType::float32, {-1}).node("Neg", {"x"}, {"y"}).output("y");
  auto session = session_of(g);
  const Tensor x = tensor<float>({2}, {1, -3});
  Tensor apart = tensor<float>({2}, {0, 0});
  RunOptions options;
  options.into.emplace_back(0, apart);
  EXPECT_EQ(run(*session, {x}, options)[0].tensor().bytes(), apart.bytes());
  EXPECT_EQ(floats(apart), (std::vector<float>{-1, 3}));
  EXPECT_EQ(floats(x), (std::vector<float>{1, -3}));
  // What is fed, too: the only one who reads it writes over it.
  options.into[0].second = x;
  EXPECT_EQ(run(*session, {x}, options)[0].tensor().bytes(), x.bytes());
  EXPECT_EQ(floats(x), (std::vector<float>{-1, 3}));
  // Another shape or type finds memory of its own.
  const Tensor longer = tensor<float>({3}, {1, 2, 4});
  EXPECT_NE(run(*session, {longer}, options)[0].tensor().bytes(), x.bytes());
  EXPECT_EQ(floats(x), (std::vector<float>{-1, 3}));
}

TEST(Session, AFeedThatOthersReadIsNotWrittenOver) {
  GraphMaker g;
  g.input("x", DType::float32, {-1}).input("w", DType::float32, {-1});
  g.node("Neg", {"x"}, {"y"}).node("Add", {"x", "w"}, {"z"}).node("Abs", {"w"}, {"v"});
  g.output("y").output("z").output("v");
  auto session = session_of(g);
  const Tensor x = tensor<float>({2}, {1, -3}), w = tensor<float>({2}, {10, -20});
  RunOptions options;
  options.into = {{0, x}, {1, w}, {2, w}};
  const std::vector<Value> results = run(*session, {x, w}, options);
  EXPECT_EQ(floats(results[0]), (std::vector<float>{-1, 3}));
  EXPECT_EQ(floats(results[1]), (std::vector<float>{11, -23}));
  EXPECT_EQ(floats(results[2]), (std::vector<float>{10, 20}));
  EXPECT_EQ(floats(x), (std::vector<float>{1, -3}));
  EXPECT_EQ(floats(w), (std::vector<float>{10, -20}));
  // The same tensor fed twice is read twice.
  const std::vector<Value> same = run(*session, {x, x}, options);
  EXPECT_EQ(floats(same[1]), (std::vector<float>{2, -6}));
  EXPECT_EQ(floats(x), (std::vector<float>{1, -3}));
}

// A cache of 4 places: two tokens are written behind two that are there.
TEST(Session, ACacheOfKeysIsWrittenInPlace) {
  GraphMaker g;
  for (const char* name : {"q", "k", "v"}) g.input(name, DType::float32, {1, 2, 4});
  for (const char* name : {"pk", "pv"}) g.input(name, DType::float32, {1, 1, 4, 4});
  g.input("lengths", DType::int32, {1}).input("total", DType::int32, {1});
  Attributes heads = attribute("num_heads", int64_t{1});
  heads.add("kv_num_heads", int64_t{1});
  g.node("GroupQueryAttention", {"q", "k", "v", "pk", "pv", "lengths", "total"}, {"y", "nk", "nv"}, heads);
  g.graph()->nodes.back().domain = "com.microsoft";
  g.graph()->nodes.back().opset = 1;
  g.output("y").output("nk").output("nv");
  auto session = session_of(g);
  const std::vector<float> new_ones{1, 2, 3, 4, 5, 6, 7, 8};
  const auto filled = [](Shape shape, const std::vector<float>& values) {
    Tensor t = Tensor::allocate(DType::float32, std::move(shape));
    std::copy(values.begin(), values.end(), t.data<float>());
    return t;
  };
  std::vector<float> old(16, 0.5f);
  const auto feeds = [&](const Tensor& keys, const Tensor& values) {
    const Tensor rows = filled({1, 2, 4}, new_ones);
    return std::vector<Value>{rows, rows, rows, keys, values, tensor<int32_t>({1}, {3}), tensor<int32_t>({1}, {4})};
  };
  const Tensor keys = filled({1, 1, 4, 4}, old), values = filled({1, 1, 4, 4}, old);
  const std::vector<Value> apart = run(*session, feeds(keys, values));
  EXPECT_NE(apart[1].tensor().bytes(), keys.bytes());
  RunOptions options;
  options.into = {{1, keys}, {2, values}};
  const std::vector<Value> results = run(*session, feeds(keys, values), options);
  EXPECT_EQ(results[1].tensor().bytes(), keys.bytes());
  EXPECT_EQ(results[2].tensor().bytes(), values.bytes());
  std::vector<float> expected = old;
  std::copy(new_ones.begin(), new_ones.end(), expected.begin() + 8);
  EXPECT_EQ(floats(keys), expected);
  EXPECT_EQ(floats(values), expected);
  EXPECT_EQ(floats(results[0]), floats(apart[0]));
}

}  // namespace
}  // namespace sardonyx
