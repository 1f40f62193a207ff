// Tensors whose data is in another file (the standard's "External Tensor Data").
#include "base/error.h"
#include "onnx/tensor_proto.h"

namespace sardonyx::onnx {
namespace {

// Only a relative path that stays below the model's own folder is taken.
void check_location(const std::string& location, std::string_view place) {
  const bool drive = location.size() >= 2 && location[1] == ':';
  bool inside = !location.empty() && location[0] != '/' && location[0] != '\\' && !drive;
  for (size_t from = 0; inside && from < location.size();) {
    const size_t to = std::min(location.find_first_of("/\\", from), location.size());
    inside = location.compare(from, to - from, "..") != 0;
    from = to + 1;
  }
  inside = inside && location.find('\0') == std::string::npos && location.find("://") == std::string::npos;
  check(inside, ErrorCode::invalid_model, place, " has its data in \"", location,
        "\", which is no relative path below the model's folder");
}

uint64_t to_number(const std::string& text, std::string_view key, std::string_view place) {
  uint64_t value = 0;
  bool ok = !text.empty();
  for (char c : text) {
    ok = ok && c >= '0' && c <= '9' && !__builtin_mul_overflow(value, uint64_t{10}, &value) &&
         !__builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value);
  }
  check(ok && value <= INT64_MAX, ErrorCode::invalid_model, place, " has the external data ", key, " \"", text, "\"");
  return value;
}

}  // namespace

Tensor read_external(const pb::TensorProto& proto, DType dtype, const Shape& shape, std::string_view place,
                     const ReadContext& context) {
  check(dtype != DType::string, ErrorCode::invalid_model, place, " is of strings, which cannot be external data");
  const uint64_t size = dtype_bytes(dtype, shape.count());
  std::string location;
  uint64_t offset = 0, length = size;
  for (const pb::StringStringEntryProto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = to_number(entry.value(), "offset", place);
    if (entry.key() == "length") length = to_number(entry.value(), "length", place);
  }
  check_location(location, place);
  check(length == size, ErrorCode::invalid_model, place, " has ", length, " bytes of external data, but ", dtype, "(",
        shape, ") needs ", size);
  check(static_cast<bool>(context.options.external_data), ErrorCode::invalid_argument, place, " has its data in \"",
        location, "\": the model has external data, which was not given");
  // The last byte first: a wrong size fails before memory is asked for.
  std::byte probe[1];
  constexpr uint64_t kLarge = uint64_t{1} << 20;
  if (size > kLarge) context.options.external_data(location, offset + size - 1, probe);
  Tensor t = Tensor::allocate(dtype, shape);
  if (size > 0) context.options.external_data(location, offset, {t.bytes(), static_cast<size_t>(size)});
  return t;
}

}  // namespace sardonyx::onnx
