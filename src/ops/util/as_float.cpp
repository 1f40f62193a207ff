// Conversion of whole tensors between the float types.
#include "ops/util/as_float.h"

#include "base/error.h"

namespace sardonyx {
namespace {

template <class To, class From>
void convert(const From* x, To* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; i++) y[i] = static_cast<To>(static_cast<float>(x[i]));
}

}  // namespace

Tensor to_float32(const Tensor& t) {
  if (t.dtype() == DType::float32 || !t.has_data()) return t;
  Tensor y = Tensor::allocate(DType::float32, t.shape());
  float* to = y.data<float>();
  switch (t.dtype()) {
    case DType::float16:
      convert(t.data<Float16>(), to, t.count());
      break;
    case DType::bfloat16:
      convert(t.data<BFloat16>(), to, t.count());
      break;
    case DType::float64:
      convert(t.data<double>(), to, t.count());
      break;
    default:
      fail(ErrorCode::runtime_error, cat(t.dtype(), " is no float type"));
  }
  return y;
}

FloatOutput::FloatOutput(Tensor& out)
    : out_(out), buffer_(out.dtype() == DType::float32 ? out : Tensor::allocate(DType::float32, out.shape())) {}

void FloatOutput::store() {
  const float* from = buffer_.data<float>();
  if (out_.dtype() == DType::float16) convert(from, out_.data<Float16>(), out_.count());
  if (out_.dtype() == DType::bfloat16) convert(from, out_.data<BFloat16>(), out_.count());
  if (out_.dtype() == DType::float64) convert(from, out_.data<double>(), out_.count());
}

}  // namespace sardonyx
