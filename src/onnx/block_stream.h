// A protobuf input stream over blocks of bytes that frees each block once it is consumed.
#pragma once
#include <google/protobuf/io/zero_copy_stream.h>

#include "onnx/loader.h"

namespace sardonyx::onnx {

class BlockStream final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit BlockStream(std::vector<ByteBlocks::Block> blocks) : blocks_(std::move(blocks)) {}

  // A pointer that Next() gave is valid until the next call of Next() or Skip().
  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  int64_t ByteCount() const override { return consumed_; }

 private:
  std::vector<ByteBlocks::Block> blocks_;
  size_t block_ = 0;     // the one being read; those before it are freed
  size_t position_ = 0;  // in it
  int64_t consumed_ = 0;
};

}  // namespace sardonyx::onnx
