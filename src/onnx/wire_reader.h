// Reads protobuf's wire format field by field where a whole message must not be in memory at once.
#pragma once
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

#include <string>
#include <string_view>

namespace sardonyx::onnx {

// Every method throws Error (invalid_model) where the bytes do not fit the format, and says whether they end too early.
class WireReader {
 public:
  enum WireType : uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  struct Field {
    int number = 0;  // 0: the message ends here
    uint32_t wire_type = 0;
  };

  // `what` names the whole in messages: "model", "tensor".
  WireReader(google::protobuf::io::ZeroCopyInputStream* stream, int total, std::string_view what);

  Field next();
  int64_t read_varint();
  std::string read_string(std::string_view what);
  // The length of a length-delimited field; its bytes are known to be there.
  int read_length(std::string_view what);
  void read_raw(void* to, int size);
  void read_message(google::protobuf::MessageLite& message, std::string_view what);
  void skip(const Field& field);
  // Appends the field, with its tag, to `to` as it stands in the file.
  void copy(const Field& field, std::string& to);

  // Calls body() for a message of its own inside this one: next() gives 0 at its end.
  template <class Body>
  void nested(std::string_view what, Body body) {
    const int length = read_length(what);
    const int outer_end = end_;
    end_ = in_.CurrentPosition() + length;
    const auto limit = in_.PushLimit(length);
    body();
    in_.PopLimit(limit);
    end_ = outer_end;
  }

 private:
  [[noreturn]] void malformed(std::string_view what);

  google::protobuf::io::CodedInputStream in_;
  int total_;
  int end_;  // of the current message
  std::string_view what_;
};

}  // namespace sardonyx::onnx
