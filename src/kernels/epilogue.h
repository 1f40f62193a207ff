// What a product does to its result before it is stored: bias, residual, then a clamp or an activation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sardonyx::kernels {

// y[i] = f(x[i]) with up to two parameters; y may be x.
using ActivationF32 = void (*)(const float* x, float* y, size_t n, float alpha, float beta) noexcept;

// y = f(clamp(product + row_bias[row] + col_bias[column] + (accumulate ? r : 0), lo, hi)); NaN stays NaN.
// A row is an output channel of a convolution or a row of C. Clamp bounds express ReLU, ReLU6 or (default) nothing.
struct Epilogue {
  const float* row_bias = nullptr;  // [M] or null
  const float* col_bias = nullptr;  // [N] or null; ignored by convolutions
  bool accumulate = false;
  // Bytes from an element of y to the element that is added, laid out as y is; 0: y itself.
  ptrdiff_t addend = 0;
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
  ActivationF32 activation = nullptr;  // or none
  float alpha = 0, beta = 0;

  bool clamps() const noexcept {
    return lo > -std::numeric_limits<float>::infinity() || hi < std::numeric_limits<float>::infinity();
  }
};

// Where what is added to the elements at y begins. Another tensor than y's: the distance is no pointer difference.
inline const float* addend_of(const Epilogue& e, const float* y) noexcept {
  return reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(y) + static_cast<uintptr_t>(e.addend));
}

// The activation over `rows` rows of `cols` elements, ldc apart.
inline void activate(const Epilogue& e, float* c, size_t ldc, size_t rows, size_t cols) noexcept {
  if (!e.activation) return;
  for (size_t i = 0; i < rows; i++, c += ldc) e.activation(c, c, cols, e.alpha, e.beta);
}

}  // namespace sardonyx::kernels
