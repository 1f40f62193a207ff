// Gradient: derivatives against differences of the function itself, and what it refuses.
#include <gtest/gtest.h>

#include <functional>

#include "error_of.h"
#include "graph_maker.h"
#include "op_runner.h"
#include "runtime/session.h"

namespace sardonyx {
namespace {

using testing::attribute;
using testing::GraphMaker;
using testing::tensor;
using testing::thrown_by;

using Build = std::function<void(GraphMaker&)>;

void add_gradient(GraphMaker& g, const std::vector<std::string>& xs, const std::vector<std::string>& feeds) {
  Attributes a;
  a.add("xs", xs);
  a.add("y", std::string("y"));
  std::vector<std::string> outputs;
  for (const std::string& x : xs) outputs.push_back("d" + x);
  g.node("Gradient", feeds, outputs, std::move(a));
  Node& node = g.graph()->nodes.back();
  node.domain = "ai.onnx.preview.training";
  node.opset = 1;
  for (const std::string& o : outputs) g.output(o);
}

std::vector<Value> run(Session& session, const std::vector<Value>& feeds, int outputs) {
  std::vector<int> wanted;
  for (int i = 0; i < outputs; i++) wanted.push_back(i);
  return session.run(feeds, wanted);
}

// `body` computes "y" from the float64 inputs "a" and "b"; the gradients of the sum of y must be what small steps of
// each element give, with fusions and without.
void expect_derivatives(const Tensor& a, const Tensor& b, const Build& body) {
  const auto dims = [](const Tensor& t) { return std::vector<int64_t>(t.shape().begin(), t.shape().end()); };
  const auto make = [&](bool gradient, int level) {
    GraphMaker g;
    g.input("a", DType::float64, dims(a)).input("b", DType::float64, dims(b));
    body(g);
    if (gradient) {
      add_gradient(g, {"a", "b"}, {"a", "b"});
    } else {
      g.output("y");
    }
    SessionOptions options;
    options.optimization_level = level;
    return Session::create(g.model(), options);
  };
  const auto function = make(false, 0);
  const auto sum = [&](const Tensor& x, const Tensor& y) {
    double total = 0;
    const Tensor values = run(*function, {x, y}, 1)[0].tensor();
    for (double v : values.values<double>()) total += v;
    return total;
  };
  for (int level : {0, 2}) {
    const auto got = run(*make(true, level), {a, b}, 2);
    for (int side = 0; side < 2; side++) {
      const Tensor& x = side ? b : a;
      ASSERT_TRUE(got[static_cast<size_t>(side)].tensor().shape() == x.shape());
      for (int64_t i = 0; i < x.count(); i++) {
        constexpr double kStep = 1e-6;
        Tensor up = x.clone(), down = x.clone();
        up.data<double>()[i] += kStep;
        down.data<double>()[i] -= kStep;
        const double slope = (side ? sum(a, up) - sum(a, down) : sum(up, b) - sum(down, b)) / (2 * kStep);
        EXPECT_NEAR(got[static_cast<size_t>(side)].tensor().data<double>()[i], slope, 1e-6 * (1 + std::abs(slope)))
            << "input " << side << " element " << i << " level " << level;
      }
    }
  }
}

const Tensor kA = tensor<double>({2, 3}, {0.5, 1.25, 2, 0.75, 1.5, 0.3});
const Tensor kB = tensor<double>({3}, {1.5, 0.8, 0.4});

TEST(Gradient, Arithmetic) {
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow", "Sum"}) {
    SCOPED_TRACE(op);
    expect_derivatives(kA, kB, [&](GraphMaker& g) { g.node(op, {"a", "b"}, {"y"}); });
    expect_derivatives(kB, kA, [&](GraphMaker& g) { g.node(op, {"a", "b"}, {"c"}).node("Mul", {"c", "a"}, {"y"}); });
  }
}

TEST(Gradient, Functions) {
  for (const char* op : {"Abs", "Exp", "Log", "Sqrt", "Reciprocal", "Sin", "Cos", "Sigmoid", "Tanh", "Softplus", "Relu",
                         "Neg", "Identity", "Softmax", "LogSoftmax"}) {
    SCOPED_TRACE(op);
    expect_derivatives(kA, kB, [&](GraphMaker& g) { g.node(op, {"a"}, {"c"}).node("Mul", {"c", "b"}, {"y"}); });
  }
}

TEST(Gradient, Gemm) {
  for (int64_t ta : {0, 1}) {
    for (int64_t tb : {0, 1}) {
      Attributes t;
      t.add("transA", ta);
      t.add("transB", tb);
      t.add("alpha", 0.5f);
      t.add("beta", 2.0f);
      const Tensor b = tensor<double>({3, 2}, {1, 2, -3, 0.5, 0.25, 4});
      const Tensor c = tensor<double>({1, 2}, {0.5, -1});
      expect_derivatives(ta ? kA.reshaped({3, 2}) : kA, tb ? b.reshaped({2, 3}) : b, [&](GraphMaker& g) {
        g.constant("c", c).node("Gemm", {"a", "b", "c"}, {"z"}, t).node("Mul", {"z", "z"}, {"y"});
      });
    }
  }
}

TEST(Gradient, ShapesAndSums) {
  const auto weighed = [](const std::string& op, Attributes attributes) {
    return [=](GraphMaker& g) { g.node(op, {"a"}, {"c"}, attributes).node("Mul", {"c", "c"}, {"y"}); };
  };
  expect_derivatives(kA, kB, weighed("Transpose", attribute("perm", std::vector<int64_t>{1, 0})));
  expect_derivatives(kA, kB, weighed("Transpose", {}));
  expect_derivatives(kA, kB, weighed("Flatten", {}));
  for (int64_t keep : {0, 1}) {
    Attributes a = attribute("keepdims", keep);
    expect_derivatives(kA, kB, weighed("ReduceSum", a));
    a.add("axes", std::vector<int64_t>{1});
    expect_derivatives(kA, kB, weighed("ReduceMean", a));
  }
  expect_derivatives(kA, kA, [](GraphMaker& g) {
    g.node("Concat", {"a", "b", "a"}, {"c"}, attribute("axis", int64_t{1})).node("Mul", {"c", "c"}, {"y"});
  });
  expect_derivatives(kA, kB, [](GraphMaker& g) {
    g.constant("one", tensor<double>({1}, {1})).node("Greater", {"a", "one"}, {"c"});
    g.node("Where", {"c", "a", "b"}, {"d"}).node("Mul", {"d", "d"}, {"y"});
  });
}

// The gradient of y = a * a at what is fed to it, not at a; b changes nothing.
TEST(Gradient, AtOtherValues) {
  GraphMaker g;
  g.input("a", DType::float32, {2}).input("b", DType::float32, {2}).node("Mul", {"a", "a"}, {"y"});
  g.output("y");
  add_gradient(g, {"a"}, {"b"});
  const auto session = Session::create(g.model(), {});
  const auto y = run(*session, {tensor<float>({2}, {3, 4}), tensor<float>({2}, {5, 6})}, 2);
  EXPECT_EQ(y[0].tensor().data<float>()[1], 16);
  EXPECT_EQ(y[1].tensor().data<float>()[0], 10);
  EXPECT_EQ(y[1].tensor().data<float>()[1], 12);
}

TEST(Gradient, Refuses) {
  const auto refused = [](const Build& body, const std::vector<std::string>& feeds) {
    GraphMaker g;
    g.input("a", DType::float32, {2});
    body(g);
    add_gradient(g, {"a"}, feeds);
    return thrown_by([&] { Session::create(g.model(), {}); }).message();
  };
  const auto floor = [](GraphMaker& g) { g.node("Floor", {"a"}, {"y"}); };
  EXPECT_EQ(refused(floor, {"a"}), "Gradient \"Gradient_1\": Gradient cannot differentiate Floor");
  EXPECT_EQ(refused([](GraphMaker&) {}, {"a"}), "Gradient \"Gradient_0\": there is no tensor \"y\" in the graph");
  EXPECT_EQ(refused(floor, {"a", "a"}), "Gradient \"Gradient_1\": takes an input for each of xs and zs: 1, not 2");
}

}  // namespace
}  // namespace sardonyx
