// The packing of 8-bit operands and the split of integer products into tasks.
#include "ops/util/product_x8.h"

#include <algorithm>

#include "kernels/quant/matmul_x8.h"

namespace sardonyx {
namespace {

constexpr size_t kTaskWork = size_t{1} << 21;  // multiply-adds per task, about

size_t round_up(size_t a, size_t b) { return (a + b - 1) / b * b; }

}  // namespace

std::vector<int32_t> byte_values(const Tensor& t) {
  std::vector<int32_t> v;
  for (int64_t i = 0; i < t.count(); i++) v.push_back(is_signed(t) ? t.data<int8_t>()[i] : t.data<uint8_t>()[i]);
  return v;
}

PackedX8::PackedX8(const Tensor& b, const ZeroPoints& zeros) {
  const int r = b.rank();
  const int64_t k = r == 1 ? b.dim(0) : b.dim(r - 2), n = r == 1 ? 1 : b.dim(r - 1);
  const int64_t batch = r > 2 ? b.shape().count(0, r - 2) : 1;
  const size_t rows = static_cast<size_t>(k), columns = static_cast<size_t>(n);
  const auto matrix = [&](int64_t i) {
    return kernels::MatrixX8{b.bytes() + i * k * n, columns, 1, is_signed(b), zeros.of(i, n), zeros.per_line()};
  };
  kernels::PlanX8 plan;
  if (batch == 1) {
    plan = kernels::matmul_x8_plan(rows, columns, matrix(0));
  } else {  // all matrices in one form
    plan.form = kernels::best_form_x8(static_cast<size_t>(batch) * rows, columns,
                                      {b.bytes(), columns, 1, is_signed(b), nullptr, false});
    plan.size = kernels::matmul_x8_packed_b_size(plan.form, rows, columns, matrix(0));
  }
  form_ = plan.form;
  size_ = round_up(plan.size, 64);
  bytes_ = Tensor::allocate(DType::uint8, {batch, static_cast<int64_t>(size_)});
  for (int64_t i = 0; i < batch; i++)
    kernels::matmul_x8_pack_b(form_, rows, columns, matrix(i), bytes_.data<uint8_t>() + static_cast<size_t>(i) * size_);
}

PackedX8 PackedX8::of_constants(PrepareContext& c, int b_input, int zero_input, bool has_zero) {
  const Tensor *b = c.constant(b_input), *zero = c.constant(zero_input);
  if (!b || !b->has_data() || b->rank() < 1 || !kBytes.has(b->dtype()) || b->count() == 0) return {};
  if (has_zero && (!zero || !zero->has_data() || !kBytes.has(zero->dtype()))) return {};
  const int64_t n = b->rank() == 1 ? 1 : b->dim(b->rank() - 1),
                batch = b->rank() > 2 ? b->shape().count(0, b->rank() - 2) : 1;
  if (has_zero && !fits_lines(zero->shape(), n, n * batch)) return {};
  PackedX8 packed(*b, {has_zero ? byte_values(*zero) : std::vector<int32_t>()});
  c.release(b_input);
  return packed;
}

void multiply_x8(RunContext& c, const MatMulShape& s, const Tensor& a, ZeroPoints zeros, const PackedX8& b, int32_t* y,
                 const SumsDone* done) {
  if (s.out.count() == 0) return;
  // Zero points per row were given for the rows of A as they lie, which may have become more rows of one matrix.
  const size_t given = zeros.values.size();
  for (size_t i = given; given > 1 && i < s.m; i++) zeros.values.push_back(zeros.values[i - given]);
  const kernels::FormX8 form = b.form();
  const size_t strip = kernels::matmul_x8_strip(form);
  auto* packed = c.scratch<uint8_t>(static_cast<int64_t>(kernels::matmul_x8_packed_a_size(form, s.m, s.k)));
  // Panels of pairs are widened once a task.
  const size_t least = form == kernels::FormX8::pairs ? 64 : 32;
  const size_t rows = std::min(round_up(s.m, strip), round_up(std::max(least, kTaskWork / (s.k * s.n + 1)), strip));
  const size_t columns = std::min(round_up(s.n, 8), std::max<size_t>(64, round_up(kTaskWork / (s.k * rows + 1), 8)));
  const size_t row_tasks = (s.m + rows - 1) / rows, tasks = row_tasks * ((s.n + columns - 1) / columns);
  for (int64_t i = 0; i < s.batch.count(); i++) {
    const auto [at_a, at_b] = s.positions(i);
    const kernels::MatrixX8 left{a.bytes() + static_cast<size_t>(at_a) * s.m * s.k,
                                 s.k,
                                 1,
                                 is_signed(a),
                                 zeros.of(at_a, static_cast<int64_t>(s.m)),
                                 zeros.per_line()};
    const int64_t first = i * static_cast<int64_t>(s.m);
    const uint8_t* right = b.matrix(at_b);
    int32_t* to = y + static_cast<size_t>(first) * s.n;
    c.pool().parallel_for(static_cast<int64_t>(row_tasks), 1, [&](int64_t from, int64_t end) {
      kernels::matmul_x8_pack_a(form, static_cast<size_t>(from) * rows, std::min(s.m, static_cast<size_t>(end) * rows),
                                s.k, left, packed);
    });
    c.pool().parallel_for(static_cast<int64_t>(tasks), 1, [&](int64_t from, int64_t end) {
      for (size_t t = static_cast<size_t>(from); t < static_cast<size_t>(end); t++) {
        const size_t m0 = t % row_tasks * rows, m1 = std::min(s.m, m0 + rows);
        const size_t n0 = t / row_tasks * columns, n1 = std::min(s.n, n0 + columns);
        kernels::matmul_x8_i32(form, s.k, m0, m1, n0, n1, packed, right, to, s.n);
        if (done)
          done->block(first + static_cast<int64_t>(m0), first + static_cast<int64_t>(m1), static_cast<int64_t>(n0),
                      static_cast<int64_t>(n1));
      }
    });
  }
}

}  // namespace sardonyx
