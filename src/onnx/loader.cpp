// The loader's entry points.
#include "onnx/loader.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <climits>
#include <new>

#include "base/error.h"
#include "onnx/graph_builder.h"
#include "onnx/model_reader.h"
#include "onnx/tensor_proto.h"

namespace sardonyx {
namespace {

Model load(ModelBytes& bytes, const LoadOptions& options) {
  const uint64_t size = bytes.size();
  check(size > 0, ErrorCode::invalid_model, "the model is empty (0 bytes)");
  check(size < INT_MAX, ErrorCode::invalid_model, "the model has ", size,
        " bytes; an ONNX file ends at 2 GB, larger weights are external data");
  onnx::Expansion expansion(size);
  onnx::ModelSource source = onnx::read_model(bytes, options, expansion);
  Model model;
  onnx::GraphBuilder(source, expansion).build(model.graph);
  Graph graph = std::move(model.graph);
  model = std::move(source.header);
  model.graph = std::move(graph);
  return model;
}

}  // namespace

Model load_model(ModelBytes&& bytes, const LoadOptions& options) {
  try {
    return load(bytes, options);
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory, cat("no memory to load a model of ", bytes.size(), " bytes"));
  }
}

Tensor parse_tensor(std::span<const std::byte> bytes) {
  check(bytes.size() < INT_MAX, ErrorCode::invalid_model, "a tensor of ", bytes.size(), " bytes is too large");
  const int size = static_cast<int>(bytes.size());
  google::protobuf::io::ArrayInputStream stream(bytes.data(), size);
  onnx::WireReader in(&stream, size, "tensor");
  onnx::Expansion expansion(bytes.size());
  const LoadOptions options;
  return onnx::read_tensor_fields(in, "tensor", {options, expansion}).tensor;
}

}  // namespace sardonyx
