// Fewer nodes for the same outputs, in the standard's own operators.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tools/editor.h"
#include "tools/inference.h"

namespace sardonyx::tools {

// What the passes may rely on.
struct Facts {
  const Inference& inference;
  const Inference::Values& values;  // of the graph
  int64_t opset = 0;                // of ai.onnx
};

// Passes over the main graph; each says whether it changed anything. They are repeated until none does.
bool fold_shapes(Editor& graph, const Facts& facts);    // integers that shapes give
bool constants_to_initializers(Editor& graph);          // Constant nodes
bool remove_no_ops(Editor& graph, const Facts& facts);  // Identity, Dropout, Cast to the same type...
bool merge_same(Editor& graph);                         // nodes that compute the same
bool merge_moves(Editor& graph, const Facts& facts);    // Transpose of Transpose, Reshape of Reshape
bool merge_affine(Editor& graph, const Facts& facts);   // into convolutions and products
bool merge_pads(Editor& graph, const Facts& facts);     // into convolutions

struct SimplifyOptions {
  bool fold = true, remove = true, merge = true;
};
// All of them once, with the engine's report. True where something changed.
bool simplify_once(pb::ModelProto& model, std::string_view report, const SimplifyOptions& options);

// A model without inputs that computes what follows from constants alone, and not more than `limit` bytes per value
// where that is more than its inputs have; empty where there is nothing. Random operators, control flow, dequantized
// weights and other people's operators stay.
std::string constant_part(const pb::ModelProto& model, std::string_view report, uint64_t limit);
// computed: the initializers of a GraphProto, in wire format.
void take_computed(pb::ModelProto& model, std::string_view computed);

}  // namespace sardonyx::tools
