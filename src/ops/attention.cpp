// Attention: scaled products of queries and keys, masked, normalised, and applied to values.
#include <cmath>

#include "ops/families.h"
#include "ops/util/attention_steps.h"
#include "ops/util/convert.h"
#include "ops/util/scratch_slots.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

enum Input { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kSizes };
enum Output { kResult, kPresentKey, kPresentValue, kScores };

// Sizes, named as in the standard.
struct Sizes {
  int64_t batch, heads, kv_heads, queries, keys, past, total, size, v_size;
};

// Where the vectors of a tensor lie: element i of vector r of head h is i after batch * b + head * h + row * r.
struct Layout {
  int64_t batch, head, row;
};

// Vectors with `heads` heads of `size` elements: [batch][heads][rows][size], or [batch][rows][heads][size].
Layout layout_of(bool rows_first, int64_t heads, int64_t rows, int64_t size) {
  return {heads * rows * size, rows_first ? size : rows * size, rows_first ? heads * size : size};
}

// What is added to the scores, in T; strides are 0 where a dimension of 1 repeats.
template <class T>
struct Bias {
  const T* data = nullptr;
  int64_t batch = 0, head = 0, row = 0, column = 0;
  int64_t columns = 0;  // keys from here on are not attended
};

template <class T>
struct Operands {
  const T *q, *k, *v;
  Layout q_at, k_at, v_at, y_at;
  Bias<T> bias;
  const int64_t* sizes;  // keys that are no padding, per batch; or null
  T* y;
  T* scores;  // [batch][heads][queries][total], or null
};

class Attention final : public Operator {
 public:
  explicit Attention(const Attributes& a)
      : capped_first_(a.since >= 24),
        pads_mask_(a.since >= 24),
        causal_(a.flag("is_causal", false)),
        heads_(a.integer("q_num_heads", 0)),
        kv_heads_(a.integer("kv_num_heads", 0)),
        mode_(a.integer("qk_matmul_output_mode", 0)),
        scaled_(a.has("scale")),
        scale_(a.number("scale", 1)),
        cap_(a.number("softcap", 0)),
        left_(a.since >= 25 ? a.integer("left_window_size", -1) : -1),
        right_(a.since >= 25 ? a.integer("right_window_size", -1) : -1) {
    check(heads_ >= 0 && kv_heads_ >= 0, ErrorCode::invalid_model, "q_num_heads is ", heads_, ", kv_num_heads ",
          kv_heads_);
    check(mode_ >= 0 && mode_ <= 3, ErrorCode::invalid_model, "qk_matmul_output_mode is ", mode_, ", not 0 to 3");
    check(left_ >= -1 && right_ >= -1, ErrorCode::invalid_model, "left_window_size is ", left_, ", right_window_size ",
          right_, "; both must be -1 or more");
    const int64_t precision = a.integer("softmax_precision", 1);
    check(precision == 0 || precision == 1 || precision == 10 || precision == 11 || precision == 16,
          ErrorCode::invalid_model, "softmax_precision is ", precision, ", not that of a float type");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 7);
    c.require_dtype(kQuery, kFloat);
    c.require_same_dtype(kQuery, kKey);
    c.require_dtype(kValue, kFloat);
    c.require_rank(kQuery, 3, 4);
    for (int i : {kKey, kValue}) c.require_rank(i, c.rank(kQuery), c.rank(kQuery));
    check(c.has_input(kPastKey) == c.has_input(kPastValue), ErrorCode::invalid_model,
          "past_key and past_value must be given together");
    const bool past = c.has_input(kPastKey);
    check(!(past && c.has_input(kSizes)), ErrorCode::invalid_model, "nonpad_kv_seqlen and past_key exclude each other");
    if (past) {
      c.require_same_dtype(kKey, kPastKey);
      c.require_same_dtype(kValue, kPastValue);
    }
    const Sizes s = sizes(c.shape(kQuery), c.shape(kKey), c.shape(kValue), past ? &c.shape(kPastKey) : nullptr,
                          past ? &c.shape(kPastValue) : nullptr);
    if (c.has_input(kMask)) {
      c.require_dtype(kMask, kNumeric | kBool);
      bias_layout<float>(c.shape(kMask), s);
    }
    if (c.has_input(kSizes)) {
      c.require_dtype(kSizes, {DType::int64});
      check(c.shape(kSizes) == Shape{s.batch}, ErrorCode::invalid_input, "nonpad_kv_seqlen has shape ", c.shape(kSizes),
            " for a batch of ", s.batch);
    }
    const bool flat = c.rank(kQuery) == 3;
    c.set_output(kResult, c.dtype(kQuery),
                 flat ? Shape{s.batch, s.queries, s.heads * s.v_size} : Shape{s.batch, s.heads, s.queries, s.v_size});
    if (c.has_output(kPresentKey))
      c.set_output(kPresentKey, c.dtype(kKey), Shape{s.batch, s.kv_heads, s.total, s.size});
    if (c.has_output(kPresentValue)) {
      c.set_output(kPresentValue, c.dtype(kValue), Shape{s.batch, s.kv_heads, s.total, s.v_size});
    }
    if (c.has_output(kScores)) c.set_output(kScores, c.dtype(kQuery), Shape{s.batch, s.heads, s.queries, s.total});
  }

  void run(RunContext& c) const override {
    const bool past = c.has_input(kPastKey);
    const Sizes s = sizes(c.input(kQuery).shape(), c.input(kKey).shape(), c.input(kValue).shape(),
                          past ? &c.input(kPastKey).shape() : nullptr, past ? &c.input(kPastValue).shape() : nullptr);
    const Tensor key = present(c, s, kKey, kPastKey, kPresentKey, s.size);
    const Tensor value = present(c, s, kValue, kPastValue, kPresentValue, s.v_size);
    const bool wide = c.input(kQuery).dtype() == DType::float64 || value.dtype() == DType::float64;
    wide ? run_as<StepsF64>(c, s, key, value) : run_as<StepsF32>(c, s, key, value);
  }

 private:
  Sizes sizes(const Shape& q, const Shape& k, const Shape& v, const Shape* past_k, const Shape* past_v) const;

  // How the mask of this shape repeats over [batch, heads, queries, total]; `data` is left null.
  template <class T>
  Bias<T> bias_layout(const Shape& mask, const Sizes& s) const {
    const int64_t dims[] = {s.batch, s.heads, s.queries, s.total};
    Bias<T> b;
    b.columns = s.total;
    int64_t* const strides[] = {&b.batch, &b.head, &b.row, &b.column};
    bool fits = mask.rank() <= 4;
    int64_t step = 1;
    for (int i = mask.rank() - 1, d = 3; fits && i >= 0; i--, d--) {
      const bool shorter = d == 3 && pads_mask_ && mask[i] < dims[d];
      fits = mask[i] == dims[d] || mask[i] == 1 || shorter;
      if (shorter) b.columns = mask[i];
      if (mask[i] != 1) *strides[d] = step;
      step *= mask[i];
    }
    check(fits, ErrorCode::invalid_input, "attn_mask of shape ", mask, " does not fit ",
          Shape{s.batch, s.heads, s.queries, s.total});
    return b;
  }

  // The keys or values with those of the past, [batch][kv_heads][total][size]; the input itself (of whatever layout)
  // where there is nothing to join and no output to write.
  static Tensor present(RunContext& c, const Sizes& s, int input, int past, int output, int64_t size) {
    const Tensor& x = c.input(input);
    const bool wanted = c.has_output(output);
    if (!wanted && !c.has_input(past)) return x;
    Tensor y = wanted ? c.output(output) : Tensor::allocate(x.dtype(), {s.batch, s.kv_heads, s.total, size});
    const Layout at = layout_of(x.rank() == 3, s.kv_heads, s.keys, size);
    const auto append = [&](const Tensor& from, const Layout& l, int64_t rows, int64_t first) {
      StridedBox box;
      box.add(s.batch, l.batch, s.kv_heads * s.total * size);
      box.add(s.kv_heads, l.head, s.total * size);
      box.add(rows, l.row, size);
      box.add(size, 1, 1);
      box.copy(x.dtype(), from.bytes(), 0, y.bytes(), first * size);
    };
    if (c.has_input(past)) append(c.input(past), layout_of(false, s.kv_heads, s.past, size), s.past, 0);
    append(x, at, s.keys, s.past);
    return y;
  }

  template <class Steps>
  void run_as(RunContext& c, const Sizes& s, const Tensor& key, const Tensor& value) const;
  template <class Steps>
  void attend(const Sizes& s, const Operands<typename Steps::T>& o, int64_t batch, int64_t head, int64_t first,
              int64_t rows, typename Steps::T* scratch) const noexcept;
  template <class Steps>
  void normalise_row(const Sizes& s, const Operands<typename Steps::T>& o, int64_t batch, int64_t head, int64_t row,
                     int64_t columns, typename Steps::T* x) const noexcept;

  // The keys [first, end) that the causal rule, the window and the padding leave to a query.
  struct Span {
    int64_t first, end;
  };
  Span visible(const Sizes& s, const int64_t* nonpad, int64_t batch, int64_t row) const noexcept {
    const int64_t valid = nonpad ? std::clamp<int64_t>(nonpad[batch], 0, s.total) : s.total;
    const int64_t at = row + (nonpad ? valid - s.queries : s.past);
    int64_t end = valid;
    if (causal_) end = std::min(end, at + 1);
    if (right_ >= 0 && right_ < s.total + s.queries) end = std::min(end, at + right_ + 1);
    const int64_t first = left_ >= 0 && left_ < s.total + s.queries ? std::clamp<int64_t>(at - left_, 0, s.total) : 0;
    return {first, std::max(first, end)};
  }

  bool capped_first_;  // opset 23 caps what the mask has been added to
  bool pads_mask_;     // from opset 24 on a mask may be too short
  bool causal_;
  int64_t heads_, kv_heads_, mode_;
  bool scaled_;
  float scale_, cap_;
  int64_t left_, right_;
};

Sizes Attention::sizes(const Shape& q, const Shape& k, const Shape& v, const Shape* past_k, const Shape* past_v) const {
  Sizes s{};
  s.batch = q[0];
  if (q.rank() == 3) {
    s.heads = heads_, s.kv_heads = kv_heads_;
    check(heads_ > 0 && kv_heads_ > 0, ErrorCode::invalid_model, "inputs of rank 3 need q_num_heads and kv_num_heads");
    check(q[2] % heads_ == 0 && k[2] % kv_heads_ == 0 && v[2] % kv_heads_ == 0, ErrorCode::invalid_input,
          "hidden sizes ", q[2], ", ", k[2], " and ", v[2], " are no multiples of ", heads_, " and ", kv_heads_,
          " heads");
    s.size = q[2] / heads_, s.v_size = v[2] / kv_heads_;
    check(k[2] / kv_heads_ == s.size, ErrorCode::invalid_input, "heads of Q have ", s.size, " elements, those of K ",
          k[2] / kv_heads_);
  } else {
    s.heads = q[1], s.kv_heads = k[1], s.size = q[3], s.v_size = v[3];
    check(v[1] == k[1] && k[3] == q[3], ErrorCode::invalid_input, "Q of shape ", q, ", K of ", k, " and V of ", v,
          " do not fit");
  }
  const int rows = q.rank() - 2;
  s.queries = q[rows], s.keys = k[rows];
  check(k[0] == s.batch && v[0] == s.batch && v[rows] == s.keys, ErrorCode::invalid_input, "Q of shape ", q, ", K of ",
        k, " and V of ", v, " do not fit");
  check(s.kv_heads > 0 ? s.heads % s.kv_heads == 0 : s.heads == 0, ErrorCode::invalid_input, s.heads,
        " heads of Q are no multiple of ", s.kv_heads, " heads of K and V");
  if (past_k) {
    s.past = past_k->rank() == 4 ? (*past_k)[2] : 0;
    check(*past_k == (Shape{s.batch, s.kv_heads, s.past, s.size}) &&
              *past_v == (Shape{s.batch, s.kv_heads, s.past, s.v_size}),
          ErrorCode::invalid_input, "past_key of shape ", *past_k, " and past_value of ", *past_v,
          " do not fit K and V");
  }
  s.total = s.past + s.keys;
  return s;
}

// Rows of scores that one task holds: enough to hide the packing of the keys, few enough for a cache.
int64_t rows_per_task(const Sizes& s) {
  const int64_t rows = (int64_t{1} << 16) / std::max<int64_t>(1, s.total) / 12 * 12;
  return std::min(s.queries, std::clamp<int64_t>(rows, 48, 192));
}

template <class Steps>
void Attention::run_as(RunContext& c, const Sizes& s, const Tensor& key, const Tensor& value) const {
  using T = typename Steps::T;
  const Tensor q = convert(c.input(kQuery), dtype_of<T>()), k = convert(key, dtype_of<T>()),
               v = convert(value, dtype_of<T>());
  Tensor mask = c.has_input(kMask) ? convert(c.input(kMask), dtype_of<T>()) : Tensor();
  Operands<T> o{q.data<T>(), k.data<T>(), v.data<T>(), {}, {}, {}, {}, {}, nullptr, nullptr, nullptr};
  const bool flat = q.rank() == 3;
  o.q_at = layout_of(flat, s.heads, s.queries, s.size);
  o.y_at = layout_of(flat, s.heads, s.queries, s.v_size);
  o.k_at = layout_of(k.rank() == 3, s.kv_heads, s.total, s.size);
  o.v_at = layout_of(v.rank() == 3, s.kv_heads, s.total, s.v_size);
  if (mask.defined()) {
    o.bias = bias_layout<T>(mask.shape(), s);
    if (c.input(kMask).dtype() == DType::boolean) {
      for (int64_t i = 0; i < mask.count(); i++) mask.data<T>()[i] = mask.data<T>()[i] != 0 ? 0 : -INFINITY;
    }
    o.bias.data = mask.data<T>();
  }
  if (c.has_input(kSizes)) o.sizes = c.input(kSizes).data<int64_t>();
  const auto target = [](Tensor& y) {
    return y.dtype() == dtype_of<T>() ? y : Tensor::allocate(dtype_of<T>(), y.shape());
  };
  Tensor y = target(c.output(kResult)), scores = c.has_output(kScores) ? target(c.output(kScores)) : Tensor();
  o.y = y.data<T>();
  if (scores.defined()) o.scores = scores.data<T>();
  const int64_t rows = std::max<int64_t>(1, rows_per_task(s)), blocks = (s.queries + rows - 1) / rows;
  const size_t m = static_cast<size_t>(rows), total = static_cast<size_t>(s.total);
  const size_t product = std::max(Steps::scratch(m, static_cast<size_t>(s.size), total),
                                  Steps::scratch(m, total, static_cast<size_t>(s.v_size)));
  const int64_t work = std::max<int64_t>(1, rows * s.total * std::max<int64_t>(1, s.size + s.v_size));
  ScratchSlots<T> slots(c, rows * s.total + static_cast<int64_t>(product) + 64);
  c.pool().parallel_for(
      s.batch * s.heads * blocks, std::max<int64_t>(1, (1 << 17) / work), [&](int64_t from, int64_t to) {
        typename ScratchSlots<T>::Lease scratch(slots);
        for (int64_t i = from; i < to; i++) {
          const int64_t first = i % blocks * rows, head = i / blocks % s.heads;
          attend<Steps>(s, o, i / blocks / s.heads, head, first, std::min(rows, s.queries - first), scratch.data());
        }
      });
  if (y.dtype() != c.output(kResult).dtype()) sardonyx::convert(c.pool(), y, c.output(kResult), {});
  if (scores.defined() && scores.dtype() != c.output(kScores).dtype())
    sardonyx::convert(c.pool(), scores, c.output(kScores), {});
}

// Queries [first, first + rows) of one head.
template <class Steps>
void Attention::attend(const Sizes& s, const Operands<typename Steps::T>& o, int64_t batch, int64_t head, int64_t first,
                       int64_t rows, typename Steps::T* scratch) const noexcept {
  using T = typename Steps::T;
  const auto z = [](int64_t n) { return static_cast<size_t>(n); };
  const int64_t kv = head / (s.heads / s.kv_heads);
  const T* q = o.q + batch * o.q_at.batch + head * o.q_at.head + first * o.q_at.row;
  const T* k = o.k + batch * o.k_at.batch + kv * o.k_at.head;
  const T* v = o.v + batch * o.v_at.batch + kv * o.v_at.head;
  T* y = o.y + batch * o.y_at.batch + head * o.y_at.head + first * o.y_at.row;
  // Keys that no query of this block sees are left out.
  int64_t columns = s.total;
  if (!o.scores) {
    columns = 0;
    for (int64_t r = 0; r < rows; r++) columns = std::max(columns, visible(s, o.sizes, batch, first + r).end);
  }
  T* const x = scratch;
  T* const free = scratch + (rows * s.total + 15) / 16 * 16;
  const T scale = scaled_ ? static_cast<T>(scale_) : s.size == 0 ? T{1} : 1 / std::sqrt(static_cast<T>(s.size));
  Steps::multiply(z(rows), z(s.size), z(columns), q, z(o.q_at.row), scale, k, 1, z(o.k_at.row), x, z(columns), free);
  for (int64_t r = 0; r < rows; r++) normalise_row<Steps>(s, o, batch, head, first + r, columns, x + r * columns);
  Steps::multiply(z(rows), z(columns), z(s.v_size), x, z(columns), 1, v, z(o.v_at.row), 1, y, z(o.y_at.row), free);
}

// x: the scores of one query; their softmax comes out. A query that nothing is left to gets zeros.
template <class Steps>
void Attention::normalise_row(const Sizes& s, const Operands<typename Steps::T>& o, int64_t batch, int64_t head,
                              int64_t row, int64_t columns, typename Steps::T* x) const noexcept {
  using T = typename Steps::T;
  Span span = visible(s, o.sizes, batch, row);
  if (o.bias.data) span.end = std::max(span.first, std::min(span.end, o.bias.columns));
  const size_t n = static_cast<size_t>(columns), seen = static_cast<size_t>(span.end - span.first);
  T* out = o.scores ? o.scores + ((batch * s.heads + head) * s.queries + row) * s.total : nullptr;
  const auto keep = [&](int64_t mode) {
    if (out && mode_ == mode) std::copy_n(x, n, out);
  };
  // What only the span excludes is not part of the scores until then.
  const auto cut = [&] {
    std::fill(x, x + std::min(span.first, columns), -INFINITY);
    std::fill(x + std::min(span.end, columns), x + columns, -INFINITY);
  };
  const T* bias = o.bias.data ? o.bias.data + batch * o.bias.batch + head * o.bias.head + row * o.bias.row : nullptr;
  const size_t step = static_cast<size_t>(o.bias.column);
  keep(0);
  if (cap_ != 0 && capped_first_) Steps::cap(x, n, cap_);
  if (capped_first_) keep(1);
  if (bias) Steps::add(x + span.first, bias + span.first * o.bias.column, step, seen);
  if (!capped_first_ && out && mode_ == 1) cut(), keep(1);
  if (cap_ != 0 && !capped_first_) {
    Steps::cap(x, n, cap_);
    // A mask's -inf excludes a key, whatever the cap would make of it.
    for (int64_t i = span.first; bias && i < span.end; i++) {
      if (bias[i * o.bias.column] == -INFINITY) x[i] = -INFINITY;
    }
  }
  if (out && mode_ == 2) cut(), keep(2);
  bool any = !bias && seen > 0;
  for (int64_t i = span.first; !any && i < span.end; i++) any = bias[i * o.bias.column] != -INFINITY;
  std::fill(x, x + std::min(span.first, columns), T{0});
  std::fill(x + std::min(span.end, columns), x + columns, T{0});
  if (any) {
    Steps::softmax(x + span.first, seen);
  } else {
    std::fill(x, x + columns, T{0});
  }
  keep(3);
}

constexpr OpEntry kOps[] = {
    {"Attention", 23, make_operator<Attention>},
    {"Attention", 24, make_operator<Attention>},
    {"Attention", 25, make_operator<Attention>},
};

}  // namespace

std::span<const OpEntry> attention_ops() { return kOps; }

}  // namespace sardonyx
