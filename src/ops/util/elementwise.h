// Operators that compute every element of one tensor by itself: y = f(x), with up to two parameters.
#pragma once
#include <array>
#include <cstddef>

#include "ops/operator.h"

namespace sardonyx {

// A function in the types that it is computed in. y may be x. p holds the parameters.
struct ElementFunction {
  using F32 = void (*)(const float* x, float* y, size_t n, const float* p) noexcept;
  using F64 = void (*)(const double* x, double* y, size_t n, const float* p) noexcept;
  using Int = void (*)(DType type, const void* x, void* y, size_t n, const float* p) noexcept;
  F32 f32;
  F64 f64;
  DTypeSet types = kFloat;
  Int integer = nullptr;  // for the integers in `types`
};

class ElementMap final : public Operator {
 public:
  explicit ElementMap(const ElementFunction& f, float p0 = 0, float p1 = 0) : f_(f), p_{p0, p1} {}
  void infer(InferContext& c) const override;
  void run(RunContext& c) const override;
  uint32_t in_place() const override { return 1; }

 private:
  const ElementFunction& f_;
  std::array<float, 2> p_;
};

// y[i] = F{}(x[i], p) for any T.
template <class T, class F>
void map_elements(const T* x, T* y, size_t n, const float* p) noexcept {
  for (size_t i = 0; i < n; i++) y[i] = F{}(x[i], p);
}

// A kernel without parameters as an ElementFunction::F32.
template <void (*kKernel)(const float*, float*, size_t) noexcept>
void plain_f32(const float* x, float* y, size_t n, const float*) noexcept {
  kKernel(x, y, n);
}

}  // namespace sardonyx
