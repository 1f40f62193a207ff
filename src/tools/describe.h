// A model as JSON, for viewers: web/src/tools/types.ts has its form (ModelDescription).
#pragma once
#include <string>

#include "tools/model_file.h"

namespace sardonyx::tools {

std::string describe(const ModelFile& file);

// {"nodes": of the graph and its inner graphs, "operators": {type: nodes}}; functions are not counted.
std::string count_nodes(const pb::ModelProto& model);

}  // namespace sardonyx::tools
