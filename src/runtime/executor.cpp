// The executor: sets the inputs, walks the steps, hands out the results.
#include "runtime/executor.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ops/evaluate.h"
#include "ops/subgraph_runs.h"
#include "ops/util/macs.h"
#include "runtime/bound_results.h"
#include "runtime/growing_results.h"
#include "runtime/place.h"
#include "runtime/planned_graph.h"

namespace sardonyx {
namespace {
using Clock = std::chrono::steady_clock;
constexpr size_t kMostPlans = 8;

// A clock is read for slices only.
bool is_over(Executor::TimePoint deadline) {
  return deadline != Executor::TimePoint::max() && Clock::now() >= deadline;
}

InputKey key_of(const Value& value) {
  if (!value.is_tensor()) return {};
  return {value.tensor().dtype(), value.tensor().shape()};
}
}  // namespace

struct Executor::Prepared {
  std::unique_ptr<const Graph> own;  // null: it is the executor's
  const Graph& graph;                // that the plan is of
  Plan plan;
  std::vector<Value> frame;  // by value; what is `known` and what lies in the arena stays between runs
  std::vector<std::vector<const Value*>> inputs;  // by step
  std::vector<std::vector<Value*>> outputs;       // by step
  std::vector<ValueId> transient;                 // what is cleared after a run
  std::shared_ptr<Buffer> arena;                  // the one that the frame's tensors point into

  Prepared(const Graph& given, PlannedGraph made)
      : own(std::move(made.own)), graph(own ? *own : given), plan(std::move(made.plan)), frame(plan.known) {
    for (ValueId id : graph.inputs) transient.push_back(id);
    for (const Capture& c : graph.captures) transient.push_back(c.inner);
    for (const Step& step : plan.steps) {
      const Node& node = graph.nodes[static_cast<size_t>(step.node)];
      auto& in = inputs.emplace_back();
      for (ValueId id : node.inputs) in.push_back(id == kNoValue ? nullptr : &frame[static_cast<size_t>(id)]);
      auto& out = outputs.emplace_back();
      for (size_t o = 0; o < node.outputs.size(); o++) {
        const ValueId id = node.outputs[o];
        out.push_back(id == kNoValue ? nullptr : &frame[static_cast<size_t>(id)]);
        if (id != kNoValue && (step.dynamic || step.outputs[o].kind != Placement::Kind::arena)) transient.push_back(id);
      }
    }
  }
};

// Lends an operator the session's pool and scratch memory, and begins the runs of its subgraphs.
class Executor::Services final : public SubgraphServices {
 public:
  Services(Executor& executor, Prepared& prepared, RunState& run)
      : executor_(executor), prepared_(prepared), run_(run) {}

  ThreadPool& pool() override { return *run_.shared.pool; }

  std::byte* scratch(uint64_t bytes) override {
    auto& scratch = run_.shared.scratch;
    if (!scratch || scratch->size() < bytes) {
      scratch.reset();
      scratch = Buffer::bytes(bytes);
    }
    return scratch->data();
  }

  void take_over(std::unique_ptr<SubgraphRuns> runs) override;

  Executor* begin(const SubgraphRun& inner) {
    check_abort();
    std::vector<const Value*> captures;
    for (const Capture& c : inner.graph->captures) captures.push_back(&prepared_.frame[static_cast<size_t>(c.outer)]);
    Executor* child = executor_.children_.at(inner.graph).get();
    child->begin(inner.inputs, captures);
    return child;
  }

  void check_abort() override {
    if (run_.should_abort && run_.should_abort()) fail(ErrorCode::aborted, "the run was aborted");
  }

 private:
  Executor& executor_;
  Prepared& prepared_;
  RunState& run_;
};

// Clears what a run left in the frame, also when it throws.
class Executor::Cleaner {
 public:
  explicit Cleaner(Prepared& p) : p_(p) {}
  ~Cleaner() {
    for (ValueId id : p_.transient) p_.frame[static_cast<size_t>(id)] = Value();
  }
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;

 private:
  Prepared& p_;
};

struct Executor::Active {
  explicit Active(Prepared& prepared) : p(prepared), cleaner(prepared) {}
  ~Active() {
    if (child) child->cancel();
  }
  Prepared& p;
  Cleaner cleaner;
  size_t next = 0;  // of the plan's steps
  // Of that step, where it has begun and is not done.
  std::unique_ptr<SubgraphRuns> runs;
  Executor* child = nullptr;  // the one whose run goes on
  TimePoint begun;            // while profiling
  BoundResults into;
  GrowingResults growing;
};

void Executor::Services::take_over(std::unique_ptr<SubgraphRuns> runs) { executor_.active_->runs = std::move(runs); }

Executor::Executor(const Graph& graph) : graph_(graph) {
  for (const Node& node : graph.nodes) {
    for (const auto& inner : subgraphs(node)) children_.emplace(inner.get(), std::make_unique<Executor>(*inner));
  }
}

Executor::~Executor() = default;

void Executor::plan(std::span<const Value> inputs) {
  run_macs_ = 0;
  plan_for(inputs, {});
}

double Executor::macs() const { return plans_.empty() ? 0 : plans_.front()->plan.macs + run_macs_; }

uint64_t Executor::arena_bytes() const {
  uint64_t bytes = arena_ ? arena_->size() : 0;
  for (const auto& [graph, child] : children_) bytes += child->arena_bytes();
  return bytes;
}

Executor::Prepared& Executor::plan_for(std::span<const Value> inputs, std::span<const Value* const> captures) {
  check(inputs.size() == graph_.inputs.size(), ErrorCode::invalid_model, "the graph \"", graph_.name, "\" takes ",
        graph_.inputs.size(), " inputs, not ", inputs.size());
  std::vector<InputKey> key;
  for (size_t i = 0; i < inputs.size(); i++) {
    const Tensor& preset = graph_.value(graph_.inputs[i]).constant;
    key.push_back(inputs[i].is_none() && preset.defined() ? InputKey{preset.dtype(), preset.shape()}
                                                          : key_of(inputs[i]));
  }
  for (const Value* v : captures) key.push_back(key_of(*v));
  const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const auto& p) { return p->plan.key == key; });
  if (found == plans_.end()) {
    plans_.push_front(std::make_unique<Prepared>(graph_, plan_graph(graph_, std::move(key))));
    if (plans_.size() > kMostPlans) plans_.pop_back();
  } else if (found != plans_.begin()) {
    auto p = std::move(*found);
    plans_.erase(found);
    plans_.push_front(std::move(p));
  }
  return *plans_.front();
}

// The arena is one for all plans, as large as the largest needs.
void Executor::bind_arena(Prepared& p) {
  if (p.plan.arena_size == 0) return;
  if (!arena_ || arena_->size() < p.plan.arena_size) {
    for (auto& other : plans_) {  // no frame may keep the old arena alive
      if (!other->arena) continue;
      other->arena.reset();
      for (size_t s = 0; s < other->plan.steps.size(); s++) {
        const Step& step = other->plan.steps[s];
        for (size_t o = 0; o < step.outputs.size(); o++) {
          if (step.outputs[o].kind == Placement::Kind::arena) *other->outputs[s][o] = Value();
        }
      }
    }
    arena_.reset();
    arena_ = Buffer::bytes(p.plan.arena_size);
    arena_->is_arena = true;
  }
  if (p.arena == arena_) return;
  for (size_t s = 0; s < p.plan.steps.size(); s++) {
    const Step& step = p.plan.steps[s];
    for (size_t o = 0; o < step.outputs.size(); o++) {
      const Placement& place = step.outputs[o];
      if (place.kind != Placement::Kind::arena) continue;
      *p.outputs[s][o] = Tensor::view(place.dtype, place.shape, arena_, static_cast<size_t>(place.offset));
    }
  }
  p.arena = arena_;
}

void Executor::set_inputs(Prepared& p, std::span<const Value> inputs, std::span<const Value* const> captures) {
  for (size_t i = 0; i < inputs.size(); i++) {
    const ValueId id = graph_.inputs[i];
    const Tensor& preset = graph_.value(id).constant;
    p.frame[static_cast<size_t>(id)] = inputs[i].is_none() && preset.defined() ? Value(preset) : inputs[i];
  }
  for (size_t i = 0; i < captures.size(); i++) {
    p.frame[static_cast<size_t>(graph_.captures[i].inner)] = *captures[i];
  }
}

std::vector<Value> Executor::run(std::span<const Value> inputs, std::span<const Value* const> captures,
                                 std::span<const int> wanted, RunState& run) {
  begin(inputs, captures);
  advance(run, TimePoint::max());
  return finish(wanted);
}

// The caller's memory for a result where there is some, else new.
Tensor Executor::memory_for(const Value* result, DType dtype, const Shape& shape) const {
  for (const auto& [slot, tensor] : active_->into) {
    if (slot == result && tensor.dtype() == dtype && tensor.shape() == shape) return tensor;
  }
  for (const auto& [slot, past] : active_->growing) {
    if (slot == result && past->is_tensor()) return memory_behind(past->tensor(), dtype, shape);
  }
  return Tensor::allocate(dtype, shape);
}

void Executor::begin(std::span<const Value> inputs, std::span<const Value* const> captures,
                     std::span<const std::pair<int, Tensor>> into, std::span<const int> kept) {
  active_.reset();
  run_macs_ = 0;
  Prepared& p = plan_for(inputs, captures);
  bind_arena(p);
  active_ = std::make_unique<Active>(p);
  set_inputs(p, inputs, captures);
  active_->growing = growing_results(p.graph, p.frame, kept);
  if (!into.empty()) active_->into = bound_results(p.graph, p.frame, inputs, into);
}

bool Executor::advance(RunState& run, TimePoint deadline) {
  try {
    Prepared& p = active_->p;
    Services services(*this, p, run);
    while (active_->next < p.plan.steps.size()) {
      const Step& step = p.plan.steps[active_->next];
      services.check_abort();
      if (!run_step(p, step, services, run, deadline)) return false;
      active_->next++;
      for (ValueId id : step.release) p.frame[static_cast<size_t>(id)] = Value();
      if (is_over(deadline)) break;
    }
    return active_->next == p.plan.steps.size();
  } catch (...) {
    active_.reset();
    throw;
  }
}

std::vector<Value> Executor::finish(std::span<const int> wanted) {
  const auto active = std::move(active_);
  std::vector<Value> results;
  for (int i : wanted) {
    const ValueId id = graph_.outputs[static_cast<size_t>(i)];
    const Value& value = active->p.frame[static_cast<size_t>(id)];
    if (value.is_tensor()) check_declared(graph_.value(id), value.tensor().dtype());
    results.push_back(value.owned());
  }
  return results;
}

void Executor::cancel() noexcept { active_.reset(); }

// False: the slice is over before the step is done.
bool Executor::run_step(Prepared& p, const Step& step, Services& services, RunState& run, TimePoint deadline) {
  const Node& node = p.graph.nodes[static_cast<size_t>(step.node)];
  const auto& inputs = p.inputs[static_cast<size_t>(&step - p.plan.steps.data())];
  const bool goes_on = active_->runs != nullptr;
  if (run.profile && !goes_on) active_->begun = Clock::now();
  const std::string shapes = run.records() ? describe_values(inputs) : std::string();
  bool done = true;
  with_place(
      p.graph, node, [&] { return describe_values(inputs); },
      [&] {
        const bool ready = goes_on || (step.dynamic ? ready_dynamic(p, step) : ready_fixed(p, step));
        if (ready) done = run_operator(p, step, services, run, deadline);
      });
  if (!done || !run.records()) {
    run.left_out += done;
    return done;
  }
  const std::chrono::duration<double, std::milli> start = active_->begun - run.start,
                                                  duration = Clock::now() - active_->begun;
  run.profile->push_back({node.label(p.graph), node.op_type, start.count(), duration.count(), shapes, run.depth,
                          run.depth == 0 ? std::exchange(run.left_out, 0) : 0});
  return true;
}

bool Executor::run_operator(Prepared& p, const Step& step, Services& services, RunState& run, TimePoint deadline) {
  const size_t s = static_cast<size_t>(&step - p.plan.steps.data());
  RunContext context(services, p.inputs[s], p.outputs[s]);
  if (!active_->runs) p.graph.nodes[static_cast<size_t>(step.node)].op->run(context);
  return !active_->runs || run_subgraphs(context, services, run, deadline);
}

bool Executor::run_subgraphs(RunContext& context, Services& services, RunState& run, TimePoint deadline) {
  for (;;) {
    Executor*& child = active_->child;
    if (!child) {
      const SubgraphRun inner = active_->runs->next(context);
      if (!inner.graph) break;
      child = services.begin(inner);
    }
    run.depth++;
    const bool done = child->advance(run, deadline);
    run.depth--;
    if (!done) return false;
    std::vector<int> wanted(child->graph_.outputs.size());
    std::iota(wanted.begin(), wanted.end(), 0);
    run_macs_ += child->macs();
    std::vector<Value> results = std::exchange(child, nullptr)->finish(wanted);
    active_->runs->take(context, results);
    // Bodies may have no nodes.
    if (is_over(deadline)) return false;
  }
  active_->runs.reset();
  return true;
}

// Both: memory for the outputs of a step; false where nothing is left to run.
bool Executor::ready_fixed(Prepared& p, const Step& step) {
  const size_t s = static_cast<size_t>(&step - p.plan.steps.data());
  for (size_t o = 0; o < step.outputs.size(); o++) {
    const Placement& place = step.outputs[o];
    if (place.kind == Placement::Kind::heap) {
      *p.outputs[s][o] = memory_for(p.outputs[s][o], place.dtype, place.shape);
    }
    if (place.kind == Placement::Kind::alias) {
      *p.outputs[s][o] = p.frame[static_cast<size_t>(place.alias)].tensor().reshaped(place.shape);
    }
  }
  return !step.view;
}

bool Executor::ready_dynamic(Prepared& p, const Step& step) {
  const Node& node = p.graph.nodes[static_cast<size_t>(step.node)];
  const size_t s = static_cast<size_t>(&step - p.plan.steps.data());
  std::vector<InferInput> inputs;
  for (const Value* v : p.inputs[s]) inputs.push_back(infer_input(v));
  std::vector<InferOutput> stated(node.outputs.size());
  for (size_t o = 0; o < stated.size(); o++) stated[o].wanted = p.outputs[s][o] != nullptr;
  InferContext infer(inputs, stated);
  node.op->infer(infer);
  check(!infer.deferred(), ErrorCode::runtime_error, "the output's shape cannot be told");
  run_macs_ += macs_of(*node.op, inputs, stated);
  const int view = node.op->view_of();
  if (view >= 0) {  // an arena's bytes may be reused before a view of them is read
    if (!p.outputs[s][0]) return false;
    const Value& from = *p.inputs[s][static_cast<size_t>(view)];
    *p.outputs[s][0] = from.is_tensor() ? Value(from.tensor().owned().reshaped(stated[0].shape)) : from;
    return false;
  }
  for (size_t o = 0; o < stated.size(); o++) {
    if (stated[o].wanted) place_dynamic(p, step, o, stated[o]);
  }
  return true;
}

// Memory for an output of a dynamic step: that of an input which dies here, where the operator may write over it.
void Executor::place_dynamic(Prepared& p, const Step& step, size_t output, const InferOutput& stated) {
  check(stated.state != InferOutput::State::unset, ErrorCode::unsupported_operator, "output ", output,
        " is not supported");
  if (stated.state == InferOutput::State::deferred) return;
  const Node& node = p.graph.nodes[static_cast<size_t>(step.node)];
  const size_t s = static_cast<size_t>(&step - p.plan.steps.data());
  const uint32_t mask = output == 0 && stated.dtype != DType::string ? node.op->in_place() : 0;
  for (size_t i = 0; i < node.inputs.size() && i < 32; i++) {
    if (!(mask >> i & 1) || !p.inputs[s][i] || !p.inputs[s][i]->is_tensor()) continue;
    const Tensor& in = p.inputs[s][i]->tensor();
    const bool dies = std::find(step.release.begin(), step.release.end(), node.inputs[i]) != step.release.end();
    bool read_otherwise = false;
    for (size_t j = 0; j < node.inputs.size(); j++) {
      read_otherwise |= node.inputs[j] == node.inputs[i] && (j >= 32 || !(mask >> j & 1));
    }
    if (!dies || read_otherwise || in.dtype() != stated.dtype || in.count() != stated.shape.count() ||
        in.buffer().use_count() != 1)
      continue;
    *p.outputs[s][output] = in.reshaped(stated.shape);
    return;
  }
  *p.outputs[s][output] = memory_for(p.outputs[s][output], stated.dtype, stated.shape);
}

}  // namespace sardonyx
