// Tensors: allocation, views, copies.
#include "base/tensor.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace sardonyx {

uint64_t dtype_bytes(DType type, int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 56;  // times 128 bits: fits
  check(count <= kMost, ErrorCode::out_of_memory, "a tensor of ", count, " elements of ", type, " is too large");
  const uint64_t bits = static_cast<uint64_t>(count) * static_cast<uint64_t>(dtype_bits(type));
  return (bits + 7) / 8;
}

Tensor Tensor::allocate(DType type, const Shape& shape) {
  const int64_t count = shape.count();
  auto buffer =
      type == DType::string ? Buffer::strings(static_cast<uint64_t>(count)) : Buffer::bytes(dtype_bytes(type, count));
  return view(type, shape, std::move(buffer), 0);
}

Tensor Tensor::view(DType type, const Shape& shape, std::shared_ptr<Buffer> buffer, size_t offset) {
  Tensor t = without_data(type, shape);
  t.raw_ =
      type == DType::string ? reinterpret_cast<std::byte*>(buffer->string_data() + offset) : buffer->data() + offset;
  t.buffer_ = std::move(buffer);
  return t;
}

Tensor Tensor::without_data(DType type, const Shape& shape) {
  Tensor t;
  t.dtype_ = type;
  t.shape_ = shape;
  t.count_ = shape.count();
  return t;
}

Tensor Tensor::with_room(DType type, const Shape& shape, int64_t rows) {
  Shape whole = shape;
  whole[shape.rank() - 2] = rows;
  auto buffer = Buffer::bytes(dtype_bytes(type, whole.count()));
  buffer->room = {rows, shape[shape.rank() - 2]};
  return view(type, shape, std::move(buffer), 0);
}

Tensor Tensor::of(std::span<const int64_t> values) {
  Tensor t = allocate(DType::int64, Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data<int64_t>());
  return t;
}

size_t Tensor::byte_size() const noexcept {
  // In wasm a size_t has 32 bits, which hold the bytes, but not the bits.
  return static_cast<size_t>((static_cast<uint64_t>(count_) * static_cast<uint64_t>(dtype_bits(dtype_)) + 7) / 8);
}

Tensor Tensor::reshaped(const Shape& shape) const {
  check(shape.count() == count_, ErrorCode::invalid_input, "shape ", shape_, " cannot become ", shape);
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::clone() const {
  Tensor t = allocate(dtype_, shape_);
  if (dtype_ == DType::string) {
    std::copy_n(data<std::string>(), count_, t.data<std::string>());
  } else if (has_room() && count_ > 0) {
    const size_t matrices = static_cast<size_t>(shape_.count(0, rank() - 2)), bytes = byte_size() / matrices;
    const size_t step = bytes / static_cast<size_t>(shape_[rank() - 2]) * static_cast<size_t>(buffer_->room.rows);
    for (size_t i = 0; i < matrices; i++) memcpy(t.raw_ + i * bytes, raw_ + i * step, bytes);
  } else if (count_ > 0) {
    memcpy(t.raw_, raw_, byte_size());
  }
  return t;
}

std::vector<int64_t> Tensor::to_int64() const {
  std::vector<int64_t> out(static_cast<size_t>(count_));
  if (dtype_ == DType::int64) {
    std::copy_n(data<int64_t>(), count_, out.begin());
  } else if (dtype_ == DType::int32) {
    std::copy_n(data<int32_t>(), count_, out.begin());
  } else {
    fail(ErrorCode::invalid_model, cat("integers are wanted, not ", dtype_));
  }
  return out;
}

std::string Tensor::describe() const { return cat(dtype_, "(", shape_, ")"); }

}  // namespace sardonyx
