// What the engine computes of constants: the model that it is handed, and what comes back.
#include <algorithm>

#include "base/dtype.h"
#include "base/error.h"
#include "tools/simplify.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

// Gathers the nodes that follow from constants, of a graph and those in it.
class Part {
 public:
  Part(const pb::ModelProto& model, const Inference& inference, double limit)
      : inference_(inference), limit_(limit), counts_(definitions(model.graph())) {
    part_.set_ir_version(std::max<int64_t>(model.ir_version(), 4));
    *part_.mutable_opset_import() = model.opset_import();
    part_.mutable_graph()->set_name("constants");
    graph(model.graph(), nullptr);
  }

  // The outputs are what others need.
  std::string take() {
    pb::GraphProto& g = *part_.mutable_graph();
    for (const auto& n : g.node())
      for (const auto& name : n.output())
        if (wanted_.contains(name)) g.add_output()->set_name(name);
    std::unordered_set<std::string> used;
    for (const auto& n : g.node()) used.insert(n.input().begin(), n.input().end());
    for (const auto* t : constants_)
      if (used.contains(t->name())) *g.add_initializer() = *t;
    return g.output().empty() ? std::string() : part_.SerializeAsString();
  }

 private:
  struct Scope {
    const Scope* outer;
    const Inference::Values& values;
  };

  static double bytes_of(const std::string& name, const Scope* scope) {
    for (; scope; scope = scope->outer) {
      const auto found = scope->values.find(name);
      if (found == scope->values.end()) continue;
      if (!found->second.has_shape) return -1;
      double count = 1;
      for (const KnownDim& d : found->second.dims) count *= static_cast<double>(d.value);
      const int dtype = std::atoi(found->second.code.c_str());
      return count < 0 || !is_dtype(dtype) ? -1 : count * dtype_bits(static_cast<DType>(dtype)) / 8;
    }
    return -1;
  }

  // Names that only one graph has can be in the part.
  bool is_alone(const std::string& name) const {
    const auto found = counts_.find(name);
    return found != counts_.end() && found->second == 1;
  }

  void graph(const pb::GraphProto& g, const Scope* outer) {
    const Scope scope{outer, inference_.values(g)};
    std::unordered_set<std::string_view> inputs, outputs;
    for (const auto& v : g.input()) inputs.insert(v.name());
    for (const auto& v : g.output()) outputs.insert(v.name()), wanted_.insert(v.name());
    for (const auto& t : g.initializer()) {
      if (inputs.contains(t.name()) || !is_alone(t.name())) continue;
      known_.insert(t.name());
      constants_.push_back(&t);
    }
    for (const auto& n : g.node()) {
      if (follows(n, outputs, scope)) {
        *part_.mutable_graph()->add_node() = n;
        for (const auto& name : n.output()) known_.insert(name);
        continue;
      }
      for (const auto& name : n.input()) wanted_.insert(name);
      for_each_subgraph(n, [&](const pb::GraphProto& inner) { graph(inner, &scope); });
    }
  }

  bool follows(const pb::NodeProto& n, const std::unordered_set<std::string_view>& outputs, const Scope& scope) const {
    if (!is_standard(n) || is_random(n) || has_subgraph(n) || n.op_type() == "DequantizeLinear" || n.output().empty())
      return false;
    double input_bytes = 0;
    for (const auto& name : n.input()) {
      if (name.empty()) continue;
      if (!known_.contains(name)) return false;
      input_bytes += std::max(0.0, bytes_of(name, &scope));
    }
    return std::ranges::all_of(n.output(), [&](const std::string& name) {
      if (name.empty() || outputs.contains(name) || !is_alone(name)) return false;
      const double bytes = bytes_of(name, &scope);
      return bytes >= 0 && (bytes <= limit_ || bytes <= input_bytes);
    });
  }

  const Inference& inference_;
  double limit_;
  Definitions counts_;
  pb::ModelProto part_;
  std::vector<const pb::TensorProto*> constants_;
  std::unordered_set<std::string> known_, wanted_;
};

}  // namespace

std::string constant_part(const pb::ModelProto& model, std::string_view report, uint64_t limit) {
  const Schemas schemas;
  Findings findings;
  const std::vector<char> none;
  const Inference inference(model, schemas, report, none, findings);
  return Part(model, inference, static_cast<double>(limit)).take();
}

namespace {

using Tensors = std::unordered_map<std::string, pb::TensorProto>;

void take(pb::GraphProto& g, const Tensors& tensors, Definitions& names) {
  Editor graph(g, names);
  for (int i = 0; i < graph.size(); i++) {
    const pb::NodeProto n = graph.node(i);
    if (std::ranges::none_of(n.output(), [&](const std::string& name) { return tensors.contains(name); })) continue;
    for (const auto& name : n.output()) {
      const auto tensor = tensors.find(name);
      if (tensor == tensors.end() || graph.make_constant(name, tensor->second)) continue;
      // One of several outputs: the others are constants too, or not used.
      graph.replace(name, graph.add_constant(name + "_constant", tensor->second));
    }
  }
  graph.finish();
  for (auto& n : *g.mutable_node()) for_each_subgraph(n, [&](pb::GraphProto& inner) { take(inner, tensors, names); });
}

}  // namespace

void take_computed(pb::ModelProto& model, std::string_view computed) {
  pb::GraphProto list;
  check(list.ParseFromArray(computed.data(), static_cast<int>(computed.size())), ErrorCode::invalid_argument,
        "the computed tensors are no tensors");
  Tensors tensors;
  for (auto& t : *list.mutable_initializer()) tensors[t.name()].Swap(&t);
  Definitions names = definitions(model.graph());
  take(*model.mutable_graph(), tensors, names);
}

}  // namespace sardonyx::tools
