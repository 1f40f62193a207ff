// The sizes of a matrix product with numpy's broadcasting.
#pragma once
#include <utility>

#include "base/error.h"
#include "base/shape.h"

namespace sardonyx {

// numpy.matmul: a of rank 1 is a row, b of rank 1 a column; leading dimensions are broadcast.
struct MatMulShape {
  size_t m = 1, k = 1, n = 1;
  Shape batch_a, batch_b, batch;
  Shape out;

  // merge: may the rows of a batch of A be taken as one matrix? They must lie one behind the other.
  MatMulShape(const Shape& a, const Shape& b, bool merge = true) {
    const bool row = a.rank() == 1, column = b.rank() == 1;
    const int64_t inner = column ? b[0] : b[b.rank() - 2];
    check(a.back() == inner, ErrorCode::invalid_input, "cannot multiply ", a, " by ", b, ": ", a.back(), " is not ",
          inner);
    k = static_cast<size_t>(inner);
    if (!row) {
      m = static_cast<size_t>(a[a.rank() - 2]);
      batch_a = Shape(a.dims().first(static_cast<size_t>(a.rank() - 2)));
    }
    if (!column) {
      n = static_cast<size_t>(b.back());
      batch_b = Shape(b.dims().first(static_cast<size_t>(b.rank() - 2)));
    }
    batch = broadcast(batch_a, batch_b);
    out = batch;
    if (!row) out.push_back(static_cast<int64_t>(m));
    if (!column) out.push_back(static_cast<int64_t>(n));
    if (merge && batch_b.count() == 1 && batch_a.count() == batch.count()) merge_rows();
  }

  // The matrices that product i multiplies.
  std::pair<int64_t, int64_t> positions(int64_t i) const { return {position(batch_a, i), position(batch_b, i)}; }

 private:
  // With one matrix B for all, the batch is only more rows.
  void merge_rows() {
    m *= static_cast<size_t>(batch.count());
    batch_a = batch_b = batch = Shape{};
  }

  int64_t position(const Shape& shape, int64_t i) const {
    int64_t at = 0, step = 1;
    for (int d = batch.rank() - 1, s = shape.rank() - 1; s >= 0; d--, s--) {
      if (shape[s] != 1) at += i % batch[d] * step;
      step *= shape[s];
      i /= batch[d];
    }
    return at;
  }
};

}  // namespace sardonyx
