// Every pass, one file each; optimize.cpp lists them. A pass changes one graph; its subgraphs come by themselves,
// before it. All take time linear in the graph's size.
#pragma once
#include "graph/graph.h"
#include "optimize/static_types.h"

namespace sardonyx {

// Throws Error (invalid_model) for the first node, in subgraphs too, that has too few or too many inputs: the passes
// read inputs by their position.
void check_counts(const Graph& graph);
// Constants of an enclosing graph become constants of the subgraphs that use them (the bytes are shared), so that
// inference and packing see them there. Works from the outside in, on all levels at once.
void pass_constants_to_subgraphs(Graph& graph);
// Nodes whose inputs are all constant become constants, unless that would take much more memory.
void fold_constants(Graph& graph);
// Nodes, and constants, that no output needs.
void remove_dead(Graph& graph);

// Identity; casts, reshapes, transposes, pads and slices that change nothing; x + 0 and x * 1: users read the input
// itself.
void remove_no_ops(Graph& graph, const StaticTypes& types);
// Of nodes that compute the same from the same, one remains. Before any pass that changes operators.
void merge_common_subexpressions(Graph& graph, const StaticTypes& types);
// Reshape after Reshape, Transpose after Transpose.
void merge_views(Graph& graph, const StaticTypes& types);
// Gelu, Swish, HardSwish and HardSigmoid that are written out.
void recognize_activations(Graph& graph, const StaticTypes& types);
// LayerNormalization and RMSNormalization that are written out.
void recognize_norms(Graph& graph, const StaticTypes& types);
// Attention that is written out.
void recognize_attention(Graph& graph, const StaticTypes& types);
// Zeros that are put around what a convolution or a pool reads.
void fuse_pads(Graph& graph, const StaticTypes& types);
// Operators between DequantizeLinear and QuantizeLinear, as operators on the quantized values. Before constants are
// folded, so that weights stay quantized.
void fuse_quantized(Graph& graph, const StaticTypes& types);
// Integer products whose sums are scaled to floats, as one node (what dynamic quantization writes).
void fuse_integers(Graph& graph, const StaticTypes& types);
// What follows a product and can be done in its epilogue; scales and shifts that follow one another.
void fuse_products(Graph& graph, const StaticTypes& types);

}  // namespace sardonyx
