// The piece of a model that is being parsed.
#include "onnx/model_stream.h"

#include <algorithm>

namespace sardonyx::onnx {

bool ModelStream::fill() {
  if (piece_.empty())
    piece_.resize(std::max<size_t>(1, static_cast<size_t>(std::min<uint64_t>(kPiece, bytes_.size()))));
  const size_t count = bytes_.read(std::span(piece_).subspan(filled_));
  filled_ += count;
  return count > 0;
}

std::span<const std::byte> ModelStream::start(size_t count) {
  while (filled_ < count && (piece_.empty() || filled_ < piece_.size()) && fill()) {
  }
  return std::span(piece_).first(std::min(count, filled_));
}

bool ModelStream::Next(const void** data, int* size) {
  if (position_ == filled_) {
    position_ = filled_ = 0;
    if (!fill()) return false;
  }
  *data = piece_.data() + position_;
  *size = static_cast<int>(filled_ - position_);
  position_ = filled_;
  consumed_ += *size;
  return true;
}

void ModelStream::BackUp(int count) {
  position_ -= static_cast<size_t>(count);
  consumed_ -= count;
}

bool ModelStream::Skip(int count) {
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
