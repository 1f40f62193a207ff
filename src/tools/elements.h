// The elements of a TensorProto, wherever its message has them.
#pragma once
#include <cstdint>
#include <string>

#include "base/dtype.h"
#include "onnx.pb.h"

namespace sardonyx::tools {

class Elements {
 public:
  explicit Elements(const pb::TensorProto& tensor);

  DType dtype() const noexcept { return dtype_; }
  int64_t count() const noexcept { return count_; }
  // Are all elements in the message (not in a file of their own, and as many as the shape says)?
  bool readable() const noexcept { return readable_; }
  bool is_text() const noexcept { return dtype_ == DType::string; }
  // Integers, and booleans as 0 and 1.
  bool is_integer() const noexcept;

  int64_t integer(int64_t i) const;
  uint64_t natural(int64_t i) const { return static_cast<uint64_t>(integer(i)); }  // of uint64
  double number(int64_t i) const;                                                  // floats; the real part of complex
  const std::string& text(int64_t i) const;
  uint32_t bits(int64_t i) const;  // of types of at most 32 bits, but float32

 private:
  bool has_all() const;
  template <class T>
  T raw(int64_t i) const;

  const pb::TensorProto& tensor_;
  DType dtype_ = DType::undefined;
  int64_t count_ = 0;
  bool readable_ = false;
};

// The number of elements of a shape, or -1 where it is negative or too large to be counted.
int64_t element_count(const google::protobuf::RepeatedField<int64_t>& dims);
// Bytes of `count` elements as raw_data has them.
uint64_t packed_bytes(DType dtype, int64_t count);

}  // namespace sardonyx::tools
