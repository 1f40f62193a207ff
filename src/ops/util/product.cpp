// The split of float32 products into tasks.
#include "ops/util/product.h"

#include <algorithm>

#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

constexpr size_t kTaskWork = size_t{1} << 21;   // multiply-adds per task, about
constexpr size_t kSmallWork = size_t{1} << 17;  // products below are run several per task

size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }
size_t round_up(size_t a, size_t b) { return ceil_div(a, b) * b; }

// Rows and columns per task. A task packs its rows of A, and its columns of B where B is not packed: both stay large
// enough to hide that.
struct Tasks {
  size_t rows, columns;
};
Tasks split(const ProductSize& s, bool packed) {
  const size_t row_work = std::max<size_t>(1, s.k * s.n);
  const size_t least = packed ? 24 : 96;
  Tasks t{std::min(s.m, std::max(least, round_up(kTaskWork / row_work, 12))), s.n};
  const size_t column_work = std::max<size_t>(1, s.k * t.rows);
  t.columns = std::min(s.n, std::max<size_t>(64, round_up(2 * kTaskWork / column_work, 8)));
  return t;
}

// The part of a product with rows from m0 and columns from n0 on.
ProductF32 part(const ProductF32& p, const ProductSize& s, size_t m0, size_t n0) {
  ProductF32 q = p;
  q.a.data += m0 * p.a.row_stride;
  q.b.matrix.data += p.b.packed ? n0 * s.k : n0 * p.b.matrix.col_stride;
  q.c += m0 * s.n + n0;
  if (q.epilogue.row_bias) q.epilogue.row_bias += m0;
  if (q.epilogue.col_bias) q.epilogue.col_bias += n0;
  return q;
}

}  // namespace

void multiply_f32(RunContext& c, int64_t batch, const ProductSize& s, const ProductSource& source) {
  if (batch == 0 || s.m == 0 || s.n == 0) return;
  const Tasks t = split(s, source.product(0).b.packed);
  const size_t row_tasks = ceil_div(s.m, t.rows), column_tasks = ceil_div(s.n, t.columns);
  const size_t tasks = row_tasks * column_tasks;
  const uint64_t work = std::max<uint64_t>(1, uint64_t{s.m} * s.k * s.n);
  const int64_t grain = tasks > 1 ? 1 : static_cast<int64_t>(std::max<uint64_t>(1, kSmallWork / work));
  ScratchSlots<float> slots(c, static_cast<int64_t>(kernels::gemm_dynamic_scratch_size(t.rows, s.k, t.columns)));
  c.pool().parallel_for(batch * static_cast<int64_t>(tasks), grain, [&](int64_t from, int64_t to) {
    ScratchSlots<float>::Lease scratch(slots);
    for (int64_t i = from; i < to; i++) {
      const size_t task = static_cast<size_t>(i) % tasks;
      const size_t m0 = task % row_tasks * t.rows, n0 = task / row_tasks * t.columns;
      const ProductF32 p = part(source.product(i / static_cast<int64_t>(tasks)), s, m0, n0);
      kernels::gemm_dynamic_f32(std::min(t.rows, s.m - m0), s.k, std::min(t.columns, s.n - n0), p.a, s.alpha, p.b, p.c,
                                s.n, scratch.data(), p.epilogue);
    }
  });
}

void pack_b(size_t k, size_t n, const kernels::MatrixF32& b, std::span<const float> column_scale, float* packed) {
  constexpr size_t kColumns = 32;  // at a time, while they are in a cache
  if (column_scale.empty()) {
    for (size_t j = 0; j < n; j += kColumns, packed += kColumns * k) {
      const size_t columns = std::min(kColumns, n - j);
      kernels::gemm_pack_b_f32(k, columns, {b.data + j * b.col_stride, b.row_stride, b.col_stride}, packed);
      kernels::flush_denormals_f32(packed, round_up(columns, 8) * k);
    }
    return;
  }
  Tensor scaled = Tensor::allocate(DType::float32, {static_cast<int64_t>(k), static_cast<int64_t>(n)});
  float* to = scaled.data<float>();
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < n; j++) *to++ = b.data[i * b.row_stride + j * b.col_stride] * column_scale[j];
  }
  pack_b(k, n, {scaled.data<float>(), n, 1}, {}, packed);
}

bool pack_transposed_b(size_t k, size_t n, std::span<const float> column_scale, Tensor& b) {
  if (n % 8 != 0) return false;
  float* data = b.data<float>();
  for (size_t j = 0; j < column_scale.size(); j++) {
    for (size_t i = 0; i < k; i++) data[j * k + i] *= column_scale[j];
  }
  Tensor scratch = Tensor::allocate(DType::float32, {static_cast<int64_t>(kernels::gemm_pack_scratch_size(k))});
  kernels::gemm_pack_b_in_place_f32(k, n, data, scratch.data<float>());
  return true;
}

}  // namespace sardonyx
