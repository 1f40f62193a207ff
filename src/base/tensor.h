// Tensors: an element type, a shape, and a view of shared memory.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/dtype.h"
#include "base/half.h"
#include "base/shape.h"

namespace sardonyx {

// Bytes of `count` elements; sub-byte types are packed, low bits first, and each tensor starts on a byte.
// Throws Error (out_of_memory) on overflow. Not for strings.
uint64_t dtype_bytes(DType type, int64_t count);

// The element type that C++'s T is stored as: float -> float32, int64_t -> int64, bool -> boolean, Float16 ->
// float16...
template <class T>
constexpr DType dtype_of();

// Dense and row-major, but for those with room. Copies share the bytes; clone() does not.
class Tensor {
 public:
  Tensor() = default;
  // Uninitialised (strings: empty). Throws Error (out_of_memory).
  static Tensor allocate(DType type, const Shape& shape);
  // A view of `buffer` from `offset` bytes on (strings: elements); the buffer must be large enough.
  static Tensor view(DType type, const Shape& shape, std::shared_ptr<Buffer> buffer, size_t offset);
  // A type and a shape without bytes: what is left of a constant once a kernel has packed it.
  static Tensor without_data(DType type, const Shape& shape);
  // Uninitialised, of rank 2 at least, with room for `rows` rows in each matrix of the last two axes.
  static Tensor with_room(DType type, const Shape& shape, int64_t rows);
  // One-dimensional, of int64.
  static Tensor of(std::span<const int64_t> values);
  // Rank 0.
  template <class T>
  static Tensor scalar(T value);

  bool defined() const noexcept { return dtype_ != DType::undefined; }
  bool has_data() const noexcept { return buffer_ != nullptr; }
  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  int rank() const noexcept { return shape_.rank(); }
  int64_t dim(int i) const noexcept { return shape_[i]; }
  int64_t count() const noexcept { return count_; }
  // Bytes of the elements, 0 for strings.
  size_t byte_size() const noexcept;
  const std::shared_ptr<Buffer>& buffer() const noexcept { return buffer_; }

  // T must be the stored type (or a byte type for raw access); not checked.
  template <class T>
  const T* data() const noexcept {
    return reinterpret_cast<const T*>(raw_);
  }
  template <class T>
  T* data() noexcept {
    return reinterpret_cast<T*>(raw_);
  }
  template <class T>
  std::span<const T> values() const noexcept {
    return {data<T>(), static_cast<size_t>(count_)};
  }
  std::byte* bytes() const noexcept { return raw_; }

  // Does each matrix of the last two axes have room for more rows (Buffer::Room), and so a gap behind it? Only results
  // that the caller of a run keeps have, and only operators that ask for it see them (Operator::takes_room()).
  bool has_room() const noexcept { return buffer_ && buffer_->room.rows != 0; }
  // Rows from one matrix of the last two axes to the next.
  int64_t matrix_rows() const noexcept { return has_room() ? buffer_->room.rows : shape_[rank() - 2]; }
  // Itself, or a clone where it has room.
  Tensor dense() const { return has_room() ? clone() : *this; }

  // The same bytes under another shape of the same count. Not for those with room.
  Tensor reshaped(const Shape& shape) const;
  // Without room.
  Tensor clone() const;
  // Itself, or a clone where the bytes belong to an arena.
  Tensor owned() const { return buffer_ && buffer_->is_arena ? clone() : *this; }

  // All elements of an int32 or int64 tensor (any shape) as int64; throws Error (invalid_model) for other types.
  std::vector<int64_t> to_int64() const;
  // "float32(1x3x224x224)"
  std::string describe() const;

 private:
  DType dtype_ = DType::undefined;
  Shape shape_;
  int64_t count_ = 0;
  std::shared_ptr<Buffer> buffer_;
  std::byte* raw_ = nullptr;
};

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::float32;
  if constexpr (std::is_same_v<T, double>) return DType::float64;
  if constexpr (std::is_same_v<T, int8_t>) return DType::int8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::uint8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::int16;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::uint16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::int32;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::uint32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::int64;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::uint64;
  if constexpr (std::is_same_v<T, bool>) return DType::boolean;
  if constexpr (std::is_same_v<T, Float16>) return DType::float16;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::bfloat16;
  if constexpr (std::is_same_v<T, std::string>) return DType::string;
  return DType::undefined;
}

template <class T>
Tensor Tensor::scalar(T value) {
  Tensor t = allocate(dtype_of<T>(), Shape{});
  *t.data<T>() = value;
  return t;
}

}  // namespace sardonyx
