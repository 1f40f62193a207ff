// A model under a newer version of ai.onnx, where that is a matter of names and of attributes that became inputs.
#pragma once
#include "onnx.pb.h"

namespace sardonyx::tools {

// Throws Error (invalid_argument) that names every node for which it is more than that; the model is as it was then.
// Only upwards.
void convert_opset(pb::ModelProto& model, int64_t version);

}  // namespace sardonyx::tools
