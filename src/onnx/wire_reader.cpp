// Fields, lengths and limits of protobuf's wire format.
#include "onnx/wire_reader.h"

#include "base/error.h"

namespace sardonyx::onnx {
namespace {
using google::protobuf::io::CodedOutputStream;

void append_varint(std::string& to, uint64_t value) {
  uint8_t bytes[10];
  const uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  to.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
}
}  // namespace

WireReader::WireReader(google::protobuf::io::ZeroCopyInputStream* stream, int total, std::string_view what)
    : in_(stream), total_(total), end_(total), what_(what) {}

void WireReader::malformed(std::string_view what) {
  const int at = in_.CurrentPosition();
  if (at >= total_)
    fail(ErrorCode::invalid_model, cat("the ", what_, " is truncated: its ", total_, " bytes end within ", what));
  fail(ErrorCode::invalid_model,
       cat("this is not an ONNX ", what_, ", or it is damaged: ", what, " makes no sense at byte ", at));
}

WireReader::Field WireReader::next() {
  const uint32_t tag = in_.ReadTag();
  if (tag == 0) {
    if (in_.ConsumedEntireMessage() && in_.CurrentPosition() == end_) return {};
    malformed("a field");
  }
  const Field field{static_cast<int>(tag >> 3), tag & 7};
  const bool known = field.wire_type <= bytes || field.wire_type == fixed32;
  if (!known || field.number == 0) malformed("a field");
  return field;
}

int64_t WireReader::read_varint() {
  uint64_t value;
  if (!in_.ReadVarint64(&value)) malformed("a number");
  return static_cast<int64_t>(value);
}

int WireReader::read_length(std::string_view what) {
  uint64_t length;
  if (!in_.ReadVarint64(&length)) malformed(what);
  const int at = in_.CurrentPosition();
  const uint64_t there = static_cast<uint64_t>(end_ - at);
  if (length <= there) return static_cast<int>(length);
  if (end_ == total_) {
    fail(ErrorCode::invalid_model, cat("the ", what_, " is truncated: ", what, " at byte ", at, " has ", length,
                                       " bytes, but only ", there, " are left of ", total_));
  }
  malformed(what);
}

std::string WireReader::read_string(std::string_view what) {
  std::string text;
  const int length = read_length(what);
  if (!in_.ReadString(&text, length)) malformed(what);
  return text;
}

void WireReader::read_raw(void* to, int size) {
  if (!in_.ReadRaw(to, size)) malformed("data");
}

void WireReader::read_message(google::protobuf::MessageLite& message, std::string_view what) {
  const int length = read_length(what);
  const auto limit = in_.PushLimit(length);
  if (!message.MergePartialFromCodedStream(&in_) || !in_.ConsumedEntireMessage()) malformed(what);
  in_.PopLimit(limit);
}

void WireReader::skip(const Field& field) {
  bool ok = true;
  switch (field.wire_type) {
    case varint:
      read_varint();
      break;
    case bytes:
      ok = in_.Skip(read_length("a field"));
      break;
    default:
      ok = in_.Skip(field.wire_type == fixed64 ? 8 : 4);
  }
  if (!ok) malformed("a field");
}

void WireReader::copy(const Field& field, std::string& to) {
  append_varint(to, static_cast<uint64_t>(field.number) << 3 | field.wire_type);
  if (field.wire_type == varint) return append_varint(to, static_cast<uint64_t>(read_varint()));
  int size = field.wire_type == fixed64 ? 8 : 4;
  if (field.wire_type == bytes) append_varint(to, static_cast<uint64_t>(size = read_length("a field")));
  const size_t at = to.size();
  if (size > end_ - in_.CurrentPosition()) malformed("a field");
  to.resize(at + static_cast<size_t>(size));
  read_raw(to.data() + at, size);
}

}  // namespace sardonyx::onnx
