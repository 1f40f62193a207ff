// Runs one operator on given values, without a session: what the unit tests of operators use.
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "ops/evaluate.h"
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
  for (size_t i = 0; i < out.size(); i++) {
    EXPECT_NE(out[i].state, InferOutput::State::unset) << node.op_type << " states nothing of output " << i;
    if (i < early.size()) EXPECT_TRUE(early[i] == out[i].shape) << node.op_type << " infers two shapes";
  }
  const std::vector<char> wanted(static_cast<size_t>(outputs), 1);
  return evaluate(*node.op, given, wanted);
}

}  // namespace sardonyx::testing
