// A model in the text of the standard's printer, which its parser reads back.
#pragma once
#include <string>

#include "onnx.pb.h"

namespace sardonyx::tools {

// exact: floats of attributes in as many digits as they need; else in six, as onnx.printer has them.
std::string print_model(const pb::ModelProto& model, bool exact);

}  // namespace sardonyx::tools
