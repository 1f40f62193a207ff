// Random graphs: a session's results, with and without passes, against the operators run one by one.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "graph_maker.h"
#include "op_runner.h"
#include "op_values.h"
#include "ops/evaluate.h"
#include "ops/registry.h"
#include "runtime/session.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::GraphMaker;
using testing::random_tensor;
using testing::tensor;

constexpr int kGraphs = 400;
constexpr int kNodes = 24;
constexpr int kLarge = 10;  // every tenth graph is of values that are split over threads

// Grows a graph of [batch, channels, side, side] values, all float32, in every way that the passes and the planner look
// for.
class Grower {
 public:
  explicit Grower(uint32_t seed)
      : engine_(seed), batch_(1 + static_cast<int64_t>(pick(2))), side_(seed % kLarge == 0 ? 40 : 4) {
    add_value("x", 4);
    graph_.input("x", DType::float32, shape());
    for (auto [name, v] : {std::pair("zero", 0.0f), {"one", 1.0f}, {"three", 3.0f}, {"six", 6.0f}, {"half", 0.5f}})
      graph_.constant(name, tensor<float>({}, {v}));
    for (int i = 0; i < kNodes; i++) grow();
    for (size_t i = 0; i < names_.size(); i++) {
      if (i + 1 == names_.size() || (i > 0 && pick(8) == 0)) graph_.output(names_[i]);
    }
  }
  GraphMaker& graph() { return graph_; }
  std::vector<int64_t> shape() const { return {batch_, 4, side_, side_}; }

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(engine_() % n); }
  void add_value(const std::string& name, int64_t channels) {
    names_.push_back(name);
    channels_.push_back(channels);
  }
  std::string fresh() { return "v" + std::to_string(next_++); }
  std::string weights(const Shape& shape) {
    const std::string name = fresh();
    graph_.constant(name, random_tensor(shape, static_cast<uint32_t>(engine_())));
    return name;
  }
  // One of the last values, so that most have few readers.
  size_t some() { return names_.size() - 1 - pick(static_cast<uint32_t>(std::min<size_t>(names_.size(), 4))); }
  // One of as many channels, or npos.
  size_t alike(size_t other) {
    for (int i = 0; i < 8; i++) {
      const size_t v = pick(static_cast<uint32_t>(names_.size()));
      if (channels_[v] == channels_[other]) return v;
    }
    return other;
  }
  std::string node(const char* type, std::vector<std::string> inputs, Attributes a = {}) {
    const std::string y = fresh();
    graph_.node(type, std::move(inputs), {y}, std::move(a));
    return y;
  }

  void grow() {
    const size_t at = some();
    const std::string x = names_[at];
    const int64_t c = channels_[at];
    switch (pick(14)) {
      case 0:
      case 1:
        return convolve(x, c);
      case 2: {
        const char* types[] = {"Relu", "Sigmoid", "LeakyRelu", "HardSwish", "Tanh", "Identity", "Abs", "Softplus"};
        return add_value(node(types[pick(8)], {x}), c);
      }
      case 3:
        return add_value(node(pick(2) ? "Add" : "Mul", {x, names_[alike(at)]}), c);
      case 4: {
        const Shape shapes[] = {{}, {1}, {c, 1, 1}, {1, c, 1, 1}, {side_}};
        const char* types[] = {"Add", "Mul", "Sub"};
        const std::string k = weights(shapes[pick(5)]);
        return add_value(pick(2) ? node(types[pick(3)], {x, k}) : node(types[pick(3)], {k, x}), c);
      }
      case 5:
      case 6:
        return concat(at);
      case 7:
        return split(x, c);
      case 8:
        return reshape(x, c);
      case 9: {
        std::vector<std::string> inputs{x, weights({c}), weights({c}), weights({c})};
        inputs.push_back(node("Abs", {weights({c})}));
        return add_value(node("BatchNormalization", inputs, attribute("epsilon", 0.5f)), c);
      }
      case 10:
        return add_value(node("Mul", {x, node("Sigmoid", {x})}), c);
      case 11: {
        const std::string gate = node("Clip", {node("Add", {x, "three"}), "zero", "six"});
        return add_value(node("Div", {node("Mul", {gate, x}), "six"}), c);
      }
      case 12: {
        const auto swap = [] { return attribute("perm", std::vector<int64_t>{0, 1, 3, 2}); };
        const std::string t = node("Transpose", {x}, swap());
        return add_value(pick(2) ? node("Transpose", {t}, swap()) : node("MatMul", {node("Mul", {x, "half"}), t}), c);
      }
      default:
        return add_value(node("MaxPool", {x}, pool()), c);
    }
  }

  Attributes pool() {
    Attributes a = attribute("kernel_shape", std::vector<int64_t>{3, 3});
    a.add("pads", std::vector<int64_t>{1, 1, 1, 1});
    return a;
  }
  void convolve(const std::string& x, int64_t c) {
    const int64_t out = 1 + pick(6), kernel = pick(2) ? 1 : 3;
    std::vector<std::string> inputs{x, weights({out, c, kernel, kernel})};
    if (pick(2)) inputs.push_back(weights({out}));
    const int64_t p = kernel / 2;
    const std::string y = node("Conv", inputs, attribute("pads", std::vector<int64_t>{p, p, p, p}));
    add_value(node("Mul", {y, node_constant(1.0f / static_cast<float>(c))}), out);
  }
  std::string node_constant(float v) {
    const std::string name = fresh();
    graph_.constant(name, tensor<float>({1, 1, 1, 1}, {v}));
    return name;
  }
  void concat(size_t at) {
    const size_t other = pick(static_cast<uint32_t>(names_.size()));
    if (channels_[at] + channels_[other] > 24) return;
    add_value(node("Concat", {names_[at], names_[other]}, attribute("axis", int64_t{1})),
              channels_[at] + channels_[other]);
  }
  void split(const std::string& x, int64_t c) {
    if (c < 2) return;
    const int64_t first = 1 + pick(static_cast<uint32_t>(c - 1));
    const std::string sizes = fresh(), a = fresh(), b = fresh();
    graph_.constant(sizes, tensor<int64_t>({2}, {first, c - first}));
    graph_.node("Split", {x, sizes}, {a, b}, attribute("axis", int64_t{1}));
    add_value(a, first);
    add_value(b, c - first);
  }
  void reshape(const std::string& x, int64_t c) {
    const std::string flat = fresh(), back = fresh();
    graph_.constant(flat, tensor<int64_t>({3}, {batch_, -1, 2}))
        .constant(back, tensor<int64_t>({4}, {0, c, side_, side_}));
    add_value(node("Reshape", {node("Reshape", {x, flat}), back}), c);
  }

  std::mt19937 engine_;
  int64_t batch_, side_;
  GraphMaker graph_;
  std::vector<std::string> names_;
  std::vector<int64_t> channels_;
  int next_ = 0;
};

// All values of the graph, operator by operator.
std::vector<Value> reference(const Graph& source, const Value& x) {
  Graph graph = source;
  bind_operators(graph);
  std::vector<Value> values(graph.values.size());
  for (size_t id = 0; id < values.size(); id++) {
    if (graph.values[id].constant.defined()) values[id] = graph.values[id].constant;
  }
  values[static_cast<size_t>(graph.inputs[0])] = x;
  for (const Node& node : graph.nodes) {
    std::vector<const Value*> inputs;
    for (ValueId id : node.inputs) inputs.push_back(id == kNoValue ? nullptr : &values[static_cast<size_t>(id)]);
    const std::vector<char> wanted(node.outputs.size(), 1);
    const std::vector<Value> results = evaluate(*node.op, inputs, wanted);
    for (size_t o = 0; o < results.size(); o++) values[static_cast<size_t>(node.outputs[o])] = results[o].owned();
  }
  return values;
}

std::unique_ptr<Session> session_of(const Graph& graph, int level, int threads) {
  SessionOptions options;
  options.optimization_level = level;
  options.threads = threads;
  Model model;
  model.graph = graph;
  return Session::create(std::move(model), options);
}

// Owned, in the order of the graph's outputs.
std::vector<Value> run_all(Session& session, const Graph& graph, const Value& x) {
  std::vector<int> all(graph.outputs.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<Value> results = session.run(std::vector<Value>{x}, all);
  for (Value& v : results) v = v.owned();
  return results;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.byte_size() == b.byte_size() &&
         (a.byte_size() == 0 || std::memcmp(a.bytes(), b.bytes(), a.byte_size()) == 0);
}

TEST(RandomGraphs, PassesPlansAndThreadsLeaveTheResults) {
  for (uint32_t seed = 0; seed < kGraphs; seed++) {
    SCOPED_TRACE(seed);
    Grower grower(seed);
    const Graph& graph = *grower.graph().graph();
    const Value x = random_tensor(Shape(grower.shape()), seed);
    const std::vector<Value> wanted = reference(graph, x);
    for (int level : {0, 1, 2}) {
      SCOPED_TRACE(level);
      std::vector<Value> alone;
      for (int threads : {1, 2, 4}) {
        SCOPED_TRACE(threads);
        auto session = session_of(graph, level, threads);
        for (int round = 0; round < 2; round++) {
          const std::vector<Value> results = run_all(*session, graph, x);
          if (alone.empty()) alone = results;
          for (size_t i = 0; i < results.size(); i++) {
            const Value& right = wanted[static_cast<size_t>(graph.outputs[i])];
            testing::expect_near(results[i].tensor(), testing::doubles(right.tensor()), "output " + std::to_string(i));
            EXPECT_TRUE(same_bits(results[i].tensor(), alone[i].tensor())) << "output " << i;
          }
        }
        if (HasFailure()) return;
      }
    }
  }
}

// Concatenations of what was computed, and pieces of what is split, are not copied: the arena holds no second copy.
TEST(Parts, AJoinedValueIsMadeInPieces) {
  GraphMaker g;
  g.input("x", DType::float32, {1, 16, 32, 32});
  std::string before = "x";
  int64_t channels = 16;
  for (int i = 0; i < 8; i++) {  // a dense block
    const std::string n = std::to_string(i);
    g.node("Exp", {"x"}, {"e" + n}).node("Concat", {before, "e" + n}, {"c" + n}, attribute("axis", int64_t{1}));
    before = "c" + n;
    channels += 16;
  }
  g.node("ReduceSum", {before}, {"y"}).output("y");
  SessionOptions options;
  options.optimization_level = 0;
  auto session = Session::create(g.model(), options);
  const Value x = random_tensor({1, 16, 32, 32}, 1);
  const double sum = testing::doubles(session->run(std::vector<Value>{x}, std::vector<int>{0})[0].tensor())[0];
  double exact = 0;
  for (double v : testing::doubles(x.tensor())) exact += v + 8 * std::exp(v);
  EXPECT_NEAR(sum, exact, 1e-4 * exact);
  EXPECT_LT(session->memory().arena, static_cast<uint64_t>(channels) * 32 * 32 * 4 * 5 / 4);
}

}  // namespace
}  // namespace sardonyx
