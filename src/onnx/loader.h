// From the bytes of an .onnx file to a Model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace sardonyx {

// The bytes of a model as they arrive, in blocks. Each block is freed once it is parsed.
class ByteBlocks {
 public:
  // A block of `size` writable bytes; it counts once commit() says how many of them were filled. Throws Error
  // (out_of_memory).
  std::byte* allocate(size_t size);
  void commit(size_t filled);
  uint64_t size() const noexcept { return total_; }

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
  };
  const std::vector<Block>& blocks() const noexcept { return blocks_; }
  std::vector<Block> take() && { return std::move(blocks_); }

 private:
  std::vector<Block> blocks_;
  size_t open_ = 0;  // bytes of the last block while it waits for commit()
  uint64_t total_ = 0;
};

// Fills `to` with bytes [offset, offset + to.size()) of the external data file `location` (a relative path as the model
// writes it). Throws Error (invalid_argument) where it does not have it.
using ExternalData = std::function<void(const std::string& location, uint64_t offset, std::span<std::byte> to)>;

struct LoadOptions {
  ExternalData external_data;  // may be empty: external data is then an error that names the file wanted
};

// Parses, checks names and references, turns Constant nodes into constants, inlines local functions, resolves
// outer-scope names to captures, sorts. Operators are not bound. Throws Error (invalid_model: what and where, also when
// the bytes are HTML, text or empty; out_of_memory; invalid_argument for missing external data).
Model load_model(ByteBlocks&& bytes, const LoadOptions& options);

// The values of a TensorProto, as in the test data's .pb files. Throws Error (invalid_model).
Tensor parse_tensor(std::span<const std::byte> bytes);

}  // namespace sardonyx
