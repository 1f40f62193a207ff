// The rules of the standard that need no values and no shapes: fields, names, order, operators, attributes.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/findings.h"
#include "tools/schemas.h"

namespace sardonyx::tools {

// What the rules for nodes depend on.
struct NodeRules {
  const Schemas& schemas;
  std::map<std::string, int64_t, std::less<>> opsets;  // of the model or the function
  std::map<std::string, bool, std::less<>> functions;  // the model's own, by function_key()
  int64_t ir_version = 0;
  const pb::FunctionProto* function = nullptr;  // the one whose body it is
};

std::string function_key(std::string_view domain, std::string_view name, std::string_view overload);
// "" for "ai.onnx".
std::string_view short_domain(std::string_view domain);
NodeRules rules_of(const pb::ModelProto& model, const Schemas& schemas);

// Reports everything at once. bad: by node of the main graph, does it (or a graph in it) break a rule?
void check_structure(const pb::ModelProto& model, const Schemas& schemas, Findings& findings, std::vector<char>& bad);

// One node without its place in the graph: operator, counts, attributes. Graphs in attributes are not looked into.
void check_node(const pb::NodeProto& node, const Place& place, const NodeRules& rules, Findings& findings);

// Type, shape, and as many elements as these say, in one field.
void check_tensor(const pb::TensorProto& tensor, const Place& place, Findings& findings);
void check_sparse(const pb::SparseTensorProto& tensor, const Place& place, Findings& findings);

}  // namespace sardonyx::tools
