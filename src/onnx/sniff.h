// What bytes that are no ONNX model look like.
#pragma once
#include <span>
#include <string>

namespace sardonyx::onnx {

// A sentence about what `start` (the first bytes of a file) is, where it is something well known other than a model
// ("this is HTML, ..."); empty where it may be a model.
std::string describe_foreign_bytes(std::span<const unsigned char> start);

}  // namespace sardonyx::onnx
