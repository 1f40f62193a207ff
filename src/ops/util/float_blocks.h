// Elements of the small types as blocks of float32 and back: how operators compute in types that have no arithmetic.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "base/tensor.h"
#include "base/thread_pool.h"

namespace sardonyx {

// Elements that fit a block on the stack.
inline constexpr int64_t kFloatBlock = 1024;

constexpr bool is_half(DType type) noexcept { return type == DType::float16 || type == DType::bfloat16; }

// y[i] = element first + i of `data`, i < n. All types but string and complex (float64 and wide integers are rounded).
void load_floats(DType type, const void* data, int64_t first, int64_t n, float* y) noexcept;

// Element first + i of `data` = x[i]. float32, float16, bfloat16, float64 (rounded to nearest even).
void store_floats(DType type, const float* x, void* data, int64_t first, int64_t n) noexcept;

// A copy of the whole tensor in float32 (itself if it is float32 already).
Tensor to_float32(const Tensor& tensor);

// The buffer's elements from `index` on, for types of whole bytes.
template <class T>
T* advance(T* data, DType type, int64_t index) noexcept {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + index * (dtype_bits(type) / 8));
}

// y = f(x) elementwise for x and y of type float32, float16 or bfloat16, split over the pool; y may be x.
// body(const float* x, float* y, int64_t n) must allow y == x and not throw.
template <class Body>
void map_floats(ThreadPool& pool, const Tensor& x, Tensor& y, Body&& body) {
  constexpr int64_t kGrain = 16 * kFloatBlock;
  const DType type = x.dtype();
  if (type == DType::float32) {
    const float* in = x.data<float>();
    float* out = y.data<float>();
    pool.parallel_for(x.count(), kGrain, [&](int64_t from, int64_t to) { body(in + from, out + from, to - from); });
    return;
  }
  pool.parallel_for(x.count(), kGrain, [&](int64_t from, int64_t to) {
    alignas(16) float block[kFloatBlock];
    for (; from < to; from += kFloatBlock) {
      const int64_t n = std::min(kFloatBlock, to - from);
      load_floats(type, x.bytes(), from, n, block);
      body(static_cast<const float*>(block), block, n);
      store_floats(type, block, y.bytes(), from, n);
    }
  });
}

}  // namespace sardonyx
