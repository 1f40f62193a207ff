// From the parsed form with names to a Graph with ids: scopes, captures, constants, functions inlined.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "onnx/source.h"

namespace sardonyx::onnx {

inline constexpr ValueId kUnknownName = -2;

// A call of a local function that is being inlined.
struct FunctionCall {
  const FunctionSource& function;
  const FunctionCall* caller;               // null for a call in the model's own graphs
  std::vector<AttributeSource> attributes;  // what the call gives, and the defaults of the rest
};

// Where names are looked up: one per graph, and one per inlined call, which shares its caller's graph. The views point
// into the source.
struct Scope {
  Graph& graph;
  std::unordered_set<std::string>& used;  // names of values that the graph has
  Scope* outer;                           // of the enclosing graph; null in the main graph and in functions
  const FunctionCall* call;               // null in the model's own graphs
  std::string prefix;                     // of the names of values and nodes that inlining makes
  std::unordered_map<std::string_view, ValueId> names;
  std::unordered_map<std::string_view, ValueId> bound;  // outputs of a function that are not produced yet
};

// Counts graphs and calls that are inside one another. Throws Error (invalid_model) where they are too deep.
class DepthGuard {
 public:
  explicit DepthGuard(int& depth);
  ~DepthGuard() { depth_--; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

// Builds one model. Errors are invalid_model and name the node.
class GraphBuilder {
 public:
  // Both must outlive the builder. What the nodes of the model's graph are made of goes with them.
  GraphBuilder(ModelSource& source, Expansion& expansion);
  void build(Graph& to);

 private:
  // A graph, in the scope `outer` if it is a subgraph.
  void build_graph(const GraphSource& source, Scope* outer, Graph& to);
  void declare_inputs(const GraphSource& source, Scope& scope);
  void declare_initializers(const GraphSource& source, Scope& scope);
  void resolve_outputs(const GraphSource& source, Scope& scope);

  // All names that the nodes define first, as nodes need not be in order; then the nodes.
  void add_nodes(const std::vector<NodeSource>& nodes, Scope& scope);
  // Lets go of what no name refers to, where it is a node of the model's graph.
  void let_go(const NodeSource& node);
  void declare_outputs(const NodeSource& node, Scope& scope);
  void add_node(const NodeSource& node, Scope& scope);
  void add_attribute(const std::string& name, const AttributeSource& attribute, Scope& scope, Node& to);

  ValueId add_value(std::string_view name, Scope& scope);
  // kUnknownName where there is none; kNoValue for an input of a function that the call leaves out.
  ValueId lookup(std::string_view name, Scope& scope);
  ValueId declare(std::string_view name, Scope& scope);
  std::vector<ValueId> resolve_inputs(const NodeSource& node, Scope& scope);

  const FunctionSource* find_function(const NodeSource& node) const;
  void inline_call(const FunctionSource& function, const NodeSource& node, Scope& caller);
  void bind_inputs(const NodeSource& node, Scope& caller, Scope& body);
  void finish_outputs(const NodeSource& node, Scope& caller, Scope& body);
  std::vector<AttributeSource> bind_attributes(const FunctionSource& function, const NodeSource& node,
                                               const FunctionCall* caller);
  int opset(std::string_view domain, const FunctionCall* call) const;
  void charge(const NodeSource& node, const Scope& scope);

  ModelSource& source_;
  Expansion& expansion_;
  OpsetMap opsets_;
  std::unordered_map<std::string, const FunctionSource*> functions_;
  int depth_ = 0;  // of graphs and calls
  uint64_t unique_ = 0;
};

// The attribute itself, or what it refers to in the call; null where the call leaves that out. Throws Error
// (invalid_model) for a reference outside of a function.
const AttributeSource* resolve(const AttributeSource& attribute, const FunctionCall* call);

// The value of a Constant node. Throws Error (invalid_model).
Tensor constant_value(const NodeSource& node, const FunctionCall* call);

}  // namespace sardonyx::onnx
