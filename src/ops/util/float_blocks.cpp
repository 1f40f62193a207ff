// Conversions of blocks between the element types and float32.
#include "ops/util/float_blocks.h"

#include <cstring>

#include "base/half.h"
#include "kernels/half/half.h"

namespace sardonyx {
namespace {

template <class T>
void widen(const void* data, int64_t first, int64_t n, float* y) noexcept {
  const T* x = static_cast<const T*>(data) + first;
  for (int64_t i = 0; i < n; i++) y[i] = static_cast<float>(x[i]);
}

// Four- and two-bit elements, the first in the low bits.
uint8_t bits_at(const uint8_t* x, int64_t i, int bits) noexcept {
  const int64_t at = i * bits;
  return static_cast<uint8_t>((x[at >> 3] >> (at & 7)) & ((1 << bits) - 1));
}

template <class Decode>
void decode(const void* data, int64_t first, int64_t n, int bits, float* y, Decode value) noexcept {
  const auto* x = static_cast<const uint8_t*>(data);
  for (int64_t i = 0; i < n; i++) y[i] = value(bits_at(x, first + i, bits));
}

Float8Kind float8_kind(DType type) noexcept {
  switch (type) {
    case DType::float8e4m3fn:
      return Float8Kind::e4m3fn;
    case DType::float8e4m3fnuz:
      return Float8Kind::e4m3fnuz;
    case DType::float8e5m2:
      return Float8Kind::e5m2;
    case DType::float8e5m2fnuz:
      return Float8Kind::e5m2fnuz;
    default:
      return Float8Kind::e8m0;
  }
}

void load_small(DType type, const void* data, int64_t first, int64_t n, float* y) noexcept {
  switch (type) {
    case DType::uint4:
      return decode(data, first, n, 4, y, [](int b) { return static_cast<float>(b); });
    case DType::int4:
      return decode(data, first, n, 4, y, [](int b) { return static_cast<float>(b - ((b & 8) << 1)); });
    case DType::uint2:
      return decode(data, first, n, 2, y, [](int b) { return static_cast<float>(b); });
    case DType::int2:
      return decode(data, first, n, 2, y, [](int b) { return static_cast<float>(b - ((b & 2) << 1)); });
    case DType::float4e2m1:
      return decode(data, first, n, 4, y, [](uint8_t b) { return float4_to_float(b); });
    default: {
      const Float8Kind kind = float8_kind(type);
      return decode(data, first, n, 8, y, [kind](uint8_t b) { return float8_to_float(b, kind); });
    }
  }
}

}  // namespace

void load_floats(DType type, const void* data, int64_t first, int64_t n, float* y) noexcept {
  if (n <= 0) return;
  switch (type) {
    case DType::float32:
      memcpy(y, static_cast<const float*>(data) + first, static_cast<size_t>(n) * sizeof(float));
      return;
    case DType::float16:
      return kernels::f16_to_f32(static_cast<const uint16_t*>(data) + first, y, static_cast<size_t>(n));
    case DType::bfloat16:
      return kernels::bf16_to_f32(static_cast<const uint16_t*>(data) + first, y, static_cast<size_t>(n));
    case DType::float64:
      return widen<double>(data, first, n, y);
    case DType::boolean: {
      const uint8_t* x = static_cast<const uint8_t*>(data) + first;
      for (int64_t i = 0; i < n; i++) y[i] = x[i] != 0 ? 1.0f : 0.0f;
      return;
    }
    case DType::int8:
      return widen<int8_t>(data, first, n, y);
    case DType::uint8:
      return widen<uint8_t>(data, first, n, y);
    case DType::int16:
      return widen<int16_t>(data, first, n, y);
    case DType::uint16:
      return widen<uint16_t>(data, first, n, y);
    case DType::int32:
      return widen<int32_t>(data, first, n, y);
    case DType::uint32:
      return widen<uint32_t>(data, first, n, y);
    case DType::int64:
      return widen<int64_t>(data, first, n, y);
    case DType::uint64:
      return widen<uint64_t>(data, first, n, y);
    default:
      return load_small(type, data, first, n, y);
  }
}

void store_floats(DType type, const float* x, void* data, int64_t first, int64_t n) noexcept {
  if (n <= 0) return;
  switch (type) {
    case DType::float32:
      memcpy(static_cast<float*>(data) + first, x, static_cast<size_t>(n) * sizeof(float));
      return;
    case DType::float16:
      return kernels::f32_to_f16(x, static_cast<uint16_t*>(data) + first, static_cast<size_t>(n));
    case DType::bfloat16:
      return kernels::f32_to_bf16(x, static_cast<uint16_t*>(data) + first, static_cast<size_t>(n));
    default: {
      double* y = static_cast<double*>(data) + first;
      for (int64_t i = 0; i < n; i++) y[i] = static_cast<double>(x[i]);
    }
  }
}

Tensor to_float32(const Tensor& tensor) {
  if (tensor.dtype() == DType::float32) return tensor;
  Tensor t = Tensor::allocate(DType::float32, tensor.shape());
  load_floats(tensor.dtype(), tensor.bytes(), 0, tensor.count(), t.data<float>());
  return t;
}

}  // namespace sardonyx
