// ONNX Gradient (ai.onnx.preview.training), written out before operators are bound.
#pragma once
#include "graph/graph.h"

namespace sardonyx {

// Puts the nodes that compute its derivatives in the place of each Gradient, in subgraphs too. Throws Error:
// unsupported_operator for operators without a rule (optimize/derivatives.h), invalid_model for names that are no
// values of the graph.
void expand_gradients(Graph& graph);

}  // namespace sardonyx
