// Every pass, one file each; optimize.cpp lists them. A pass changes one graph; its subgraphs come by themselves,
// before it.
#pragma once
#include "graph/graph.h"

namespace sardonyx {

// Constants of an enclosing graph become constants of the subgraphs that use them (the bytes are shared), so that
// inference and packing see them there. Works from the outside in, on all levels at once.
void pass_constants_to_subgraphs(Graph& graph);
// Nodes whose inputs are all constant become constants, unless that would take much more memory.
void fold_constants(Graph& graph);
// Identity, and Dropout that is one: users read the input itself.
void remove_identities(Graph& graph);
// Nodes, and constants, that no output needs.
void remove_dead(Graph& graph);
// BatchNormalization into the convolution before it.
void fuse_batch_normalization(Graph& graph);
// Relu and Clip into the product before them.
void fuse_clamp(Graph& graph);

}  // namespace sardonyx
