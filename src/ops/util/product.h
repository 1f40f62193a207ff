// Matrix products as operators run them: split over threads, in float32 by the kernels, in other types plainly.
#pragma once
#include <vector>

#include "kernels/gemm/gemm_f32.h"
#include "ops/operator.h"

namespace sardonyx {

// One float32 product c [m][n] = alpha * a * b, row stride of c is n, with its epilogue.
struct ProductF32 {
  kernels::MatrixF32 a;
  kernels::GemmB b;
  float* c;
  kernels::Epilogue epilogue;
};

// The sizes that all products of a batch share.
struct ProductSize {
  size_t m, k, n;
  float alpha = 1;
};

// Runs product(i) for i in [0, batch). Takes the run's scratch. The split depends on the sizes only.
class ProductSource {
 public:
  virtual ProductF32 product(int64_t i) const = 0;

 protected:
  ~ProductSource() = default;
};
void multiply_f32(RunContext& c, int64_t batch, const ProductSize& size, const ProductSource& source);

// b [k][n] (with any strides) times a scale per column (none: 1), packed as B of the kernels; denormal elements become
// 0.
void pack_b(size_t k, size_t n, const kernels::MatrixF32& b, std::span<const float> column_scale, float* packed);

// The same where b lies, if it can be: b row-major [k][n] or, transposed, [n][k], float32, memory of the caller. False:
// nothing is done.
bool pack_own_b(size_t k, size_t n, bool transposed, std::span<const float> column_scale, Tensor& b);

// Matrices k x n in a tensor, each from an element of it on.
struct StoredMatrices {
  size_t k, n, row_stride, column_stride;
  std::vector<size_t> at;
};

// Takes constant input 1, where it is float16 and finite, as B of the kernels in 16 bits, one matrix behind the other,
// in its own memory if it can: `packed` is float16 then, with codes of this unit. False: nothing is done.
bool pack_half_b(const StoredMatrices& b, PrepareContext& c, Tensor& packed, float& unit);

// The B that begins at element `at` of what is packed in float32 or in 16 bits.
kernels::GemmB packed_b(const Tensor& packed, float unit, size_t at);

// One product in type T; element (i, j) at data[i * row_stride + j * col_stride], c row-major.
template <class T>
struct PlainMatrix {
  const T* data;
  size_t row_stride;
  size_t col_stride;
};

// Rows [m0, m1) of c = a * b; overflow wraps for unsigned T.
template <class T>
void multiply_rows(size_t m0, size_t m1, size_t k, size_t n, const PlainMatrix<T>& a, const PlainMatrix<T>& b,
                   T* c) noexcept {
  for (size_t i = m0; i < m1; i++) {
    T* row = c + i * n;
    for (size_t j = 0; j < n; j++) row[j] = 0;
    for (size_t p = 0; p < k; p++) {
      const T x = a.data[i * a.row_stride + p * a.col_stride];
      const T* y = b.data + p * b.row_stride;
      for (size_t j = 0; j < n; j++) row[j] += x * y[j * b.col_stride];
    }
  }
}

}  // namespace sardonyx
