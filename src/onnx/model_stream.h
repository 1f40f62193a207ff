// A protobuf input stream over the bytes of a model.
#pragma once
#include <google/protobuf/io/zero_copy_stream.h>

#include <vector>

#include "onnx/loader.h"

namespace sardonyx::onnx {

class ModelStream final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit ModelStream(ModelBytes& bytes) : bytes_(bytes) {}

  // The first bytes, up to `count` (at most kPiece); nothing may be read before.
  std::span<const std::byte> start(size_t count);

  // A pointer that Next() gave is valid until the next call of Next() or Skip().
  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  int64_t ByteCount() const override { return consumed_; }

 private:
  static constexpr size_t kPiece = 1 << 18;

  bool fill();

  ModelBytes& bytes_;
  std::vector<std::byte> piece_;  // its bytes [position_, filled_) are still to be read
  size_t position_ = 0, filled_ = 0;
  int64_t consumed_ = 0;
};

}  // namespace sardonyx::onnx
