// Moving elements of any type without looking at them: their size, whole runs, types smaller than a byte.
#pragma once
#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "base/tensor.h"

namespace sardonyx {

// Types whose elements have addresses of their own.
inline constexpr DTypeSet kAddressable = kAll - kSubByte;

struct Bits128 {
  uint64_t low, high;
};

// Calls f with a default-made element that has the size of `type`'s elements (strings: a std::string). Not for types
// smaller than a byte.
template <class F>
void with_element(DType type, F&& f) {
  switch (dtype_bits(type)) {
    case 0:
      return f(std::string());
    case 16:
      return f(uint16_t{});
    case 32:
      return f(uint32_t{});
    case 64:
      return f(uint64_t{});
    case 128:
      return f(Bits128{});
    default:
      return f(uint8_t{});
  }
}

// Bytes from one element to the next; a std::string's for strings. Not for types smaller than a byte.
inline size_t element_size(DType type) noexcept {
  return type == DType::string ? sizeof(std::string) : static_cast<size_t>(dtype_bits(type)) / 8;
}

// Copies runs of elements of one type; positions and counts are in elements.
class RunCopier {
 public:
  explicit RunCopier(DType type) noexcept : size_(element_size(type)), strings_(type == DType::string) {}

  void operator()(std::byte* to, int64_t to_at, const std::byte* from, int64_t from_at, int64_t count) const noexcept {
    if (count <= 0) return;
    to += static_cast<size_t>(to_at) * size_;
    from += static_cast<size_t>(from_at) * size_;
    if (strings_) {
      const auto* strings = reinterpret_cast<const std::string*>(from);
      std::copy_n(strings, count, reinterpret_cast<std::string*>(to));
    } else {
      memcpy(to, from, static_cast<size_t>(count) * size_);
    }
  }
  size_t size() const noexcept { return size_; }

 private:
  size_t size_;
  bool strings_;
};

// How many items of `item_bytes` each make a block worth a thread of its own.
inline int64_t grain_of_bytes(int64_t item_bytes) noexcept {
  constexpr int64_t kBlock = 1 << 16;
  return item_bytes >= kBlock ? 1 : kBlock / std::max<int64_t>(item_bytes, 1);
}

// Axis i of y is axis perm[i] of x. Both are of one type with addresses, no strings, and do not overlap; y's shape may
// group the axes otherwise.
void permute(const Tensor& x, std::span<const int64_t> perm, Tensor& y) noexcept;

// The tensor itself, or where its type is smaller than a byte a uint8 tensor that holds one element per byte (the upper
// bits are zero).
Tensor unpacked(const Tensor& tensor);

// The tensor to write instead of `tensor`: itself, or one of bytes to give to pack() afterwards.
Tensor unpacked_like(const Tensor& tensor);

// Puts what unpacked_like() gave into the tensor that it stands for; nothing to do where that is the same.
void pack(const Tensor& bytes, Tensor& tensor);

}  // namespace sardonyx
