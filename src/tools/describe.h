// A model as JSON, for viewers: web/src/tools/types.ts has its form (ModelDescription).
#pragma once
#include <string>

#include "tools/model_file.h"

namespace sardonyx::tools {

std::string describe(const ModelFile& file);

}  // namespace sardonyx::tools
