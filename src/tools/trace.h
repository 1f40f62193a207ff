// The values between a model's nodes, for those who look at what a run makes of them.
#pragma once
#include <string>
#include <vector>

#include "onnx.pb.h"

namespace sardonyx::tools {

// JSON: the outputs of the main graph's nodes, in order: [{value, index, name, opType, bytes}...]; bytes is null where
// value_info does not say it.
std::string list_values(const pb::ModelProto& model);

// The model with these values of its main graph as outputs, and only the nodes that they need; its inputs are all
// there.
pb::ModelProto part_of(const pb::ModelProto& model, const std::vector<std::string>& outputs);

}  // namespace sardonyx::tools
