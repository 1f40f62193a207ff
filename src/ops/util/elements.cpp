// Axes in another order; unpacking and packing of types smaller than a byte (low bits first, as the ONNX standard packs
// them).
#include "ops/util/elements.h"

#include "kernels/move/transpose.h"

namespace sardonyx {

void permute(const Tensor& x, std::span<const int64_t> perm, Tensor& y) noexcept {
  size_t dims[Shape::kMaxRank], axes[Shape::kMaxRank];
  for (size_t i = 0; i < perm.size(); i++) {
    dims[i] = static_cast<size_t>(x.dim(static_cast<int>(i)));
    axes[i] = static_cast<size_t>(perm[i]);
  }
  kernels::transpose(x.bytes(), y.bytes(), dims, axes, perm.size(), element_size(x.dtype()));
}

Tensor unpacked(const Tensor& tensor) {
  if (!kSubByte.has(tensor.dtype())) return tensor;
  Tensor bytes = Tensor::allocate(DType::uint8, tensor.shape());
  const int bits = dtype_bits(tensor.dtype()), per_byte = 8 / bits;
  const auto* from = tensor.data<uint8_t>();
  auto* to = bytes.data<uint8_t>();
  for (int64_t i = 0; i < tensor.count(); i++) {
    to[i] = static_cast<uint8_t>(from[i / per_byte] >> (i % per_byte * bits) & ((1 << bits) - 1));
  }
  return bytes;
}

Tensor unpacked_like(const Tensor& tensor) {
  return kSubByte.has(tensor.dtype()) ? Tensor::allocate(DType::uint8, tensor.shape()) : tensor;
}

void pack(const Tensor& bytes, Tensor& tensor) {
  if (!kSubByte.has(tensor.dtype()) || tensor.count() == 0) return;
  const int bits = dtype_bits(tensor.dtype()), per_byte = 8 / bits;
  const auto* from = bytes.data<uint8_t>();
  auto* to = tensor.data<uint8_t>();
  memset(to, 0, tensor.byte_size());
  for (int64_t i = 0; i < tensor.count(); i++) {
    to[i / per_byte] = static_cast<uint8_t>(to[i / per_byte] | from[i] << (i % per_byte * bits));
  }
}

}  // namespace sardonyx
