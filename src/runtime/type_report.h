// Types and shapes of all values of a model, and the nodes that cannot be: what sardonyx/tools infers with.
#pragma once
#include <string>

#include "onnx/loader.h"

namespace sardonyx {

// Texts that end in 0 each, in records:
//   "T" scope, value, number of its element type, rank, and per dimension a size, "=" and a symbol's name, or
//       "?" and a text that is the same for dimensions that are alike for all feeds
//   "V" scope, value, count, elements: integers that shapes give, the same for all feeds
//   "E" scope, node's first output, error code, reason
// The scope of the main graph is empty; that of a graph in an attribute is the outer scope, "/", the node's first
// output, "/", the attribute's name. Throws what load_model() throws.
std::string report_types(ModelBytes&& bytes, const LoadOptions& options);

}  // namespace sardonyx
