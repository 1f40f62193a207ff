// Dense tensors: raw bytes, typed fields, strings.
#include "onnx/tensor_proto.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace sardonyx::onnx {
namespace {

template <class... Parts>
void check_model(bool ok, std::string_view place, const Parts&... parts) {
  check(ok, ErrorCode::invalid_model, place, parts...);
}

DType to_dtype(const pb::TensorProto& proto, std::string_view place) {
  check_model(is_dtype(proto.data_type()), place, " has the unknown element type ", proto.data_type());
  return static_cast<DType>(proto.data_type());
}

void check_size(uint64_t have, uint64_t need, std::string_view unit, DType dtype, const Shape& shape,
                std::string_view place) {
  check_model(have == need, place, " has ", have, " ", unit, ", but ", dtype, "(", shape, ") needs ", need);
}

// A byte of a bool tensor may hold anything in a file, but a bool may not.
void normalize_bools(Tensor& tensor) {
  if (tensor.dtype() != DType::boolean) return;
  auto* p = tensor.data<uint8_t>();
  for (int64_t i = 0; i < tensor.count(); i++) p[i] = p[i] != 0;
}

// The elements of `field` as T, `count` of them (for packed types and complex numbers not the elements of the tensor).
template <class T, class Field>
Tensor from_field(const Field& field, std::string_view name, uint64_t count, DType dtype, const Shape& shape,
                  std::string_view place) {
  check_size(static_cast<uint64_t>(field.size()), count, cat("values in ", name), dtype, shape, place);
  Tensor t = Tensor::allocate(dtype, shape);
  std::transform(field.begin(), field.end(), t.data<T>(), [](auto v) { return static_cast<T>(v); });
  return t;
}

Tensor from_int32_data(const pb::TensorProto& proto, DType dtype, const Shape& shape, std::string_view place) {
  const auto& field = proto.int32_data();
  const uint64_t bytes = dtype_bytes(dtype, shape.count());
  switch (dtype_bits(dtype)) {
    case 32:
      return from_field<int32_t>(field, "int32_data", bytes / 4, dtype, shape, place);
    case 16:
      return from_field<uint16_t>(field, "int32_data", bytes / 2, dtype, shape, place);
    default:  // one packed byte each for types below 8 bits
      return from_field<uint8_t>(field, "int32_data", bytes, dtype, shape, place);
  }
}

Tensor from_strings(pb::TensorProto& proto, const Shape& shape, std::string_view place) {
  check_model(proto.raw_data().empty(), place, " is of strings, which cannot be raw data");
  check_size(static_cast<uint64_t>(proto.string_data_size()), static_cast<uint64_t>(shape.count()), "strings",
             DType::string, shape, place);
  Tensor t = Tensor::allocate(DType::string, shape);
  for (int i = 0; i < proto.string_data_size(); i++) {
    t.data<std::string>()[i] = std::move(*proto.mutable_string_data(i));
  }
  return t;
}

Tensor from_typed_fields(pb::TensorProto& proto, DType dtype, const Shape& shape, std::string_view place) {
  const auto count = static_cast<uint64_t>(shape.count());
  switch (dtype) {
    case DType::string:
      return from_strings(proto, shape, place);
    case DType::float32:
      return from_field<float>(proto.float_data(), "float_data", count, dtype, shape, place);
    case DType::complex64:
      return from_field<float>(proto.float_data(), "float_data", 2 * count, dtype, shape, place);
    case DType::float64:
      return from_field<double>(proto.double_data(), "double_data", count, dtype, shape, place);
    case DType::complex128:
      return from_field<double>(proto.double_data(), "double_data", 2 * count, dtype, shape, place);
    case DType::int64:
      return from_field<int64_t>(proto.int64_data(), "int64_data", count, dtype, shape, place);
    case DType::uint64:
      return from_field<uint64_t>(proto.uint64_data(), "uint64_data", count, dtype, shape, place);
    case DType::uint32:
      return from_field<uint32_t>(proto.uint64_data(), "uint64_data", count, dtype, shape, place);
    default:
      return from_int32_data(proto, dtype, shape, place);
  }
}

bool has_typed_data(const pb::TensorProto& p) {
  return p.float_data_size() || p.int32_data_size() || p.int64_data_size() || p.double_data_size() ||
         p.uint64_data_size() || p.string_data_size();
}

Tensor from_raw(std::shared_ptr<Buffer> raw, DType dtype, const Shape& shape, std::string_view place) {
  check_model(dtype != DType::string, place, " is of strings, which cannot be raw data");
  check_size(raw->size(), dtype_bytes(dtype, shape.count()), "bytes of raw data", dtype, shape, place);
  return Tensor::view(dtype, shape, std::move(raw), 0);
}

// `raw` is the raw data where it is not in the message.
Tensor assemble(pb::TensorProto& proto, std::shared_ptr<Buffer> raw, std::string_view place,
                const ReadContext& context) {
  const DType dtype = to_dtype(proto, place);
  const Shape shape = to_shape(proto.dims(), place);
  check_model(!proto.has_segment(), place, " is in segments, which no reader supports");
  Tensor t;
  if (proto.data_location() == pb::TensorProto::EXTERNAL) {
    t = read_external(proto, dtype, shape, place, context);
  } else if (raw && (raw->size() > 0 || !has_typed_data(proto))) {
    t = from_raw(std::move(raw), dtype, shape, place);
  } else {
    t = from_typed_fields(proto, dtype, shape, place);
  }
  normalize_bools(t);
  return t;
}

}  // namespace

Shape to_shape(const google::protobuf::RepeatedField<int64_t>& dims, std::string_view place) {
  check_model(dims.size() <= Shape::kMaxRank, place, " has ", dims.size(), " dimensions; the limit is ",
              Shape::kMaxRank);
  int64_t product = 1;
  for (int64_t d : dims) {
    check_model(d >= 0, place, " has the negative dimension ", d);
    const bool overflow = __builtin_mul_overflow(product, std::max<int64_t>(d, 1), &product);
    check_model(!overflow && product < (int64_t{1} << 55), place, " has dimensions whose product overflows");
  }
  return Shape(std::span(dims.data(), static_cast<size_t>(dims.size())));
}

Tensor to_tensor(pb::TensorProto& proto, std::string_view place, const ReadContext& context) {
  std::shared_ptr<Buffer> raw;
  if (proto.has_raw_data()) {
    std::string bytes = std::move(*proto.mutable_raw_data());
    raw = Buffer::bytes(bytes.size());
    if (!bytes.empty()) memcpy(raw->data(), bytes.data(), bytes.size());
  }
  return assemble(proto, std::move(raw), place, context);
}

NamedTensor read_tensor_fields(WireReader& in, std::string_view kind, const ReadContext& context) {
  constexpr int kRawData = pb::TensorProto::kRawDataFieldNumber;
  std::shared_ptr<Buffer> raw;
  std::string rest;  // the message without its raw data
  for (auto field = in.next(); field.number != 0; field = in.next()) {
    if (field.number == kRawData && field.wire_type == WireReader::bytes) {
      const int size = in.read_length("raw_data");
      raw = Buffer::bytes(static_cast<uint64_t>(size));
      in.read_raw(raw->data(), size);
    } else {
      in.copy(field, rest);
    }
  }
  pb::TensorProto proto;
  check_model(proto.ParsePartialFromString(rest), kind, " is damaged: its fields make no sense");
  rest = {};
  Tensor tensor = assemble(proto, std::move(raw), cat(kind, " \"", proto.name(), "\""), context);
  return {std::move(*proto.mutable_name()), std::move(tensor)};
}

NamedTensor read_tensor(WireReader& in, std::string_view kind, const ReadContext& context) {
  NamedTensor result;
  in.nested(kind, [&] { result = read_tensor_fields(in, kind, context); });
  return result;
}

}  // namespace sardonyx::onnx
