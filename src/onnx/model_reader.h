// Reads a ModelProto from its bytes piece by piece, so that the weights are in memory once.
#pragma once
#include "onnx/loader.h"
#include "onnx/source.h"

namespace sardonyx::onnx {

// Bytes that are known to be something else than a model are refused with their kind. Nodes and initializers are turned
// into their parsed form one at a time. Throws Error (invalid_model).
ModelSource read_model(ModelBytes& bytes, const LoadOptions& options, Expansion& expansion);

}  // namespace sardonyx::onnx
