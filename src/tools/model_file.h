// A model as its file has it: the message, nothing lost, and where the raw bytes of tensors lie.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx.pb.h"

namespace sardonyx::tools {

struct Range {
  uint64_t offset = 0, length = 0;
};

struct ModelFile {
  pb::ModelProto proto;
  // Of the main graph's initializers, in order; length 0 where one has no raw bytes.
  std::vector<Range> initializers;
  // Of tensors in attributes of the main graph's nodes, by node and attribute.
  std::map<std::pair<int, int>, Range> attributes;
};

// Throws Error (invalid_model) for bytes that are no model, and says what they are where that is known.
ModelFile parse_model(std::string_view bytes);

// The .onnx file. Throws Error (invalid_argument) where it would pass protobuf's 2 GB.
std::string model_bytes(const pb::ModelProto& model);

// The bytes as they stand, moved to one file of external data: every tensor of the graph and its subgraphs with at
// least `least` raw bytes points into `location`, at multiples of 64 bytes (section "External Tensor Data" of the
// standard).
std::string move_out_tensors(pb::ModelProto& model, const std::string& location, uint64_t least);

// Gives a named dimension of the inputs its size, everywhere. Error (invalid_argument) where no input has it.
void fix_dimension(pb::ModelProto& model, const std::string& name, int64_t size);
// Gives an input its shape. Error (invalid_argument) where there is no such tensor, or its shape says something else.
void fix_input(pb::ModelProto& model, const std::string& name, const std::vector<int64_t>& sizes);

// The other way: what tensors of the graph and its subgraphs lie in other files, as JSON
// ([{location, offset, length}...]), in the order of inline_tensor()'s `index`.
std::string external_tensors(pb::ModelProto& model);
void inline_tensor(pb::ModelProto& model, size_t index, std::string_view bytes);
// The references to other files are taken out; every tensor that had one has its bytes.
void end_inlining(pb::ModelProto& model);

}  // namespace sardonyx::tools
