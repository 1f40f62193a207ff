// Reading blocks of bytes, and freeing them.
#include "onnx/block_stream.h"

#include <algorithm>
#include <climits>

namespace sardonyx::onnx {

bool BlockStream::Next(const void** data, int* size) {
  while (block_ < blocks_.size() && position_ == blocks_[block_].size) {
    blocks_[block_].bytes.reset();
    block_++;
    position_ = 0;
  }
  if (block_ == blocks_.size()) return false;
  const size_t count = std::min<size_t>(blocks_[block_].size - position_, INT_MAX);
  *data = blocks_[block_].bytes.get() + position_;
  *size = static_cast<int>(count);
  position_ += count;
  consumed_ += *size;
  return true;
}

void BlockStream::BackUp(int count) {
  position_ -= static_cast<size_t>(count);
  consumed_ -= count;
}

bool BlockStream::Skip(int count) {
  const void* data;
  int size;
  while (count > 0) {
    if (!Next(&data, &size)) return false;
    if (size > count) {
      BackUp(size - count);
      size = count;
    }
    count -= size;
  }
  return true;
}

}  // namespace sardonyx::onnx
