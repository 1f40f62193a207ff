// Det: determinants of square matrices.
#include <cmath>
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

// By elimination with partial pivoting; m [n][n] is overwritten. 1 for n = 0.
double determinant(double* m, int64_t n) noexcept {
  double product = 1;
  for (int64_t k = 0; k < n; k++) {
    int64_t pivot = k;
    for (int64_t r = k + 1; r < n; r++) {
      if (std::abs(m[r * n + k]) > std::abs(m[pivot * n + k])) pivot = r;
    }
    if (pivot != k) {
      std::swap_ranges(m + k * n, m + (k + 1) * n, m + pivot * n);
      product = -product;
    }
    const double at = m[k * n + k];
    product *= at;
    if (at == 0) return product;
    for (int64_t r = k + 1; r < n; r++) {
      const double factor = m[r * n + k] / at;
      for (int64_t i = k + 1; i < n; i++) m[r * n + i] -= factor * m[k * n + i];
    }
  }
  return product;
}

class Det final : public Operator {
 public:
  explicit Det(const Attributes&) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 2);
    const Shape& x = c.shape(0);
    const int batch = x.rank() - 2;
    check(x[batch] == x[batch + 1], ErrorCode::invalid_input, "matrices of ", x[batch], "x", x[batch + 1],
          " are not square");
    c.set_output(0, c.dtype(0), Shape(x.dims().first(static_cast<size_t>(batch))));
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    const int64_t n = x.shape().back(), size = n * n;
    std::vector<double> matrix(static_cast<size_t>(size));
    for (int64_t i = 0; i < y.count(); i++) {
      c.services().check_abort();
      for (int64_t k = 0; k < size; k++) matrix[static_cast<size_t>(k)] = float_at(x, i * size + k);
      put_float(y, i, determinant(matrix.data(), n));
    }
  }
};

constexpr OpEntry kOps[] = {{"Det", 11, make_operator<Det>}, {"Det", 22, make_operator<Det>}};

}  // namespace

std::span<const OpEntry> det_ops() { return kOps; }

}  // namespace sardonyx
