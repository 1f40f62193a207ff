// The split of float32 products into tasks.
#include "ops/util/product.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

constexpr size_t kTaskWork = size_t{1} << 21;   // multiply-adds per task, about
constexpr size_t kSmallWork = size_t{1} << 17;  // products below are run several per task
// Products of few rows read their weights as fast as these come. Each thread gets streams of 256 KB or more, so that it
// finds in its own cache what it read in the run before; one thread reads all in one.
constexpr size_t kFewRows = 4, kStreamWork = size_t{1} << 16, kStreamColumns = 32, kStreamsPerThread = 2;

size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }
size_t round_up(size_t a, size_t b) { return ceil_div(a, b) * b; }

// Rows and columns per task. A task packs its rows of A, and its columns of B where B is not packed in float32: both
// stay large enough to hide that.
struct Tasks {
  size_t rows, columns;
};
Tasks split(const ProductSize& s, const kernels::GemmB& b, size_t threads) {
  const size_t row_work = std::max<size_t>(1, s.k * s.n);
  const size_t least = b.packed ? 24 : 96;
  Tasks t{std::min(s.m, std::max(least, round_up(kTaskWork / row_work, 12))), s.n};
  if (s.m <= kFewRows && (b.packed || b.codes.data)) {
    const size_t most = threads == 1 ? 1 : threads * kStreamsPerThread;
    const size_t streams = std::clamp<size_t>(s.k * s.n / kStreamWork, 1, most);
    t.columns = round_up(ceil_div(s.n, streams), kStreamColumns);
    return t;
  }
  const size_t column_work = std::max<size_t>(1, s.k * t.rows);
  t.columns = std::min(s.n, std::max<size_t>(64, round_up(2 * kTaskWork / column_work, 8)));
  return t;
}

// The part of a product with rows from m0 and columns from n0 on.
ProductF32 part(const ProductF32& p, const ProductSize& s, size_t m0, size_t n0) {
  ProductF32 q = p;
  q.a.data += m0 * p.a.row_stride;
  if (p.b.codes.data) {
    q.b.codes.data += n0 * s.k;
  } else {
    q.b.matrix.data += p.b.packed ? n0 * s.k : n0 * p.b.matrix.col_stride;
  }
  q.c += m0 * s.n + n0;
  if (q.epilogue.row_bias) q.epilogue.row_bias += m0;
  if (q.epilogue.col_bias) q.epilogue.col_bias += n0;
  return q;
}

}  // namespace

void multiply_f32(RunContext& c, int64_t batch, const ProductSize& s, const ProductSource& source) {
  if (batch == 0 || s.m == 0 || s.n == 0) return;
  const Tasks t = split(s, source.product(0).b, static_cast<size_t>(c.pool().threads()));
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

namespace {

// The blocks of 8 columns of a row-major matrix become panels where they lie, from block to block.
template <class T>
void make_panels(T* elements, size_t rows, size_t columns) {
  using Block = std::array<T, 8>;
  Block* data = reinterpret_cast<Block*>(elements);
  columns /= 8;
  std::vector<bool> done(rows * columns);
  for (size_t start = 0; start < done.size(); start++) {
    if (done[start]) continue;
    Block moved = data[start];
    for (size_t at = start; !done[at];) {
      done[at] = true;
      const size_t row = at / columns;
      at = (at - row * columns) * rows + row;
      std::swap(moved, data[at]);
    }
  }
}

// half_pack_b() of one matrix where it lies; n is a multiple of 8.
void pack_own_half_b(const StoredMatrices& b, uint16_t* data) {
  if (b.column_stride == 1) return make_panels(data, b.k, b.n);
  std::vector<uint16_t> panel(kernels::gemm_packed_b_size(b.k, 8));
  for (size_t at = 0; at < b.n * b.k; at += 8 * b.k) {
    kernels::half_pack_b(b.k, 8, {data + at, 1, b.k}, panel.data());
    std::copy_n(panel.data(), 8 * b.k, data + at);
  }
}

}  // namespace

bool pack_half_b(const StoredMatrices& b, PrepareContext& c, Tensor& packed, float& unit) {
  const Tensor& w = *c.constant(1);
  if (w.dtype() != DType::float16) return false;
  const size_t size = kernels::gemm_packed_b_size(b.k, b.n);
  const bool rows = b.row_stride == b.n && b.column_stride == 1;
  const bool columns = b.row_stride == 1 && b.column_stride == b.k;
  const bool own = c.exclusive(1) && b.at.size() == 1 && b.n % 8 == 0 && (rows || columns);
  Tensor all = w;
  if (!own) {
    all = Tensor::allocate(DType::float16, {static_cast<int64_t>(b.at.size()), static_cast<int64_t>(size)});
    for (size_t i = 0; i < b.at.size(); i++) {
      kernels::half_pack_b(b.k, b.n, {w.data<uint16_t>() + b.at[i], b.row_stride, b.column_stride},
                           all.data<uint16_t>() + i * size);
    }
  }
  unit = kernels::half_to_codes(all.data<uint16_t>(), static_cast<size_t>(all.count()));
  if (unit == 0) return false;
  if (own) pack_own_half_b(b, all.data<uint16_t>());
  c.release(1);
  packed = std::move(all);
  return true;
}

kernels::GemmB packed_b(const Tensor& packed, float unit, size_t at) {
  if (packed.dtype() == DType::float32) return {{packed.data<float>() + at, 0, 0}, true};
  return {{}, false, {packed.data<uint16_t>() + at, unit}};
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

bool pack_own_b(size_t k, size_t n, bool transposed, std::span<const float> column_scale, Tensor& b) {
  if (n % 8 != 0) return false;
  float* data = b.data<float>();
  for (size_t i = 0; i < k * n && !column_scale.empty(); i++) data[i] *= column_scale[transposed ? i / k : i % n];
  if (!transposed) {
    make_panels(data, k, n);
    kernels::flush_denormals_f32(data, k * n);
    return true;
  }
  Tensor scratch = Tensor::allocate(DType::float32, {static_cast<int64_t>(kernels::gemm_pack_scratch_size(k))});
  kernels::gemm_pack_b_in_place_f32(k, n, data, scratch.data<float>());
  return true;
}

}  // namespace sardonyx
