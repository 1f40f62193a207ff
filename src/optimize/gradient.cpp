// Reverse-mode differentiation of the nodes between the tensors that a Gradient names.
#include "optimize/gradient.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "optimize/derivatives.h"

namespace sardonyx {
namespace {

using IdMap = std::map<ValueId, ValueId>;

bool is_gradient(const Node& node) { return node.op_type == "Gradient" && node.domain == "ai.onnx.preview.training"; }

class Expansion {
 public:
  Expansion(Graph& graph, const Node& gradient) : graph_(graph), gradient_(gradient), writer_(graph) {}

  std::vector<Node> run() {
    const Attributes& a = gradient_.attributes;
    const std::vector<ValueId> xs = ids_of(a.strings("xs"));
    std::vector<ValueId> all = xs;
    const std::vector<ValueId> zs = ids_of(a.strings("zs"));
    all.insert(all.end(), zs.begin(), zs.end());
    check(!xs.empty(), ErrorCode::invalid_model, "attribute \"xs\" is missing or empty");
    check(gradient_.inputs.size() == all.size(), ErrorCode::invalid_model,
          "takes an input for each of xs and zs: ", all.size(), ", not ", gradient_.inputs.size());
    check(gradient_.outputs.size() <= xs.size(), ErrorCode::invalid_model, "has more outputs than xs");
    const ValueId y = id_of(a.string("y"));
    find_nodes(y, all);
    mark_dependent(xs);
    const IdMap values = forward(all);
    backward(at(values, y));
    for (size_t i = 0; i < gradient_.outputs.size(); i++) {
      if (gradient_.outputs[i] != kNoValue) give(at(values, xs[i]), gradient_.outputs[i]);
    }
    return std::move(writer_.nodes);
  }

 private:
  ValueId id_of(const std::string& name) const {
    for (size_t i = 0; i < graph_.values.size(); i++) {
      if (graph_.values[i].name == name && !name.empty()) return static_cast<ValueId>(i);
    }
    fail(ErrorCode::invalid_model, cat("there is no tensor \"", name, "\" in the graph"));
  }
  std::vector<ValueId> ids_of(const std::vector<std::string>& names) const {
    std::vector<ValueId> ids;
    for (const std::string& name : names) ids.push_back(id_of(name));
    return ids;
  }
  static ValueId at(const IdMap& values, ValueId id) {
    const auto it = values.find(id);
    return it == values.end() ? id : it->second;
  }

  // The nodes that y is computed by from `ends`, in the graph's order.
  void find_nodes(ValueId y, const std::vector<ValueId>& ends) {
    std::vector<char> needed(graph_.values.size(), 0);
    needed[static_cast<size_t>(y)] = 1;
    const auto is_end = [&](ValueId id) { return std::find(ends.begin(), ends.end(), id) != ends.end(); };
    for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
      const bool makes = std::any_of(node->outputs.begin(), node->outputs.end(), [&](ValueId id) {
        return id != kNoValue && needed[static_cast<size_t>(id)] && !is_end(id);
      });
      if (!makes) continue;
      nodes_.push_back(*node);
      for (ValueId id : node->inputs) {
        if (id != kNoValue) needed[static_cast<size_t>(id)] = 1;
      }
    }
    std::reverse(nodes_.begin(), nodes_.end());
  }

  // Values that depend on xs, and the nodes that make them.
  void mark_dependent(const std::vector<ValueId>& xs) {
    std::vector<char> depends(graph_.values.size(), 0);
    for (ValueId id : xs) depends[static_cast<size_t>(id)] = 1;
    for (const Node& node : nodes_) {
      const bool does = std::any_of(node.inputs.begin(), node.inputs.end(),
                                    [&](ValueId id) { return id != kNoValue && depends[static_cast<size_t>(id)]; });
      dependent_.push_back(does);
      for (ValueId id : node.outputs) {
        // Not the xs themselves: what computes them is none of our business.
        if (id != kNoValue && does) depends[static_cast<size_t>(id)] = 1;
      }
    }
  }

  // The nodes again, at the values that the Gradient is fed; nothing to do where these are xs and zs themselves.
  IdMap forward(const std::vector<ValueId>& ends) {
    IdMap values;
    if (ends == gradient_.inputs) return values;
    for (size_t i = 0; i < ends.size(); i++) values[ends[i]] = gradient_.inputs[i];
    for (Node& node : nodes_) {
      check(subgraphs(node).empty(), ErrorCode::unsupported_operator, "Gradient cannot differentiate ", node.op_type);
      for (ValueId& id : node.inputs) id = at(values, id);
      for (ValueId& id : node.outputs) {
        if (id == kNoValue) continue;
        const ValueId copy = graph_.add_value();
        if (!values.contains(id)) values[id] = copy;
        id = copy;
      }
      node.name.clear();
      writer_.nodes.push_back(node);
    }
    return values;
  }

  void add(ValueId to, ValueId gradient) {
    const auto [it, first] = gradients_.emplace(to, gradient);
    if (!first) it->second = writer_.node("Add", {it->second, gradient});
  }

  void backward(ValueId y) {
    add(y, writer_.filled(1, y));
    for (size_t n = nodes_.size(); n-- > 0;) {
      const Node& node = nodes_[n];
      if (!dependent_[n]) continue;
      check(node.outputs.size() == 1, ErrorCode::unsupported_operator, "Gradient cannot differentiate ", node.op_type,
            " with ", node.outputs.size(), " outputs");
      const auto gradient = gradients_.find(node.outputs[0]);
      if (gradient == gradients_.end()) continue;
      const std::vector<ValueId> parts = derivatives(node, gradient->second, writer_);
      for (size_t i = 0; i < parts.size(); i++) {
        if (parts[i] != kNoValue && node.inputs[i] != kNoValue) add(node.inputs[i], parts[i]);
      }
    }
  }

  void give(ValueId x, ValueId output) {
    const auto gradient = gradients_.find(x);
    const ValueId value = gradient == gradients_.end() ? writer_.filled(0, x) : gradient->second;
    writer_.node("Identity", {value});
    writer_.nodes.back().outputs[0] = output;
  }

  Graph& graph_;
  const Node& gradient_;
  NodeWriter writer_;
  std::vector<Node> nodes_;      // between xs, zs and y
  std::vector<char> dependent_;  // of these: on xs?
  IdMap gradients_;
};

}  // namespace

void expand_gradients(Graph& graph) {
  for (Node& node : graph.nodes) {
    for (const auto& inner : subgraphs(node)) expand_gradients(*inner);
  }
  for (;;) {
    const auto it = std::find_if(graph.nodes.begin(), graph.nodes.end(), is_gradient);
    if (it == graph.nodes.end()) return;
    const Node gradient = std::move(*it);
    graph.nodes.erase(it);
    try {
      std::vector<Node> nodes = Expansion(graph, gradient).run();
      std::move(nodes.begin(), nodes.end(), std::back_inserter(graph.nodes));
    } catch (Error& e) {
      e.op_type = gradient.op_type;
      e.node = gradient.label(graph);
      throw;
    }
    sort_nodes(graph);
  }
}

}  // namespace sardonyx
