// The masks, windows and products of attention, in blocks of queries.
#include "ops/util/attention_core.h"

#include <algorithm>
#include <cmath>

#include "ops/util/scratch_slots.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

// The keys [first, end) that the causal rule, the window and the padding leave to a query.
struct Span {
  int64_t first, end;
};

template <class Steps>
struct Attending {
  using T = typename Steps::T;
  const AttentionSizes& s;
  const AttentionRules& rules;
  const AttentionOperands<T>& o;

  Span visible(int64_t batch, int64_t row) const noexcept {
    const int64_t valid = o.valid ? std::clamp<int64_t>(o.valid[batch], 0, s.total) : s.total;
    const int64_t at = row + (o.first ? o.first[batch] : o.valid ? valid - s.queries : s.past);
    int64_t end = valid;
    if (rules.causal) end = std::min(end, at + 1);
    if (rules.right >= 0 && rules.right < s.total + s.queries) end = std::min(end, at + rules.right + 1);
    const bool limited = rules.left >= 0 && rules.left < s.total + s.queries;
    const int64_t first = limited ? std::clamp<int64_t>(at - rules.left, 0, s.total) : 0;
    return {first, std::max(first, end)};
  }

  // Of one head: the keys as columns, and the values.
  struct Head {
    typename Steps::Matrix k, v;
  };
  Head head_of(int64_t batch, int64_t head) const noexcept;
  Head packed(const Head& h, T* to) const noexcept;
  void block(int64_t batch, int64_t head, const Head& operands, int64_t first, int64_t rows, T* scratch) const noexcept;
  void normalise_row(int64_t batch, int64_t head, int64_t row, int64_t columns, T* x) const noexcept;
  void softmax(int64_t head, T* x, size_t n) const noexcept;
};

// Rows of scores that lie in memory at once: few enough for a cache.
int64_t rows_per_block(const AttentionSizes& s) {
  const int64_t rows = (int64_t{1} << 16) / std::max<int64_t>(1, s.total) / 12 * 12;
  return std::min(s.queries, std::clamp<int64_t>(rows, 48, 192));
}

// Blocks that one task does with the same packed keys and values. Where rows see different keys each block takes its
// own.
template <class Steps>
int64_t blocks_per_task(const AttentionRules& rules, const AttentionOperands<typename Steps::T>& o) {
  const bool whole = !rules.causal && rules.left < 0 && rules.right < 0 && !o.valid;
  return whole || o.scores ? 16 : 1;
}

template <class Steps>
typename Attending<Steps>::Head Attending<Steps>::head_of(int64_t batch, int64_t head) const noexcept {
  const int64_t kv = head / (s.heads / s.kv_heads);
  return {Steps::matrix(o.k + batch * o.k_at.batch + kv * o.k_at.head, 1, static_cast<size_t>(o.k_at.row)),
          Steps::matrix(o.v + batch * o.v_at.batch + kv * o.v_at.head, static_cast<size_t>(o.v_at.row), 1)};
}

template <class Steps>
typename Attending<Steps>::Head Attending<Steps>::packed(const Head& h, T* to) const noexcept {
  const size_t size = static_cast<size_t>(s.size), total = static_cast<size_t>(s.total);
  return {Steps::pack(size, total, h.k, to),
          Steps::pack(total, static_cast<size_t>(s.v_size), h.v, to + Steps::packed_size(size, total))};
}

// Queries [first, first + rows) of one head.
template <class Steps>
void Attending<Steps>::block(int64_t batch, int64_t head, const Head& operands, int64_t first, int64_t rows,
                             T* scratch) const noexcept {
  const auto z = [](int64_t n) { return static_cast<size_t>(n); };
  const T* q = o.q + batch * o.q_at.batch + head * o.q_at.head + first * o.q_at.row;
  T* y = o.y + batch * o.y_at.batch + head * o.y_at.head + first * o.y_at.row;
  // Keys that no query of this block sees are left out.
  int64_t columns = s.total;
  if (!o.scores) {
    columns = 0;
    for (int64_t r = 0; r < rows; r++) columns = std::max(columns, visible(batch, first + r).end);
  }
  T* const x = scratch;
  T* free = scratch + (rows * s.total + 15) / 16 * 16;
  T scale = rules.scaled ? static_cast<T>(rules.scale) : s.size == 0 ? T{1} : 1 / std::sqrt(static_cast<T>(s.size));
  if (rows == 1) {  // a product of one row packs nothing, where there is no factor
    for (int64_t i = 0; i < s.size; i++) free[i] = q[i] * scale;
    q = free;
    free += (s.size + 15) / 16 * 16;
    scale = 1;
  }
  Steps::multiply(z(rows), z(s.size), z(columns), q, z(o.q_at.row), scale, operands.k, x, z(columns), free);
  for (int64_t r = 0; r < rows; r++) normalise_row(batch, head, first + r, columns, x + r * columns);
  Steps::multiply(z(rows), z(columns), z(s.v_size), x, z(columns), 1, operands.v, y, z(o.y_at.row), free);
}

// x: the scores of one query; their softmax comes out. A query that nothing is left to gets what rules.zeros says.
template <class Steps>
void Attending<Steps>::normalise_row(int64_t batch, int64_t head, int64_t row, int64_t columns, T* x) const noexcept {
  Span span = visible(batch, row);
  if (o.bias.data) span.end = std::max(span.first, std::min(span.end, o.bias.columns));
  const size_t n = static_cast<size_t>(columns), seen = static_cast<size_t>(span.end - span.first);
  T* out = o.scores ? o.scores + ((batch * s.heads + head) * s.queries + row) * s.total : nullptr;
  const auto keep = [&](int64_t mode) {
    if (out && rules.mode == mode) std::copy_n(x, n, out);
  };
  // What only the span excludes is not part of the scores until then.
  const auto cut = [&] {
    std::fill(x, x + std::min(span.first, columns), -INFINITY);
    std::fill(x + std::min(span.end, columns), x + columns, -INFINITY);
  };
  const T* bias = o.bias.data ? o.bias.data + batch * o.bias.batch + head * o.bias.head + row * o.bias.row : nullptr;
  const size_t step = static_cast<size_t>(o.bias.column);
  keep(0);
  if (rules.cap != 0 && rules.capped_first) Steps::cap(x, n, rules.cap);
  if (rules.capped_first) keep(1);
  if (bias) Steps::add(x + span.first, bias + span.first * o.bias.column, step, seen);
  if (!rules.capped_first && out && rules.mode == 1) cut(), keep(1);
  if (rules.cap != 0 && !rules.capped_first) {
    Steps::cap(x, n, rules.cap);
    // A mask's -inf excludes a key, whatever the cap would make of it.
    for (int64_t i = span.first; bias && i < span.end; i++) {
      if (bias[i * o.bias.column] == -INFINITY) x[i] = -INFINITY;
    }
  }
  if (out && rules.mode == 2) cut(), keep(2);
  bool any = (!bias || !rules.zeros) && seen > 0;
  for (int64_t i = span.first; !any && i < span.end; i++) any = bias[i * o.bias.column] != -INFINITY;
  std::fill(x, x + std::min(span.first, columns), T{0});
  std::fill(x + std::min(span.end, columns), x + columns, T{0});
  if (any) {
    softmax(head, x + span.first, seen);
  } else {
    std::fill(x, x + columns, T{0});
  }
  keep(3);
}

// With a sink, one more score takes part.
template <class Steps>
void Attending<Steps>::softmax(int64_t head, T* x, size_t n) const noexcept {
  if (!o.sinks) return Steps::softmax(x, n);
  const T kept = x[n];  // may belong to the next row
  x[n] = o.sinks[head];
  Steps::softmax(x, n + 1);
  x[n] = kept;
}

}  // namespace

template <class Steps>
void attend(RunContext& c, const AttentionSizes& s, const AttentionRules& rules,
            const AttentionOperands<typename Steps::T>& o) {
  using T = typename Steps::T;
  if (s.batch * s.heads * s.queries == 0) return;
  const int64_t rows = std::max<int64_t>(1, rows_per_block(s)), many = blocks_per_task<Steps>(rules, o);
  const int64_t task = std::min(s.queries, rows * many), tasks = (s.queries + task - 1) / task;
  const size_t m = static_cast<size_t>(rows), total = static_cast<size_t>(s.total);
  const size_t size = static_cast<size_t>(s.size), v_size = static_cast<size_t>(s.v_size);
  const size_t product = std::max(Steps::scratch(m, size, total), Steps::scratch(m, total, v_size));
  const int64_t block = rows * s.total + s.size + static_cast<int64_t>(product) + 64;
  const bool packs = task > rows;
  const size_t packed = packs ? Steps::packed_size(size, total) + Steps::packed_size(total, v_size) : 0;
  const int64_t work = std::max<int64_t>(1, task * s.total * std::max<int64_t>(1, s.size + s.v_size));
  ScratchSlots<T> slots(c, block + static_cast<int64_t>(packed));
  const Attending<Steps> attending{s, rules, o};
  c.pool().parallel_for(
      s.batch * s.heads * tasks, std::max<int64_t>(1, (1 << 17) / work), [&](int64_t from, int64_t to) {
        typename ScratchSlots<T>::Lease scratch(slots);
        for (int64_t i = from; i < to; i++) {
          const int64_t first = i % tasks * task, head = i / tasks % s.heads, batch = i / tasks / s.heads;
          auto operands = attending.head_of(batch, head);
          if (packs) operands = attending.packed(operands, scratch.data() + block);
          for (int64_t row = first, end = std::min(s.queries, first + task); row < end; row += rows)
            attending.block(batch, head, operands, row, std::min(rows, end - row), scratch.data());
        }
      });
}

template void attend<StepsF32>(RunContext&, const AttentionSizes&, const AttentionRules&,
                               const AttentionOperands<float>&);
template void attend<StepsF64>(RunContext&, const AttentionSizes&, const AttentionRules&,
                               const AttentionOperands<double>&);

namespace {

void append(DType type, const std::byte* x, const VectorLayout& at, int64_t batch, int64_t heads, int64_t rows,
            int64_t size, Tensor& y, int64_t first) {
  const int64_t length = y.matrix_rows();
  StridedBox box;
  box.add(batch, at.batch, heads * length * size);
  box.add(heads, at.head, length * size);
  box.add(rows, at.row, size);
  box.add(size, 1, 1);
  box.copy(type, x, 0, y.bytes(), first * size);
}

}  // namespace

void append_vectors(const Tensor& x, const VectorLayout& at, int64_t batch, int64_t heads, int64_t rows, int64_t size,
                    Tensor& y, int64_t first) {
  append(x.dtype(), x.bytes(), at, batch, heads, rows, size, y, first);
}

void append_vectors_f32(const float* x, const VectorLayout& at, int64_t batch, int64_t heads, int64_t rows,
                        int64_t size, Tensor& y, int64_t first) {
  append(DType::float32, reinterpret_cast<const std::byte*>(x), at, batch, heads, rows, size, y, first);
}

}  // namespace sardonyx
