// The session: creation in order, checks of feeds, runs.
#include "runtime/session.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "ops/fusible.h"
#include "optimize/gradient.h"
#include "optimize/optimize.h"
#include "optimize/uses.h"
#include "runtime/executor.h"
#include "runtime/place.h"

namespace sardonyx {
namespace {

void fix_dimensions(Graph& graph, const std::vector<std::pair<std::string, int64_t>>& dimensions) {
  for (const auto& [name, value] : dimensions) {
    check(value >= 0, ErrorCode::invalid_argument, "the free dimension \"", name, "\" is set to ", value);
    for (ValueInfo& info : graph.values) {
      for (Dim& dim : info.type.shape) {
        if (dim.value < 0 && dim.name == name) dim.value = value;
      }
    }
  }
}

// The nodes with the largest constants first: what packing leaves free has room for what is packed later.
std::vector<size_t> packing_order(const Graph& graph) {
  std::vector<uint64_t> bytes(graph.nodes.size(), 0);
  for (size_t n = 0; n < bytes.size(); n++) {
    for (ValueId id : graph.nodes[n].inputs) {
      if (graph.is_constant(id)) bytes[n] += graph.value(id).constant.byte_size();
    }
  }
  std::vector<size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return bytes[a] != bytes[b] ? bytes[a] > bytes[b] : a < b; });
  return order;
}

// Lets every node of the graph and its subgraphs pack its constants, and lets go of constants that are packed
// everywhere.
void prepare(Graph& graph) {
  std::vector<int> readers = count_uses(graph);
  for (const size_t n : packing_order(graph)) {
    Node& node = graph.nodes[n];
    for (const auto& inner : subgraphs(node)) prepare(*inner);
    std::vector<const Tensor*> constants;
    for (ValueId id : node.inputs) {
      const bool known = graph.is_constant(id) && graph.value(id).constant.has_data();
      constants.push_back(known ? &graph.value(id).constant : nullptr);
    }
    uint32_t exclusive = 0;
    for (size_t i = 0; i < node.inputs.size() && i < 32; i++) {
      if (constants[i] && constants[i]->buffer().use_count() == 1 && readers[static_cast<size_t>(node.inputs[i])] == 1)
        exclusive |= 1u << i;
    }
    PrepareContext context(constants, exclusive);
    const auto describe = [&] {
      std::string text;
      for (const Tensor* t : constants) text += (text.empty() ? "" : ", ") + (t ? t->describe() : std::string("?"));
      return text;
    };
    with_place(graph, node, describe, [&] { node.op->prepare(context); });
    for (size_t i = 0; i < node.inputs.size() && i < 32; i++) {
      if (!(context.released >> i & 1)) continue;
      Tensor& constant = graph.value(node.inputs[i]).constant;
      if (--readers[static_cast<size_t>(node.inputs[i])] == 0) {
        constant = Tensor::without_data(constant.dtype(), constant.shape());
      }
    }
  }
}

void avoid_winograd(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (Fusible* f = node.op->fusible()) f->avoid_winograd();
    for (const auto& inner : subgraphs(node)) avoid_winograd(*inner);
  }
}

void add_memory(const Graph& graph, MemoryUse& use, std::unordered_set<const Buffer*>& seen) {
  for (const ValueInfo& info : graph.values) {
    const Buffer* buffer = info.constant.buffer().get();
    if (!buffer || !seen.insert(buffer).second) continue;
    use.weights += info.constant.byte_size();
  }
  for (const Node& node : graph.nodes) {
    use.packed += node.op->packed_bytes();
    for (const auto& inner : subgraphs(node)) add_memory(*inner, use, seen);
  }
}

void check_tensor(const std::string& name, const Type& type, const Value& value) {
  check(value.is_tensor(), ErrorCode::invalid_input, "input \"", name, "\" must be ", type, ", not ", value);
  const Tensor& t = value.tensor();
  check(type.dtype == DType::undefined || t.dtype() == type.dtype, ErrorCode::invalid_input, "input \"", name,
        "\" must be ", type.dtype, ", not ", t.dtype());
  if (!type.has_shape) return;
  check(static_cast<size_t>(t.rank()) == type.shape.size(), ErrorCode::invalid_input, "input \"", name,
        "\" must have rank ", type.shape.size(), ", not ", t.rank(), ": declared is ", type, ", given ", t);
  for (int i = 0; i < t.rank(); i++) {
    const int64_t wanted = type.shape[static_cast<size_t>(i)].value;
    check(wanted < 0 || wanted == t.dim(i), ErrorCode::invalid_input, "dimension ", i, " of input \"", name,
          "\" must be ", wanted, ", not ", t.dim(i), ": declared is ", type, ", given ", t);
  }
}

void check_feed(const Session::Port& port, const Value& value) {
  if (value.is_none()) {
    check(port.optional, ErrorCode::invalid_input, "input \"", port.name, "\" (", port.type, ") is missing");
    return;
  }
  switch (port.type.kind) {
    case Type::Kind::unknown:
      return;
    case Type::Kind::tensor:
      return check_tensor(port.name, port.type, value);
    case Type::Kind::sequence:
      check(value.is_sequence(), ErrorCode::invalid_input, "input \"", port.name, "\" must be ", port.type, ", not ",
            value);
      return;
    case Type::Kind::map:
      check(value.is_map(), ErrorCode::invalid_input, "input \"", port.name, "\" must be ", port.type, ", not ", value);
      return;
    case Type::Kind::optional:
      if (port.type.element) check_feed({port.name, *port.type.element}, value);
      return;
  }
}

// Inputs without data as they are declared; empty where some shape is not known before the run.
std::vector<Value> declared_inputs(const Graph& graph) {
  std::vector<Value> inputs;
  for (ValueId id : graph.inputs) {
    const Type& type = graph.value(id).type;
    if (graph.value(id).constant.defined()) {
      inputs.emplace_back();
      continue;
    }
    if (type.kind != Type::Kind::tensor || type.dtype == DType::undefined || !type.has_shape) return {};
    Shape shape;
    for (const Dim& dim : type.shape) {
      if (dim.value < 0 || shape.rank() == Shape::kMaxRank) return {};
      shape.push_back(dim.value);
    }
    inputs.push_back(Tensor::without_data(type.dtype, shape));
  }
  return inputs;
}

}  // namespace

struct Session::Impl {
  Model model;
  std::vector<Port> inputs, outputs;
  Shared shared;
  std::unique_ptr<Executor> executor;
  bool planned = false;
  std::optional<MemoryUse> constant;  // its weights and packed weights

  // The run that begin() has begun.
  std::optional<RunState> state;
  std::vector<int> wanted;
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;
const std::vector<Session::Port>& Session::inputs() const { return impl_->inputs; }
const std::vector<Session::Port>& Session::outputs() const { return impl_->outputs; }
const Model& Session::model() const { return impl_->model; }

std::unique_ptr<Session> Session::create(Model model, const SessionOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->model = std::move(model);
  Graph& graph = impl->model.graph;
  fix_dimensions(graph, options.free_dimensions);
  expand_gradients(graph);
  bind_operators(graph, options.custom_operators);
  for (ValueId id : graph.inputs) {
    const ValueInfo& info = graph.value(id);
    impl->inputs.push_back({info.name, info.type, info.constant.defined() || info.type.kind == Type::Kind::optional});
  }
  for (ValueId id : graph.outputs) impl->outputs.push_back({graph.value(id).name, graph.value(id).type});
  optimize(graph, options.optimization_level);
  if (!options.winograd) avoid_winograd(graph);
  prepare(graph);
  impl->shared.pool = ThreadPool::create(options.threads);
  impl->executor = std::make_unique<Executor>(graph);
  // Where all shapes are declared, what does not fit is said now; the first run finds its plan made.
  if (const auto inputs = declared_inputs(graph); inputs.size() == graph.inputs.size()) {
    impl->executor->plan(inputs);
    impl->planned = true;
  }
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

std::vector<Value> Session::run(std::span<const Value> feeds, std::span<const int> wanted, const RunOptions& options) {
  begin(feeds, wanted, options);
  advance(std::numeric_limits<double>::infinity());
  return finish();
}

void Session::begin(std::span<const Value> feeds, std::span<const int> wanted, const RunOptions& options) {
  cancel();
  check(feeds.size() == impl_->inputs.size(), ErrorCode::invalid_input, "the model takes ", impl_->inputs.size(),
        " inputs, not ", feeds.size());
  for (size_t i = 0; i < feeds.size(); i++) check_feed(impl_->inputs[i], feeds[i]);
  for (int i : wanted) {
    check(i >= 0 && static_cast<size_t>(i) < impl_->outputs.size(), ErrorCode::invalid_input, "there is no output ", i);
  }
  impl_->executor->begin(feeds, {}, options.into, options.kept);
  impl_->planned = true;
  impl_->wanted.assign(wanted.begin(), wanted.end());
  const auto now = options.profile ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point{};
  impl_->state.emplace(RunState{impl_->shared, options.should_abort, options.profile, now});
}

bool Session::advance(double milliseconds) {
  using Clock = std::chrono::steady_clock;
  check(impl_->state.has_value(), ErrorCode::invalid_argument, "no run has begun");
  auto deadline = Clock::time_point::max();
  if (milliseconds < 1e6)
    deadline = Clock::now() + std::chrono::microseconds(static_cast<int64_t>(milliseconds * 1000));
  try {
    return impl_->executor->advance(*impl_->state, deadline);
  } catch (...) {
    impl_->state.reset();
    throw;
  }
}

std::vector<Value> Session::finish() {
  check(impl_->state.has_value(), ErrorCode::invalid_argument, "no run has begun");
  impl_->state.reset();
  return impl_->executor->finish(impl_->wanted);
}

void Session::cancel() noexcept {
  impl_->state.reset();
  impl_->executor->cancel();
}

double Session::macs() const { return impl_->planned ? impl_->executor->macs() : -1; }

MemoryUse Session::memory() const {
  // Asked after every run of a session in a worker: what stays is counted once.
  if (!impl_->constant) {
    impl_->constant.emplace();
    std::unordered_set<const Buffer*> seen;
    add_memory(impl_->model.graph, *impl_->constant, seen);
  }
  MemoryUse use = *impl_->constant;
  use.arena = impl_->executor->arena_bytes();
  use.scratch = impl_->shared.scratch ? impl_->shared.scratch->size() : 0;
  return use;
}

}  // namespace sardonyx
