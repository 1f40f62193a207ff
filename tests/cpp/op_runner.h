// Runs one operator on given values, without a session: what the unit tests of operators use.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "ops/operator.h"
#include "ops/registry.h"

namespace sardonyx::testing {

// A tensor of T with these values.
template <class T>
Tensor tensor(const Shape& shape, std::initializer_list<T> values) {
  Tensor t = Tensor::allocate(dtype_of<T>(), shape);
  EXPECT_EQ(static_cast<size_t>(t.count()), values.size());
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}

class TestServices final : public RunServices {
 public:
  ThreadPool& pool() override { return *pool_; }
  std::byte* scratch(uint64_t bytes) override {
    scratch_ = Buffer::bytes(bytes);
    return scratch_->data();
  }
  std::vector<Value> run_graph(const Graph&, std::span<const Value>) override {
    fail(ErrorCode::runtime_error, "no subgraphs here");
  }
  void check_abort() override {}

 private:
  std::unique_ptr<ThreadPool> pool_ = ThreadPool::create(1);
  std::shared_ptr<Buffer> scratch_;
};

// Makes the operator, infers (first without data, then with), runs. An absent input is a none Value.
// constant_inputs: bit mask of inputs that prepare() sees as constants.
inline std::vector<Value> run_op(std::string type, int opset, Attributes attributes, std::vector<Value> inputs,
                                 int outputs = 1, uint32_t constant_inputs = 0, std::string domain = "") {
  Graph graph;
  Node node;
  node.op_type = std::move(type);
  node.domain = std::move(domain);
  node.opset = opset;
  node.attributes = std::move(attributes);
  for (size_t i = 0; i < inputs.size(); i++) {
    node.inputs.push_back(inputs[i].is_none() ? kNoValue : graph.add_value(cat("in", i)));
  }
  for (int i = 0; i < outputs; i++) node.outputs.push_back(graph.add_value(cat("out", i)));
  bind_operator(node, graph);

  std::vector<const Tensor*> constants(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); i++) {
    if ((constant_inputs >> i & 1) && inputs[i].is_tensor()) constants[i] = &inputs[i].tensor();
  }
  PrepareContext prepare(constants);
  node.op->prepare(prepare);

  std::vector<InferInput> seen(inputs.size());
  std::vector<const Value*> given(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); i++) {
    if (inputs[i].is_none()) continue;
    seen[i].present = true;
    given[i] = &inputs[i];
    if (!inputs[i].is_tensor()) continue;
    seen[i].is_tensor = true;
    seen[i].dtype = inputs[i].tensor().dtype();
    seen[i].shape = inputs[i].tensor().shape();
  }
  std::vector<InferOutput> out(static_cast<size_t>(outputs));
  for (InferOutput& o : out) o.wanted = true;
  InferContext blind(seen, out);
  node.op->infer(blind);
  std::vector<Shape> early;
  if (!blind.deferred()) {
    for (const InferOutput& o : out) early.push_back(o.shape);
  }
  for (size_t i = 0; i < inputs.size(); i++) seen[i].value = given[i];
  InferContext informed(seen, out);
  node.op->infer(informed);
  EXPECT_FALSE(informed.deferred()) << node.op_type << " defers with all data known";
  std::vector<Value> results(static_cast<size_t>(outputs));
  const std::vector<char> flags(static_cast<size_t>(outputs), 1);
  const std::span<const bool> wanted(reinterpret_cast<const bool*>(flags.data()), flags.size());
  for (size_t i = 0; i < results.size(); i++) {
    EXPECT_NE(out[i].state, InferOutput::State::unset) << node.op_type << " states nothing of output " << i;
    if (out[i].state == InferOutput::State::known) results[i] = Tensor::allocate(out[i].dtype, out[i].shape);
    if (i < early.size()) EXPECT_TRUE(early[i] == out[i].shape) << node.op_type << " infers two shapes";
  }
  if (node.op->view_of() >= 0) return {inputs[static_cast<size_t>(node.op->view_of())].tensor().reshaped(out[0].shape)};
  TestServices services;
  RunContext run(services, given, results, wanted);
  node.op->run(run);
  return results;
}

}  // namespace sardonyx::testing
