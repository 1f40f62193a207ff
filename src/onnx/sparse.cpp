// Sparse tensors become dense ones (the standard's SparseTensorProto, COO).
#include <cstring>

#include "base/error.h"
#include "onnx/tensor_proto.h"

namespace sardonyx::onnx {
namespace {

// Linear positions of the values, in bounds of `shape`.
std::vector<int64_t> positions(const Tensor& indices, int64_t values, const Shape& shape, std::string_view place) {
  check(indices.dtype() == DType::int64, ErrorCode::invalid_model, place, " has indices of ", indices.dtype(),
        " instead of int64");
  const bool linear = indices.rank() == 1 && indices.dim(0) == values;
  const bool rows = indices.rank() == 2 && indices.dim(0) == values && indices.dim(1) == shape.rank();
  check(linear || rows, ErrorCode::invalid_model, place, " has indices of shape ", indices.shape(), " for ", values,
        " values of a tensor of shape ", shape);
  const int64_t* p = indices.data<int64_t>();
  const int64_t count = shape.count();
  std::vector<int64_t> at(static_cast<size_t>(values));
  for (int64_t& position : at) {
    if (linear) {
      position = *p++;
      check(position >= 0 && position < count, ErrorCode::invalid_model, place, " has the index ", position, " in ",
            count, " elements");
      continue;
    }
    position = 0;
    for (int i = 0; i < shape.rank(); i++, p++) {
      check(*p >= 0 && *p < shape[i], ErrorCode::invalid_model, place, " has the index ", *p, " in dimension ", i,
            " of shape ", shape);
      position = position * shape[i] + *p;
    }
  }
  return at;
}

void scatter(const Tensor& values, const std::vector<int64_t>& at, Tensor& to) {
  if (to.dtype() == DType::string) {
    for (size_t i = 0; i < at.size(); i++) to.data<std::string>()[at[i]] = values.data<std::string>()[i];
    return;
  }
  memset(to.bytes(), 0, to.byte_size());
  const int bits = dtype_bits(to.dtype());
  if (bits >= 8) {
    const auto size = static_cast<size_t>(bits / 8);
    for (size_t i = 0; i < at.size(); i++) {
      memcpy(to.bytes() + static_cast<size_t>(at[i]) * size, values.bytes() + i * size, size);
    }
    return;
  }
  const size_t per_byte = static_cast<size_t>(8 / bits);
  const auto mask = static_cast<std::byte>((1 << bits) - 1);
  for (size_t i = 0; i < at.size(); i++) {
    const auto j = static_cast<size_t>(at[i]);
    const std::byte value = values.bytes()[i / per_byte] >> (i % per_byte * static_cast<size_t>(bits)) & mask;
    const size_t shift = j % per_byte * static_cast<size_t>(bits);
    std::byte& slot = to.bytes()[j / per_byte];
    slot = (slot & ~(mask << shift)) | value << shift;
  }
}

}  // namespace

Tensor to_dense(pb::SparseTensorProto& proto, std::string_view place, const ReadContext& context) {
  const Shape shape = to_shape(proto.dims(), place);
  const Tensor values = to_tensor(*proto.mutable_values(), cat("the values of ", place), context);
  check(values.rank() == 1, ErrorCode::invalid_model, place, " has values of rank ", values.rank(), " instead of 1");
  // The standard asks for no particular shape of the indices of no value.
  std::vector<int64_t> at;
  if (values.count() > 0) {
    const Tensor indices = to_tensor(*proto.mutable_indices(), cat("the indices of ", place), context);
    at = positions(indices, values.count(), shape, place);
  }
  const bool strings = values.dtype() == DType::string;
  context.expansion.charge(strings ? static_cast<uint64_t>(shape.count()) * sizeof(std::string)
                                   : dtype_bytes(values.dtype(), shape.count()));
  Tensor dense = Tensor::allocate(values.dtype(), shape);
  scatter(values, at, dense);
  return dense;
}

}  // namespace sardonyx::onnx
