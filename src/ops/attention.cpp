// Attention: scaled products of queries and keys, masked, normalised, and applied to values.
#include <algorithm>
#include <cmath>

#include "ops/families.h"
#include "ops/util/attention_core.h"
#include "ops/util/convert.h"

namespace sardonyx {
namespace {

enum Input { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kSizes };
enum Output { kResult, kPresentKey, kPresentValue, kScores };

using Sizes = AttentionSizes;

class Attention final : public Operator {
 public:
  explicit Attention(const Attributes& a)
      : pads_mask_(a.since >= 24), heads_(a.integer("q_num_heads", 0)), kv_heads_(a.integer("kv_num_heads", 0)) {
    rules_.causal = a.flag("is_causal", false);
    rules_.scaled = a.has("scale");
    rules_.scale = a.number("scale", 1);
    rules_.cap = a.number("softcap", 0);
    rules_.capped_first = a.since >= 24;
    rules_.mode = a.integer("qk_matmul_output_mode", 0);
    rules_.left = a.since >= 25 ? a.integer("left_window_size", -1) : -1;
    rules_.right = a.since >= 25 ? a.integer("right_window_size", -1) : -1;
    check(heads_ >= 0 && kv_heads_ >= 0, ErrorCode::invalid_model, "q_num_heads is ", heads_, ", kv_num_heads ",
          kv_heads_);
    check(rules_.mode >= 0 && rules_.mode <= 3, ErrorCode::invalid_model, "qk_matmul_output_mode is ", rules_.mode,
          ", not 0 to 3");
    check(rules_.left >= -1 && rules_.right >= -1, ErrorCode::invalid_model, "left_window_size is ", rules_.left,
          ", right_window_size ", rules_.right, "; both must be -1 or more");
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

  bool takes_room(int input, int) const override { return input == kPastKey || input == kPastValue; }
  int appended_to(int output, int) const override {
    return output == kPresentKey ? kPastKey : output == kPresentValue ? kPastValue : -1;
  }

  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const bool past = inputs.size() > kPastValue && inputs[kPastValue].present;
    return sizes(inputs[kQuery].shape, inputs[kKey].shape, inputs[kValue].shape,
                 past ? &inputs[kPastKey].shape : nullptr, past ? &inputs[kPastValue].shape : nullptr)
        .macs();
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
  AttentionBias<T> bias_layout(const Shape& mask, const Sizes& s) const {
    const int64_t dims[] = {s.batch, s.heads, s.queries, s.total};
    AttentionBias<T> b;
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
    if (c.has_input(past) && c.input(past).bytes() != y.bytes()) {
      append_vectors(c.input(past), layout_of(false, s.kv_heads, c.input(past).matrix_rows(), size), s.batch,
                     s.kv_heads, s.past, size, y, 0);
    }
    append_vectors(x, layout_of(x.rank() == 3, s.kv_heads, s.keys, size), s.batch, s.kv_heads, s.keys, size, y, s.past);
    return y;
  }

  template <class Steps>
  void run_as(RunContext& c, const Sizes& s, const Tensor& key, const Tensor& value) const;

  bool pads_mask_;  // from opset 24 on a mask may be too short
  int64_t heads_, kv_heads_;
  AttentionRules rules_;
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

template <class Steps>
void Attention::run_as(RunContext& c, const Sizes& s, const Tensor& key, const Tensor& value) const {
  using T = typename Steps::T;
  const Tensor q = convert(c.input(kQuery), dtype_of<T>()), k = convert(key, dtype_of<T>()),
               v = convert(value, dtype_of<T>());
  Tensor mask = c.has_input(kMask) ? convert(c.input(kMask), dtype_of<T>()) : Tensor();
  AttentionOperands<T> o;
  o.q = q.data<T>(), o.k = k.data<T>(), o.v = v.data<T>();
  const bool flat = q.rank() == 3;
  o.q_at = layout_of(flat, s.heads, s.queries, s.size);
  o.y_at = layout_of(flat, s.heads, s.queries, s.v_size);
  const auto rows = [&](const Tensor& x) { return x.rank() == 3 ? s.total : x.matrix_rows(); };
  o.k_at = layout_of(k.rank() == 3, s.kv_heads, rows(k), s.size);
  o.v_at = layout_of(v.rank() == 3, s.kv_heads, rows(v), s.v_size);
  if (mask.defined()) {
    o.bias = bias_layout<T>(mask.shape(), s);
    if (c.input(kMask).dtype() == DType::boolean) {
      for (int64_t i = 0; i < mask.count(); i++) mask.data<T>()[i] = mask.data<T>()[i] != 0 ? 0 : -INFINITY;
    }
    o.bias.data = mask.data<T>();
  }
  if (c.has_input(kSizes)) o.valid = c.input(kSizes).data<int64_t>();
  const auto target = [](Tensor& y) {
    return y.dtype() == dtype_of<T>() ? y : Tensor::allocate(dtype_of<T>(), y.shape());
  };
  Tensor y = target(c.output(kResult)), scores = c.has_output(kScores) ? target(c.output(kScores)) : Tensor();
  o.y = y.data<T>();
  if (scores.defined()) o.scores = scores.data<T>();
  attend<Steps>(c, s, rules_, o);
  if (y.dtype() != c.output(kResult).dtype()) sardonyx::convert(c.pool(), y, c.output(kResult), {});
  if (scores.defined() && scores.dtype() != c.output(kScores).dtype())
    sardonyx::convert(c.pool(), scores, c.output(kScores), {});
}

constexpr OpEntry kOps[] = {
    {"Attention", 23, make_operator<Attention>},
    {"Attention", 24, make_operator<Attention>},
    {"Attention", 25, make_operator<Attention>},
};

}  // namespace

std::span<const OpEntry> attention_ops() { return kOps; }

}  // namespace sardonyx
