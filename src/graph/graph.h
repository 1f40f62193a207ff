// The graph of a model: values and nodes by number, in an order that can be run.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/value.h"
#include "graph/attributes.h"

namespace sardonyx {

class Operator;

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an optional input or output that is left out

struct ValueInfo {
  std::string name;       // unique in its graph; may be empty for values that passes make
  Type type;              // as declared by the model; Kind::unknown where it says nothing
  Tensor constant;        // defined for initializers and constants; without data once every user has packed it
  bool is_input = false;  // of its graph; with a constant: the default of an input that may be left out
};

struct Node {
  std::string name;    // may be empty
  std::string domain;  // "" is ai.onnx
  std::string op_type;
  int opset = 0;                 // version of the domain
  std::vector<ValueId> inputs;   // kNoValue where left out
  std::vector<ValueId> outputs;  // likewise
  Attributes attributes;
  std::shared_ptr<Operator> op;  // set by bind_operators() of ops/

  // The name for messages: the node's, else its first output's.
  std::string label(const struct Graph& graph) const;
};

// A value of the enclosing graph that a subgraph uses: the inner value is bound to the outer one before a run.
struct Capture {
  ValueId outer;
  ValueId inner;
};

struct Graph {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<Node> nodes;  // topological order
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<Capture> captures;  // subgraphs only

  ValueId add_value(std::string name = {});
  const ValueInfo& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  ValueInfo& value(ValueId id) { return values[static_cast<size_t>(id)]; }
  // Is this a constant that no feed can replace?
  bool is_constant(ValueId id) const { return id >= 0 && value(id).constant.defined() && !value(id).is_input; }
};

// All graphs in the attributes of `node`, in their order.
std::vector<std::shared_ptr<Graph>> subgraphs(const Node& node);

// The outer values that the subgraphs of `node` use (each once): inputs of the node that are not in its list.
std::vector<ValueId> captured_values(const Node& node);

// Sorts graph.nodes topologically, stably. Throws Error (invalid_model) that names a node of the cycle if there is one.
void sort_nodes(Graph& graph);

struct OpsetImport {
  std::string domain;
  int64_t version;
};

struct Model {
  Graph graph;
  int64_t ir_version = 0;
  std::string producer_name, producer_version, domain, doc_string;
  int64_t model_version = 0;
  std::vector<OpsetImport> opset_imports;
  std::vector<std::pair<std::string, std::string>> metadata;
};

}  // namespace sardonyx
