// What If, Loop, Scan and SequenceMap share: a body graph, and the stacking of what it gives.
#pragma once
#include <memory>
#include <vector>

#include "ops/subgraph_runs.h"

namespace sardonyx {

class Body {
 public:
  // The graph in this attribute.
  Body(const Attributes& attributes, std::string_view name) : graph_(attributes.graph(name)), name_(name) {}

  int input_count() const noexcept { return static_cast<int>(graph_->inputs.size()); }
  int output_count() const noexcept { return static_cast<int>(graph_->outputs.size()); }
  // Of output i's elements, where the graph declares them; else undefined.
  DType declared_dtype(int i) const { return output(i).type.dtype; }
  // Each throws Error (invalid_model) where the graph has another number of inputs, or of outputs.
  void require_inputs(int count) const;
  void require_outputs(int least, int most = INT32_MAX) const;

  SubgraphRun run(std::span<const Value> inputs) const { return {graph_.get(), inputs}; }

  // Throws Error (runtime_error) unless result `i`, which replaces `before`, is of the same kind and element type.
  void require_like(int i, const Value& result, const Value& before) const;
  // Tensors that result `i` gave in all iterations, along a new axis (negative: counted from the end of the stack's
  // rank). With none, the shape is what the graph declares, unknown dimensions being 0.
  Tensor stack_of(RunContext& c, int i, std::span<const Tensor> pieces, int64_t axis = 0, bool reversed = false) const;

 private:
  const ValueInfo& output(int i) const { return graph_->value(graph_->outputs[static_cast<size_t>(i)]); }
  std::shared_ptr<const Graph> graph_;
  std::string name_;
};

}  // namespace sardonyx
