// The steps of attention in float32, by the kernels, and in float64, plainly.
#pragma once
#include <algorithm>
#include <cmath>

#include "kernels/elementwise/binary_f32.h"
#include "kernels/gemm/gemm_f32.h"
#include "kernels/math/math_f32.h"
#include "kernels/norm/softmax.h"

namespace sardonyx {

// multiply: c [m][n] = alpha a b with row strides lda and ldc and any strides of b. cap: x = limit tanh(x / limit).
// add: x[i] += y[i * stride]. softmax: over n > 0 elements.
struct StepsF32 {
  using T = float;
  static size_t scratch(size_t m, size_t k, size_t n) { return kernels::gemm_dynamic_scratch_size(m, k, n); }
  static void multiply(size_t m, size_t k, size_t n, const float* a, size_t lda, float alpha, const float* b,
                       size_t b_row, size_t b_column, float* c, size_t ldc, float* scratch) noexcept {
    kernels::gemm_dynamic_f32(m, k, n, {a, lda, 1}, alpha, {{b, b_row, b_column}}, c, ldc, scratch);
  }
  static void cap(float* x, size_t n, float limit) noexcept {
    const float down = 1 / limit;
    kernels::mul_f32(x, 1, &down, 0, x, n);
    kernels::tanh_f32(x, x, n);
    kernels::mul_f32(x, 1, &limit, 0, x, n);
  }
  static void add(float* x, const float* y, size_t stride, size_t n) noexcept {
    kernels::add_f32(x, 1, y, stride, x, n);
  }
  static void softmax(float* x, size_t n) noexcept { kernels::softmax_rows_f32(x, x, 1, n); }
};

struct StepsF64 {
  using T = double;
  static size_t scratch(size_t, size_t, size_t) { return 0; }
  static void multiply(size_t m, size_t k, size_t n, const double* a, size_t lda, double alpha, const double* b,
                       size_t b_row, size_t b_column, double* c, size_t ldc, double*) noexcept {
    for (size_t i = 0; i < m; i++) {
      std::fill_n(c + i * ldc, n, 0.0);
      for (size_t p = 0; p < k; p++) {
        const double x = alpha * a[i * lda + p];
        for (size_t j = 0; j < n; j++) c[i * ldc + j] += x * b[p * b_row + j * b_column];
      }
    }
  }
  static void cap(double* x, size_t n, double limit) noexcept {
    for (size_t i = 0; i < n; i++) x[i] = limit * std::tanh(x[i] / limit);
  }
  static void add(double* x, const double* y, size_t stride, size_t n) noexcept {
    for (size_t i = 0; i < n; i++) x[i] += y[i * stride];
  }
  static void softmax(double* x, size_t n) noexcept {
    double largest = x[0], sum = 0;
    for (size_t i = 1; i < n; i++) largest = std::fmax(largest, x[i]);
    for (size_t i = 0; i < n; i++) sum += x[i] = std::exp(x[i] - largest);
    for (size_t i = 0; i < n; i++) x[i] /= sum;
  }
};

}  // namespace sardonyx
