// Fewer nodes for the same outputs, in the standard's own operators.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tools/editor.h"
#include "tools/inference.h"

namespace sardonyx::tools {

// What the passes may rely on in one graph.
struct Facts {
  const Inference& inference;
  const pb::GraphProto& graph;
  int64_t opset = 0;             // of ai.onnx
  const Facts* outer = nullptr;  // of the graph around it

  // Of a value of the graph or of those around it; null where nothing is.
  const Known* known(const std::string& name) const;
};

// Of the standard's own domain?
bool is_op(const pb::NodeProto& node, std::string_view type);
bool is_standard(const pb::NodeProto& node);
bool is_random(const pb::NodeProto& node);
bool has_subgraph(const pb::NodeProto& node);

// Passes over a graph; each says whether it changed anything. They are repeated until none does.
bool fold_shapes(Editor& graph, const Facts& facts);     // integers that shapes give
bool fix_targets(Editor& graph, const Facts& facts);     // computed shapes of Reshape and Expand
bool constants_to_initializers(Editor& graph);           // Constant nodes
bool remove_no_ops(Editor& graph, const Facts& facts);   // Identity, Dropout, Cast to the same type...
bool merge_same(Editor& graph);                          // nodes that compute the same
bool merge_moves(Editor& graph, const Facts& facts);     // Transpose of Transpose, Reshape of Reshape...
bool merge_affine(Editor& graph, const Facts& facts);    // into convolutions and products
bool merge_pads(Editor& graph, const Facts& facts);      // into convolutions and averages
bool merge_parts(Editor& graph, const Facts& facts);     // Concat of Concat, Slice of Slice
bool merge_products(Editor& graph, const Facts& facts);  // of one value with several matrices

// If nodes whose condition is a constant become their branch, in all graphs.
bool inline_branches(pb::ModelProto& model);

struct SimplifyOptions {
  bool fold = true, remove = true, merge = true;
};
// All of them once in every graph, with the engine's report. True where something changed.
bool simplify_once(pb::ModelProto& model, std::string_view report, const SimplifyOptions& options);

// A model without inputs that computes what follows from constants alone, and not more than `limit` bytes per value
// where that is more than its inputs have; empty where there is nothing. Random operators, control flow, dequantized
// weights and other people's operators stay.
std::string constant_part(const pb::ModelProto& model, std::string_view report, uint64_t limit);
// computed: the initializers of a GraphProto, in wire format.
void take_computed(pb::ModelProto& model, std::string_view computed);

}  // namespace sardonyx::tools
