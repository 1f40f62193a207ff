// The steps of attention in float32, by the kernels, and in float64, plainly.
#pragma once
#include <algorithm>
#include <cmath>

#include "kernels/elementwise/binary_f32.h"
#include "kernels/gemm/gemm_f32.h"
#include "kernels/math/math_f32.h"
#include "kernels/norm/softmax.h"

namespace sardonyx {

// Matrix: b [k][n] of any strides. pack: the same for many products, into packed_size() elements. multiply: c [m][n] =
// alpha a b with row strides lda and ldc. cap: x = limit tanh(x / limit).
// add: x[i] += y[i * stride]. softmax: over n > 0 elements.
struct StepsF32 {
  using T = float;
  using Matrix = kernels::GemmB;
  static Matrix matrix(const float* b, size_t row, size_t column) { return {{b, row, column}}; }
  static size_t packed_size(size_t k, size_t n) { return kernels::gemm_packed_b_size(k, n); }
  static Matrix pack(size_t k, size_t n, const Matrix& b, float* packed) noexcept {
    kernels::gemm_pack_b_f32(k, n, b.matrix, packed);
    return {{packed, n, 1}, true};
  }
  static size_t scratch(size_t m, size_t k, size_t n) { return kernels::gemm_dynamic_scratch_size(m, k, n); }
  static void multiply(size_t m, size_t k, size_t n, const float* a, size_t lda, float alpha, const Matrix& b, float* c,
                       size_t ldc, float* scratch) noexcept {
    kernels::gemm_dynamic_f32(m, k, n, {a, lda, 1}, alpha, b, c, ldc, scratch);
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
  struct Matrix {
    const double* data;
    size_t row, column;
  };
  static Matrix matrix(const double* b, size_t row, size_t column) { return {b, row, column}; }
  static size_t packed_size(size_t, size_t) { return 0; }
  static Matrix pack(size_t, size_t, const Matrix& b, double*) noexcept { return b; }
  static size_t scratch(size_t, size_t, size_t) { return 0; }
  static void multiply(size_t m, size_t k, size_t n, const double* a, size_t lda, double alpha, const Matrix& b,
                       double* c, size_t ldc, double*) noexcept {
    for (size_t i = 0; i < m; i++) {
      std::fill_n(c + i * ldc, n, 0.0);
      for (size_t p = 0; p < k; p++) {
        const double x = alpha * a[i * lda + p];
        for (size_t j = 0; j < n; j++) c[i * ldc + j] += x * b.data[p * b.row + j * b.column];
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
