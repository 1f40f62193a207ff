// What a product does to its result before it is stored: bias, residual and clamp.
#pragma once

#include <limits>

namespace sardonyx::kernels {

// y = clamp(product + row_bias[row] + col_bias[column] + (accumulate ? y : 0), lo, hi); NaN stays NaN.
// A row is an output channel of a convolution or a row of C. Clamp bounds express ReLU, ReLU6 or (default) nothing.
struct Epilogue {
  const float* row_bias = nullptr;  // [M] or null
  const float* col_bias = nullptr;  // [N] or null; ignored by convolutions
  bool accumulate = false;
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
};

}  // namespace sardonyx::kernels
