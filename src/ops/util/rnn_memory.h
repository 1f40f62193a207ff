// Weights and working memory of recurrent operators, in float by the kernels and in double plainly.
#pragma once
#include <algorithm>

#include "base/tensor.h"
#include "kernels/gemm/gemm_f32.h"

namespace sardonyx {

// y[rows][n] (row stride ldy) += x[rows][k] times the transposed w[n][k], which is packed for float.
template <class T>
struct RnnWeights {
  const T* data = nullptr;
  size_t k = 0, n = 0;

  void add_product(const T* x, size_t rows, T* y, size_t ldy, T* scratch) const noexcept {
    if constexpr (std::is_same_v<T, float>) {
      kernels::Epilogue e;
      e.accumulate = true;
      kernels::gemm_dynamic_f32(rows, k, n, {x, k, 1}, 1, {{data, 0, 0}, true}, y, ldy, scratch, e);
    } else {
      for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++) {
          T sum = 0;
          for (size_t p = 0; p < k; p++) sum += x[i * k + p] * data[j * k + p];
          y[i * ldy + j] += sum;
        }
      }
    }
  }
};

// Zeroed working memory with the slack that kernels may read.
template <class T>
class RnnWork {
 public:
  explicit RnnWork(int64_t n) : memory_(Tensor::allocate(dtype_of<T>(), {n})) { std::fill_n(data(), n, T{0}); }
  T* data() noexcept { return memory_.template data<T>(); }
  const T* data() const noexcept { return memory_.template data<T>(); }
  T& operator[](size_t i) noexcept { return data()[i]; }

 private:
  Tensor memory_;
};

}  // namespace sardonyx
