// Infer and run of a single operator.
#include "ops/evaluate.h"

#include "ops/subgraph_runs.h"

namespace sardonyx {
namespace {

class PlainServices final : public SubgraphServices {
 public:
  ThreadPool& pool() override { return *pool_; }
  std::byte* scratch(uint64_t bytes) override {
    scratch_.reset();
    scratch_ = Buffer::bytes(bytes);
    return scratch_->data();
  }
  void take_over(std::unique_ptr<SubgraphRuns>) override {
    fail(ErrorCode::invalid_argument, "an operator with subgraphs cannot be evaluated alone");
  }
  void check_abort() override {}

 private:
  std::unique_ptr<ThreadPool> pool_ = ThreadPool::create(1);
  std::shared_ptr<Buffer> scratch_;
};

}  // namespace

InferInput infer_input(const Value* value) {
  InferInput in;
  if (!value) return in;
  in.present = true;
  in.value = value;
  if (value->is_tensor()) {
    in.is_tensor = true;
    in.dtype = value->tensor().dtype();
    in.shape = value->tensor().shape();
  }
  return in;
}

std::vector<Value> evaluate(const Operator& op, std::span<const Value* const> inputs, std::span<const char> wanted) {
  std::vector<InferInput> seen;
  for (const Value* v : inputs) seen.push_back(infer_input(v));
  std::vector<InferOutput> stated(wanted.size());
  for (size_t i = 0; i < wanted.size(); i++) stated[i].wanted = wanted[i];
  InferContext infer(seen, stated);
  op.infer(infer);
  check(!infer.deferred(), ErrorCode::runtime_error, "the output's shape cannot be told");
  std::vector<Value> results(wanted.size());
  if (op.view_of() >= 0 && stated[0].state == InferOutput::State::known) {
    results[0] = inputs[static_cast<size_t>(op.view_of())]->tensor().reshaped(stated[0].shape);
    return results;
  }
  std::vector<Value*> outputs(wanted.size(), nullptr);
  for (size_t i = 0; i < wanted.size(); i++) {
    if (!wanted[i]) continue;
    outputs[i] = &results[i];
    if (stated[i].state == InferOutput::State::known) results[i] = Tensor::allocate(stated[i].dtype, stated[i].shape);
  }
  PlainServices services;
  RunContext run(services, inputs, outputs);
  op.run(run);
  return results;
}

}  // namespace sardonyx
