// Copies of rows into matrices with gaps behind them.
#include "ops/util/append_rows.h"

#include <cstring>

#include "ops/util/elements.h"

namespace sardonyx {

void append_rows(ThreadPool& pool, std::span<const Tensor* const> parts, Tensor& y) {
  const int axis = y.rank() - 2;
  const int64_t matrices = y.shape().count(0, axis), size = y.dim(axis + 1);
  const auto bytes = [&](int64_t rows) { return static_cast<size_t>(dtype_bytes(y.dtype(), rows * size)); };
  const bool there = parts[0]->bytes() == y.bytes();
  const int64_t written = y.dim(axis) - (there ? parts[0]->dim(axis) : 0);
  const auto copy = [&](int64_t from, int64_t to) {
    int64_t at = 0;
    for (const Tensor* x : parts) {
      const int64_t rows = x->count() == 0 ? 0 : x->dim(axis);
      for (int64_t m = from; rows > 0 && m < to; m++) {
        std::byte* const out = y.bytes() + bytes(m * y.matrix_rows() + at);
        const std::byte* const in = x->bytes() + bytes(m * x->matrix_rows());
        if (in != out) memcpy(out, in, bytes(rows));
      }
      at += rows;
    }
  };
  pool.parallel_for(matrices, grain_of_bytes(static_cast<int64_t>(bytes(written))), copy);
}

}  // namespace sardonyx
