// From (domain, type, opset) to operators.
#pragma once
#include <functional>

#include "graph/graph.h"
#include "ops/operator.h"

namespace sardonyx {

// Operators of the caller's own, asked before the families: null where the node is none of them.
using CustomOperators = std::function<std::unique_ptr<Operator>(const Node&)>;

// Gives every node of the graph and its subgraphs its operator. Throws one Error (unsupported_operator) that lists all
// operators that are not known, each with a node's name; or the first Error (invalid_model) of a constructor, with its
// node; an attribute that no constructor read is such an error (custom operators may leave some).
void bind_operators(Graph& graph, const CustomOperators& custom = {});

// The operator for one node, likewise.
void bind_operator(Node& node, const Graph& graph);

// "Softmax-13" of every implemented operator and version, domains other than ai.onnx in front ("ai.onnx.ml.Scaler-1").
std::vector<std::string> implemented_operators();

}  // namespace sardonyx
