// Single elements of any float type, and an output that an operator computes in float32 whatever float type it has.
#pragma once
#include "ops/util/float_blocks.h"

namespace sardonyx {

// Element i of a float16, bfloat16, float32 or float64 tensor.
inline double float_at(const Tensor& t, int64_t i) noexcept {
  switch (t.dtype()) {
    case DType::float16:
      return static_cast<double>(static_cast<float>(t.data<Float16>()[i]));
    case DType::bfloat16:
      return static_cast<double>(static_cast<float>(t.data<BFloat16>()[i]));
    case DType::float64:
      return t.data<double>()[i];
    default:
      return static_cast<double>(t.data<float>()[i]);
  }
}

inline void put_float(Tensor& t, int64_t i, double v) noexcept {
  switch (t.dtype()) {
    case DType::float16:
      t.data<Float16>()[i] = Float16(static_cast<float>(v));
      return;
    case DType::bfloat16:
      t.data<BFloat16>()[i] = BFloat16(static_cast<float>(v));
      return;
    case DType::float64:
      t.data<double>()[i] = v;
      return;
    default:
      t.data<float>()[i] = static_cast<float>(v);
  }
}

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
