// The loader's entry points.
#include "onnx/loader.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <array>
#include <climits>
#include <cstring>
#include <new>

#include "base/error.h"
#include "onnx/graph_builder.h"
#include "onnx/model_reader.h"
#include "onnx/sniff.h"
#include "onnx/tensor_proto.h"

namespace sardonyx {
namespace {

// Throws where the bytes are known to be something else than a model.
void check_start(const std::vector<ByteBlocks::Block>& blocks) {
  std::array<unsigned char, 512> start;
  size_t have = 0;
  for (const ByteBlocks::Block& block : blocks) {
    const size_t count = std::min(start.size() - have, block.size);
    if (count > 0) memcpy(start.data() + have, block.bytes.get(), count);
    have += count;
  }
  std::string foreign = onnx::describe_foreign_bytes(std::span(start.data(), have));
  if (!foreign.empty()) fail(ErrorCode::invalid_model, std::move(foreign));
}

Model load(ByteBlocks&& bytes, const LoadOptions& options) {
  const uint64_t size = bytes.size();
  check(size > 0, ErrorCode::invalid_model, "the model is empty (0 bytes)");
  check(size < INT_MAX, ErrorCode::invalid_model, "the model has ", size,
        " bytes; an ONNX file ends at 2 GB, larger weights are external data");
  check_start(bytes.blocks());
  onnx::Expansion expansion(size);
  onnx::ModelSource source = onnx::read_model(std::move(bytes), options, expansion);
  Model model;
  onnx::GraphBuilder(source, expansion).build(model.graph);
  Graph graph = std::move(model.graph);
  model = std::move(source.header);
  model.graph = std::move(graph);
  return model;
}

}  // namespace

Model load_model(ByteBlocks&& bytes, const LoadOptions& options) {
  const uint64_t size = bytes.size();
  try {
    return load(std::move(bytes), options);
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory, cat("no memory to load a model of ", size, " bytes"));
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
