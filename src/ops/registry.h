// From (domain, type, opset) to operators.
#pragma once
#include "graph/graph.h"

namespace sardonyx {

// Gives every node of the graph and its subgraphs its operator. Throws one Error (unsupported_operator) that lists all
// operators that are not known, each with a node's name; or the first Error (invalid_model) of a constructor, with its
// node; an attribute that no constructor read is such an error.
void bind_operators(Graph& graph);

// The operator for one node, likewise.
void bind_operator(Node& node, const Graph& graph);

// "Softmax-13" of every implemented operator and version, domains other than ai.onnx in front ("ai.onnx.ml.Scaler-1").
std::vector<std::string> implemented_operators();

}  // namespace sardonyx
