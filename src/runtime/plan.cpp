// Making a plan: inference and folding first, then memory.
#include "runtime/plan.h"

#include <algorithm>

#include "ops/evaluate.h"
#include "ops/util/macs.h"
#include "runtime/place.h"
#include "runtime/plan_memory.h"

namespace sardonyx {
namespace {

// Results larger than this are left to the run: shape arithmetic is small.
constexpr int64_t kMostFolded = 4096;

class Inference {
 public:
  Inference(const Graph& graph, Plan& plan) : graph_(graph), plan_(plan), states_(graph.values.size()) {
    plan_.known.resize(graph.values.size());
    for (size_t id = 0; id < graph.values.size(); id++) {
      const Tensor& constant = graph.values[id].constant;
      if (!graph.is_constant(static_cast<ValueId>(id))) continue;
      plan_.known[id] = constant;
      set_shape(static_cast<ValueId>(id), constant.dtype(), constant.shape());
      states_[id].value = constant.has_data() ? &plan_.known[id] : nullptr;
    }
    size_t k = 0;
    for (ValueId id : graph.inputs) set_input(id, plan_.key[k++]);
    for (const Capture& c : graph.captures) set_input(c.inner, plan_.key[k++]);
  }

  void run() {
    for (size_t n = 0; n < graph_.nodes.size(); n++) {
      const Node& node = graph_.nodes[n];
      with_place(graph_, node, [&] { return describe(node); }, [&] { visit(static_cast<int>(n), node); });
    }
    for (ValueId id : graph_.outputs) {
      if (state(id).seen.is_tensor) check_declared(graph_.value(id), state(id).seen.dtype);
    }
  }

 private:
  struct State {
    InferInput seen;  // present once anything is known
    const Value* value = nullptr;
  };

  State& state(ValueId id) { return states_[static_cast<size_t>(id)]; }

  void set_shape(ValueId id, DType dtype, const Shape& shape) {
    InferInput& seen = state(id).seen;
    seen.present = true;
    seen.is_tensor = true;
    seen.dtype = dtype;
    seen.shape = shape;
  }

  void set_input(ValueId id, const InputKey& key) {
    if (key.dtype != DType::undefined) set_shape(id, key.dtype, key.shape);
  }

  std::string describe(const Node& node) {
    std::string text;
    for (ValueId id : node.inputs) {
      if (!text.empty()) text += ", ";
      if (id == kNoValue)
        text += "none";
      else if (const InferInput& in = state(id).seen; in.is_tensor)
        text += cat(in.dtype, "(", in.shape, ")");
      else
        text += "unknown";
    }
    return text;
  }

  // The node's inputs for infer; false where a tensor's shape is not known yet.
  bool gather_inputs(const Node& node, std::vector<InferInput>& inputs) {
    inputs.resize(node.inputs.size());
    for (size_t i = 0; i < inputs.size(); i++) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue) continue;
      if (!state(id).seen.present) return false;
      inputs[i] = state(id).seen;
      inputs[i].value = state(id).value;
    }
    return true;
  }

  void visit(int n, const Node& node) {
    Step step;
    step.node = n;
    std::vector<InferInput> inputs;
    std::vector<InferOutput> outputs(node.outputs.size());
    for (size_t o = 0; o < outputs.size(); o++) outputs[o].wanted = node.outputs[o] != kNoValue;
    InferContext context(inputs, outputs);
    if (gather_inputs(node, inputs)) {
      context = InferContext(inputs, outputs);
      node.op->infer(context);
      step.dynamic = context.deferred();
    } else {
      step.dynamic = true;
    }
    if (!step.dynamic) {
      if (fold(node, inputs, outputs)) return;
      state_outputs(node, outputs, step);
      plan_.macs += macs_of(*node.op, inputs, outputs);
    }
    step.view = node.op->view_of() >= 0;
    plan_.steps.push_back(std::move(step));
  }

  void state_outputs(const Node& node, const std::vector<InferOutput>& outputs, Step& step) {
    step.outputs.resize(outputs.size());
    for (size_t o = 0; o < outputs.size(); o++) {
      if (!outputs[o].wanted) continue;
      Placement& place = step.outputs[o];
      check(outputs[o].state != InferOutput::State::unset, ErrorCode::unsupported_operator, "output ", o,
            " is not supported");
      if (outputs[o].state == InferOutput::State::deferred) {
        place.kind = Placement::Kind::deferred;
        continue;
      }
      place.kind = Placement::Kind::heap;
      place.dtype = outputs[o].dtype;
      place.shape = outputs[o].shape;
      if (place.dtype != DType::string) dtype_bytes(place.dtype, place.shape.count());  // throws where it overflows
      set_shape(node.outputs[o], place.dtype, place.shape);
    }
  }

  // Runs the node now where all it reads is known and its results are small.
  bool fold(const Node& node, const std::vector<InferInput>& inputs, const std::vector<InferOutput>& outputs) {
    const bool shapes_only = node.op->reads_shapes_only();
    if (node.op->is_random() || node.inputs.empty() || !subgraphs(node).empty()) return false;
    for (const InferInput& in : inputs) {
      if (in.present && (shapes_only ? !in.is_tensor : !in.value)) return false;
    }
    for (const InferOutput& out : outputs) {
      if (out.wanted && (out.state != InferOutput::State::known || out.shape.count() > kMostFolded)) return false;
    }
    std::vector<Value> shapes(inputs.size());
    std::vector<const Value*> given(inputs.size(), nullptr);
    for (size_t i = 0; i < inputs.size(); i++) {
      if (!inputs[i].present) continue;
      if (!inputs[i].value) shapes[i] = Tensor::without_data(inputs[i].dtype, inputs[i].shape);
      given[i] = inputs[i].value ? inputs[i].value : &shapes[i];
    }
    std::vector<char> wanted;
    for (const InferOutput& out : outputs) wanted.push_back(out.wanted);
    std::vector<Value> results = evaluate(*node.op, given, wanted);
    for (size_t o = 0; o < results.size(); o++) {
      if (!wanted[o]) continue;
      const ValueId id = node.outputs[o];
      Value& known = plan_.known[static_cast<size_t>(id)] = std::move(results[o]);
      set_shape(id, known.tensor().dtype(), known.tensor().shape());
      state(id).value = &known;
    }
    return true;
  }

  const Graph& graph_;
  Plan& plan_;
  std::vector<State> states_;
};

}  // namespace

void check_declared(const ValueInfo& output, DType dtype) {
  const Type& type = output.type;
  if (type.kind != Type::Kind::tensor || type.dtype == DType::undefined || type.dtype == dtype) return;
  fail(ErrorCode::invalid_model,
       cat("output \"", output.name, "\" is declared as ", type.dtype, ", but the model computes ", dtype));
}

Plan make_plan(const Graph& graph, std::vector<InputKey> key) {
  Plan plan;
  plan.key = std::move(key);
  Inference(graph, plan).run();
  place_outputs(graph, plan);
  return plan;
}

}  // namespace sardonyx
