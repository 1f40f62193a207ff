// The blocks that a model's bytes arrive in.
#include <new>

#include "base/error.h"
#include "onnx/loader.h"

namespace sardonyx {

std::byte* ByteBlocks::allocate(size_t size) {
  check(open_ == 0, ErrorCode::invalid_argument, "a block was asked for before the last one was committed");
  Block block;
  block.bytes.reset(new (std::nothrow) std::byte[size]);
  check(block.bytes != nullptr, ErrorCode::out_of_memory, "no memory for ", size, " bytes of the model, after ",
        total_);
  open_ = size;
  blocks_.push_back(std::move(block));
  return blocks_.back().bytes.get();
}

void ByteBlocks::commit(size_t filled) {
  check(filled <= open_, ErrorCode::invalid_argument, "a block of ", open_, " bytes cannot hold ", filled);
  open_ = 0;
  if (blocks_.empty()) return;
  blocks_.back().size = filled;
  total_ += filled;
}

}  // namespace sardonyx
