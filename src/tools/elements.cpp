// Elements in raw bytes and in the typed fields.
#include "tools/elements.h"

#include <cstring>

#include "base/half.h"

namespace sardonyx::tools {
namespace {

DType dtype_of(const pb::TensorProto& tensor) {
  return is_dtype(tensor.data_type()) ? static_cast<DType>(tensor.data_type()) : DType::undefined;
}

// So that the bits of the largest type can be counted.
constexpr int64_t kMostCount = INT64_MAX / 128;

bool is_packed(DType dtype) { return dtype_bits(dtype) > 0 && dtype_bits(dtype) < 8; }

}  // namespace

int64_t element_count(const google::protobuf::RepeatedField<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t d : dims) {
    if (d < 0 || (d > 0 && count > kMostCount / d)) return -1;
    count *= d;
  }
  return count;
}

uint64_t packed_bytes(DType dtype, int64_t count) {
  return (static_cast<uint64_t>(count) * static_cast<uint64_t>(dtype_bits(dtype)) + 7) / 8;
}

Elements::Elements(const pb::TensorProto& tensor)
    : tensor_(tensor), dtype_(dtype_of(tensor)), count_(element_count(tensor.dims())) {
  readable_ =
      dtype_ != DType::undefined && count_ >= 0 && tensor.data_location() != pb::TensorProto::EXTERNAL && has_all();
}

bool Elements::has_all() const {
  const auto n = static_cast<uint64_t>(count_);
  if (tensor_.has_raw_data()) return !is_text() && tensor_.raw_data().size() == packed_bytes(dtype_, count_);
  const auto held = [](const auto& list) { return static_cast<uint64_t>(list.size()); };
  switch (dtype_) {
    case DType::float32:
      return held(tensor_.float_data()) == n;
    case DType::complex64:
      return held(tensor_.float_data()) == 2 * n;
    case DType::float64:
      return held(tensor_.double_data()) == n;
    case DType::complex128:
      return held(tensor_.double_data()) == 2 * n;
    case DType::int64:
      return held(tensor_.int64_data()) == n;
    case DType::uint64:
    case DType::uint32:
      return held(tensor_.uint64_data()) == n;
    case DType::string:
      return held(tensor_.string_data()) == n;
    default:
      return held(tensor_.int32_data()) == (is_packed(dtype_) ? packed_bytes(dtype_, count_) : n);
  }
}

bool Elements::is_integer() const noexcept {
  return (kInt | kBool).has(dtype_) || (is_packed(dtype_) && dtype_ != DType::float4e2m1);
}

template <class T>
T Elements::raw(int64_t i) const {
  T value;
  std::memcpy(&value, tensor_.raw_data().data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

uint32_t Elements::bits(int64_t i) const {
  const int size = dtype_bits(dtype_);
  const bool in_raw = tensor_.has_raw_data();
  if (!is_packed(dtype_)) {
    if (!in_raw) return static_cast<uint32_t>(tensor_.int32_data(static_cast<int>(i)));
    return size == 8 ? raw<uint8_t>(i) : size == 16 ? raw<uint16_t>(i) : raw<uint32_t>(i);
  }
  const int64_t byte = i * size / 8;
  const uint32_t whole =
      in_raw ? raw<uint8_t>(byte) : static_cast<uint32_t>(tensor_.int32_data(static_cast<int>(byte)));
  return whole >> (i * size % 8) & ((1u << size) - 1);
}

int64_t Elements::integer(int64_t i) const {
  const bool in_raw = tensor_.has_raw_data();
  const int at = static_cast<int>(i);
  switch (dtype_) {
    case DType::int64:
      return in_raw ? raw<int64_t>(i) : tensor_.int64_data(at);
    case DType::uint64:
      return static_cast<int64_t>(in_raw ? raw<uint64_t>(i) : tensor_.uint64_data(at));
    case DType::uint32:
      return in_raw ? raw<uint32_t>(i) : static_cast<int64_t>(tensor_.uint64_data(at));
    case DType::int32:
      return static_cast<int32_t>(bits(i));
    case DType::int16:
      return static_cast<int16_t>(bits(i));
    case DType::int8:
      return static_cast<int8_t>(bits(i));
    case DType::int4:
      return static_cast<int32_t>(bits(i) << 28) >> 28;
    case DType::int2:
      return static_cast<int32_t>(bits(i) << 30) >> 30;
    default:
      return bits(i);
  }
}

double Elements::number(int64_t i) const {
  const bool in_raw = tensor_.has_raw_data();
  const int at = static_cast<int>(i);
  switch (dtype_) {
    case DType::float32:
      return in_raw ? raw<float>(i) : tensor_.float_data(at);
    case DType::complex64:
      return in_raw ? raw<float>(2 * i) : tensor_.float_data(2 * at);
    case DType::float64:
      return in_raw ? raw<double>(i) : tensor_.double_data(at);
    case DType::complex128:
      return in_raw ? raw<double>(2 * i) : tensor_.double_data(2 * at);
    case DType::float16:
      return float16_to_float(static_cast<uint16_t>(bits(i)));
    case DType::bfloat16:
      return bfloat16_to_float(static_cast<uint16_t>(bits(i)));
    case DType::float4e2m1:
      return float4_to_float(static_cast<uint8_t>(bits(i)));
    case DType::float8e4m3fn:
      return float8_to_float(static_cast<uint8_t>(bits(i)), Float8Kind::e4m3fn);
    case DType::float8e4m3fnuz:
      return float8_to_float(static_cast<uint8_t>(bits(i)), Float8Kind::e4m3fnuz);
    case DType::float8e5m2:
      return float8_to_float(static_cast<uint8_t>(bits(i)), Float8Kind::e5m2);
    case DType::float8e5m2fnuz:
      return float8_to_float(static_cast<uint8_t>(bits(i)), Float8Kind::e5m2fnuz);
    case DType::float8e8m0:
      return float8_to_float(static_cast<uint8_t>(bits(i)), Float8Kind::e8m0);
    default:
      return static_cast<double>(integer(i));
  }
}

const std::string& Elements::text(int64_t i) const { return tensor_.string_data(static_cast<int>(i)); }

}  // namespace sardonyx::tools
