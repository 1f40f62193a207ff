// An output that an operator computes in float32 whatever float type it has.
#pragma once
#include "ops/util/float_blocks.h"

namespace sardonyx {

// The output itself where it is float32, else a float32 buffer that store() converts into it.
class FloatOutput {
 public:
  explicit FloatOutput(Tensor& out)
      : out_(out), buffer_(out.dtype() == DType::float32 ? out : Tensor::allocate(DType::float32, out.shape())) {}
  float* data() noexcept { return buffer_.data<float>(); }
  const Tensor& tensor() const noexcept { return buffer_; }
  void store() noexcept {
    if (out_.dtype() != DType::float32) store_floats(out_.dtype(), data(), out_.bytes(), 0, out_.count());
  }

 private:
  Tensor& out_;
  Tensor buffer_;
};

}  // namespace sardonyx
