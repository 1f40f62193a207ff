// Operators that compute every element of the output from one element of each of two tensors, with broadcasting.
#pragma once
#include "ops/operator.h"

namespace sardonyx {

// y[i] = op(a[i * stride_a], b[i * stride_b]) for i < n; strides are 0 or 1; y may be a or b where that stride is 1.
// The loop knows its types; for float16 and bfloat16 a loop of float32 is given blocks.
using BinaryLoop = void (*)(const void* a, size_t stride_a, const void* b, size_t stride_b, void* y, size_t n) noexcept;

// Runs the loop over a and b broadcast to y's shape.
void run_binary(ThreadPool& pool, const Tensor& a, const Tensor& b, Tensor& y, BinaryLoop loop);

// How the opsets 1 to 6 say where B goes: nowhere (no broadcasting at all), or by `broadcast` and `axis`.
class OldBroadcast {
 public:
  // Reads the attributes if the opset is below 7.
  explicit OldBroadcast(const Attributes& a);
  // The shape to take for B; from opset 7 on B's own. Throws Error (invalid_model) where the shapes do not fit.
  Shape shape_of_b(const Shape& a, const Shape& b) const;
  bool applies() const noexcept { return old_; }

 private:
  bool old_, broadcast_ = false, has_axis_ = false;
  int64_t axis_ = 0;
};

struct BinaryFunction {
  DTypeSet types;
  BinaryLoop (*loop)(DType type);  // never called for float16 and bfloat16
  bool to_bool = false;            // the output is of bool
};

class BinaryMap : public Operator {
 public:
  BinaryMap(const Attributes& a, const BinaryFunction& f, bool swapped = false) : f_(f), old_(a), swapped_(swapped) {}
  void infer(InferContext& c) const override;
  void run(RunContext& c) const override;
  uint32_t in_place() const override { return 3; }

 private:
  const BinaryFunction& f_;
  OldBroadcast old_;
  bool swapped_;  // op(b, a)
};

// A loop of one functor: Out F::operator()(T, T).
template <class T, class F, class Out = T>
void binary_loop(const void* a, size_t stride_a, const void* b, size_t stride_b, void* y, size_t n) noexcept {
  const T* x = static_cast<const T*>(a);
  const T* z = static_cast<const T*>(b);
  Out* out = static_cast<Out*>(y);
  if (stride_a && stride_b) {
    for (size_t i = 0; i < n; i++) out[i] = F{}(x[i], z[i]);
  } else if (stride_a) {
    const T right = *z;
    for (size_t i = 0; i < n; i++) out[i] = F{}(x[i], right);
  } else if (n > 0) {
    const T left = *x;
    for (size_t i = 0; i < n; i++) out[i] = F{}(left, z[i * stride_b]);
  }
}

// A float32 kernel (kernels::BinaryF32) as a BinaryLoop.
template <void (*kKernel)(const float*, size_t, const float*, size_t, float*, size_t) noexcept>
void kernel_loop(const void* a, size_t stride_a, const void* b, size_t stride_b, void* y, size_t n) noexcept {
  kKernel(static_cast<const float*>(a), stride_a, static_cast<const float*>(b), stride_b, static_cast<float*>(y), n);
}

}  // namespace sardonyx
