// Operators that compute in float32 for every float type: copies of their inputs and outputs in float32.
#pragma once
#include "base/tensor.h"

namespace sardonyx {

// The tensor itself where it is float32, else a float32 copy of a float16, bfloat16 or float64 one. A tensor without
// data, or none, comes back as it is.
Tensor to_float32(const Tensor& tensor);

// An output as float32: itself, or a buffer that store() converts into it.
class FloatOutput {
 public:
  explicit FloatOutput(Tensor& out);
  float* data() noexcept { return buffer_.data<float>(); }
  Tensor& tensor() noexcept { return buffer_; }
  void store();

 private:
  Tensor& out_;
  Tensor buffer_;
};

}  // namespace sardonyx
