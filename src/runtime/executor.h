// Runs a graph: plans per input shapes, the arena, the steps.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/plan.h"
#include "runtime/profile.h"

namespace sardonyx {

// What all graphs of a session share.
struct Shared {
  std::unique_ptr<ThreadPool> pool;
  std::shared_ptr<Buffer> scratch;
};

// What all graphs of one run share.
struct RunState {
  Shared& shared;
  std::function<bool()> should_abort;  // may be empty
  Profile* profile = nullptr;
  std::chrono::steady_clock::time_point start{};
  int depth = 0;
  uint64_t left_out = 0;  // ProfileEntry::left_out of the node of the main graph that runs

  // Is the node at hand to be recorded?
  bool records() const noexcept { return profile && (depth == 0 || profile->size() < kMostInnerEntries); }
};

// One per graph of a model, subgraphs included. Not reentrant: one run at a time.
class Executor {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit Executor(const Graph& graph);
  ~Executor();

  // inputs: one per graph.inputs, none Values where left out (the default is taken); captures: one per graph.captures.
  // Returns the outputs at `wanted`, owned. An error leaves the executor as it was before.
  std::vector<Value> run(std::span<const Value> inputs, std::span<const Value* const> captures,
                         std::span<const int> wanted, RunState& run);

  // The same in slices: begin(), advance() until it says that all nodes have run, then finish(). A slice ends between
  // two nodes, those of subgraphs included. An error, or cancel(), ends the run. `inputs` stay until then.
  // into: positions of outputs with memory for them, kept: of those that may have room (RunOptions).
  void begin(std::span<const Value> inputs, std::span<const Value* const> captures,
             std::span<const std::pair<int, Tensor>> into = {}, std::span<const int> kept = {});
  bool advance(RunState& run, TimePoint deadline);  // runs at least one node
  std::vector<Value> finish(std::span<const int> wanted);
  void cancel() noexcept;

  // Of the plan that was used last, or is being used, with what its dynamic steps and subgraphs have run since; 0
  // before there is one.
  double macs() const;

  // Makes and keeps the plan for inputs of these types and shapes; they need no data.
  void plan(std::span<const Value> inputs);

  // Bytes of this graph's arena and its subgraphs'.
  uint64_t arena_bytes() const;

 private:
  struct Prepared;  // a plan, with the values of a run
  struct Active;    // a run that has begun, with those of subgraphs
  class Services;
  class Cleaner;

  Prepared& plan_for(std::span<const Value> inputs, std::span<const Value* const> captures);
  void bind_arena(Prepared& p);
  void set_inputs(Prepared& p, std::span<const Value> inputs, std::span<const Value* const> captures);
  Tensor memory_for(const Value* result, DType dtype, const Shape& shape) const;
  bool run_step(Prepared& p, const Step& step, Services& services, RunState& run, TimePoint deadline);
  bool run_operator(Prepared& p, const Step& step, Services& services, RunState& run, TimePoint deadline);
  bool run_subgraphs(RunContext& context, Services& services, RunState& run, TimePoint deadline);
  bool ready_fixed(Prepared& p, const Step& step);
  bool ready_dynamic(Prepared& p, const Step& step);
  void place_dynamic(Prepared& p, const Step& step, size_t output, const InferOutput& stated);

  const Graph& graph_;
  std::deque<std::unique_ptr<Prepared>> plans_;  // most recently used first
  std::unique_ptr<Active> active_;
  double run_macs_ = 0;  // of dynamic steps and subgraphs, since the run began
  std::shared_ptr<Buffer> arena_;
  std::unordered_map<const Graph*, std::unique_ptr<Executor>> children_;
};

}  // namespace sardonyx
