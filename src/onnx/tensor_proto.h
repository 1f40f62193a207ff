// From TensorProto and SparseTensorProto to Tensor, in every encoding of the standard.
#pragma once
#include "onnx.pb.h"
#include "onnx/loader.h"
#include "onnx/source.h"
#include "onnx/wire_reader.h"

namespace sardonyx::onnx {

struct ReadContext {
  const LoadOptions& options;
  Expansion& expansion;
};

// The functions below take the data out of the message, and throw Error (invalid_model) where the data is not what type
// and shape need; the message names the tensor as `place`, e.g. `initializer "w"`.
Tensor to_tensor(pb::TensorProto& proto, std::string_view place, const ReadContext& context);

// Dense; indices are linear (rank 1) or one row of coordinates per value (rank 2).
Tensor to_dense(pb::SparseTensorProto& proto, std::string_view place, const ReadContext& context);

// Reads a length-delimited TensorProto. Its raw data goes from the stream to the tensor's own memory: no message ever
// holds it.
NamedTensor read_tensor(WireReader& in, std::string_view kind, const ReadContext& context);

// Reads all fields up to the end of the current message, likewise.
NamedTensor read_tensor_fields(WireReader& in, std::string_view kind, const ReadContext& context);

// The shape; throws Error (invalid_model) for negative dimensions, for too many, and where their product overflows.
Shape to_shape(const google::protobuf::RepeatedField<int64_t>& dims, std::string_view place);

// The data of a tensor that the message leaves to another file.
Tensor read_external(const pb::TensorProto& proto, DType dtype, const Shape& shape, std::string_view place,
                     const ReadContext& context);

}  // namespace sardonyx::onnx
