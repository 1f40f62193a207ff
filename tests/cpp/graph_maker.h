// Builds small graphs by names, for tests of the runtime and the passes.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace sardonyx::testing {

// Values come into being when they are first named. Opset 17.
class GraphMaker {
 public:
  // An input; `dims` < 0 are not fixed, and those below -1 have a name: the same for the same number.
  GraphMaker& input(const std::string& name, DType dtype, std::vector<int64_t> dims) {
    const ValueId value = id(name);
    Type& type = graph_->value(value).type;
    type.kind = Type::Kind::tensor;
    type.dtype = dtype;
    type.has_shape = true;
    for (int64_t d : dims) type.shape.push_back({std::max<int64_t>(d, -1), d < -1 ? "n" + std::to_string(-d) : ""});
    graph_->value(value).is_input = true;
    graph_->inputs.push_back(value);
    return *this;
  }
  GraphMaker& constant(const std::string& name, Tensor tensor) {
    graph_->value(id(name)).constant = std::move(tensor);
    return *this;
  }
  GraphMaker& node(const std::string& type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                   Attributes attributes = {}) {
    Node node;
    node.op_type = type;
    node.name = type + "_" + std::to_string(graph_->nodes.size());
    node.opset = 17;
    for (const auto& name : inputs) node.inputs.push_back(name.empty() ? kNoValue : id(name));
    for (const auto& name : outputs) node.outputs.push_back(name.empty() ? kNoValue : id(name));
    node.attributes = std::move(attributes);
    graph_->nodes.push_back(std::move(node));
    return *this;
  }
  GraphMaker& output(const std::string& name) {
    graph_->outputs.push_back(id(name));
    return *this;
  }
  // In a subgraph: `inner` is the value `outer` of the graph that `parent` makes.
  GraphMaker& capture(GraphMaker& parent, const std::string& outer, const std::string& inner) {
    graph_->captures.push_back({parent.id(outer), id(inner)});
    return *this;
  }
  std::shared_ptr<Graph> graph() { return graph_; }
  Model model() {
    Model m;
    m.graph = std::move(*graph_);
    return m;
  }
  ValueId id(const std::string& name) {
    const auto [at, fresh] = ids_.try_emplace(name, 0);
    if (fresh) at->second = graph_->add_value(name);
    return at->second;
  }

 private:
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::map<std::string, ValueId> ids_;
};

inline Attributes attribute(std::string name, AttributeValue value) {
  Attributes a;
  a.add(std::move(name), std::move(value));
  return a;
}

}  // namespace sardonyx::testing
