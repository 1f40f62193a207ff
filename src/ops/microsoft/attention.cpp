// com.microsoft MultiHeadAttention, Attention and QAttention.
#include <algorithm>
#include <vector>

#include "kernels/quant/matmul_x8.h"
#include "ops/families.h"
#include "ops/microsoft/attention_parts.h"
#include "ops/util/as_float.h"
#include "ops/util/macs.h"
#include "ops/util/product.h"
#include "ops/util/product_x8.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kFloats = kFloat - DTypeSet{DType::float64};

// Queries, keys and values projected elsewhere, apart or packed side by side per head.
class MultiHeadAttention final : public Operator {
 public:
  explicit MultiHeadAttention(const Attributes& a) : a_(a), fixed_(a.inputs > kPastLength) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, 9);
    c.require_dtype(kQuery, kFloats);
    c.require_rank(kQuery, 3, 5);
    for (int i : {kKey, kValue, kBias, kPastKey, kPastValue}) {
      if (c.has_input(i)) c.require_same_dtype(kQuery, i);
    }
    check(c.has_input(kPastKey) == c.has_input(kPastValue), ErrorCode::invalid_model,
          "past_key and past_value must be given together");
    if (c.has_input(kPastLength)) {
      c.require_dtype(kPastLength, {DType::int32});
      check(c.has_input(kPastKey) && c.shape(kPastLength).count() == 1, ErrorCode::invalid_input,
            "past_sequence_length has shape ", c.shape(kPastLength), ", or there is no past");
      if (!c.value(kPastLength)) return c.defer();
    }
    const auto shape_of = [&](int i) { return c.has_input(i) ? &c.shape(i) : nullptr; };
    const AttentionSizes s = sizes(c.shape(kQuery), shape_of(kKey), shape_of(kValue), shape_of(kPastKey),
                                   shape_of(kPastValue), c.has_input(kPastLength) ? c.value(kPastLength) : nullptr);
    if (c.has_input(kBias)) {
      const int64_t n = s.heads * (2 * s.size + s.v_size);
      check(c.shape(kBias) == Shape{n}, ErrorCode::invalid_input, "bias has shape ", c.shape(kBias), ", not ", n);
    }
    require_masks(c, kMasks, s);
    c.set_output(0, c.dtype(0), {s.batch, s.queries, s.heads * s.v_size});
    const int64_t rows = c.has_input(kPastLength) ? c.shape(kPastKey)[2] : s.total;
    c.set_output(1, c.dtype(0), {s.batch, s.heads, rows, s.size});
    c.set_output(2, c.dtype(0), {s.batch, s.heads, rows, s.v_size});
    c.set_output(3, c.dtype(0), {s.batch, s.heads, s.queries, s.total});
  }

  int written_over(int output) const override { return fixed_ ? past_of(output) : -1; }
  bool takes_room(int input, int) const override { return !fixed_ && (input == kPastKey || input == kPastValue); }
  int appended_to(int output, int) const override { return fixed_ ? -1 : past_of(output); }

  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const auto in = [&](size_t i) { return i < inputs.size() && inputs[i].present ? &inputs[i] : nullptr; };
    const auto shape_of = [&](size_t i) { return in(i) ? &in(i)->shape : nullptr; };
    const InferInput* length = in(kPastLength);
    return sizes(inputs[kQuery].shape, shape_of(kKey), shape_of(kValue), shape_of(kPastKey), shape_of(kPastValue),
                 length && length->value ? &length->value->tensor() : nullptr)
        .macs();
  }

  void run(RunContext& c) const override {
    const auto shape_of = [&](int i) { return c.has_input(i) ? &c.input(i).shape() : nullptr; };
    const AttentionSizes s = sizes(c.input(kQuery).shape(), shape_of(kKey), shape_of(kValue), shape_of(kPastKey),
                                   shape_of(kPastValue), c.has_input(kPastLength) ? &c.input(kPastLength) : nullptr);
    Tensor q = to_float32(c.input(kQuery)), k = c.has_input(kKey) ? to_float32(c.input(kKey)) : q,
           v = c.has_input(kValue) ? to_float32(c.input(kValue)) : k;
    NewVectors x{q.data<float>(), k.data<float>(), v.data<float>(), {}, {}, {}};
    x.q_at = layout_of(true, s.heads, s.queries, s.size);
    x.k_at = layout_of(k.rank() != 4, s.heads, s.keys, s.size);
    x.v_at = layout_of(v.rank() != 4, s.heads, s.keys, s.v_size);
    if (q.rank() == 5) {
      x.q_at = x.k_at = x.v_at = {s.queries * s.heads * 3 * s.size, 3 * s.size, s.heads * 3 * s.size};
      x.k += s.size, x.v += 2 * s.size;
    } else if (k.rank() == 5) {
      x.k_at = x.v_at = {s.keys * s.heads * 2 * s.size, 2 * s.size, s.heads * 2 * s.size};
      x.v += s.size;
    }
    std::vector<Tensor> hold;
    if (c.has_input(kBias)) {
      const Tensor bias = to_float32(c.input(kBias));
      const float* b = bias.data<float>();
      const int64_t hidden = s.heads * s.size;
      x.q = biased(s, x.q, x.q_at, s.queries, s.size, b, hold);
      // Keys that come with their heads first were projected, and had their bias, before.
      if (k.rank() != 4) x.k = biased(s, x.k, x.k_at, s.keys, s.size, b + hidden, hold);
      if (v.rank() != 4) x.v = biased(s, x.v, x.v_at, s.keys, s.v_size, b + 2 * hidden, hold);
    }
    Tensor scores;
    if (c.has_output(3)) scores = Tensor::allocate(DType::float32, c.output(3).shape());
    attend_masked(c, a_, s, kMasks, x, cache(c, kPastKey, 1), cache(c, kPastValue, 2),
                  scores.defined() ? &scores : nullptr);
    if (scores.defined())
      store_floats(c.output(3).dtype(), scores.data<float>(), c.output(3).bytes(), 0, scores.count());
  }

 private:
  enum Input { kQuery, kKey, kValue, kBias, kMask, kAttentionBias, kPastKey, kPastValue, kPastLength };
  static constexpr MaskInputs kMasks{kMask, kAttentionBias};

  static int past_of(int output) { return output == 1 ? kPastKey : output == 2 ? kPastValue : -1; }

  static Cache cache(RunContext& c, int past, int present) {
    return {c.has_input(past) ? c.input(past) : Tensor(), c.has_output(present) ? c.output(present) : Tensor()};
  }

  AttentionSizes sizes(const Shape& q, const Shape* k, const Shape* v, const Shape* past_k, const Shape* past_v,
                       const Tensor* past_length) const {
    AttentionSizes s{};
    s.batch = q[0], s.queries = s.keys = q[1], s.heads = s.kv_heads = a_.heads;
    if (q.rank() == 5) {
      check(!k && !v && q[2] == s.heads && q[3] == 3, ErrorCode::invalid_input, "packed queries of shape ", q);
      s.size = s.v_size = q[4];
    } else {
      check(q.rank() == 3 && q[2] % s.heads == 0 && k, ErrorCode::invalid_input, "queries of shape ", q, " for ",
            s.heads, " heads, or no keys");
      s.size = s.v_size = q[2] / s.heads;
      s.keys = (*k)[k->rank() == 4 ? 2 : 1];
      const bool key_fits = k->rank() == 3   ? *k == Shape{s.batch, s.keys, q[2]}
                            : k->rank() == 4 ? *k == Shape{s.batch, s.heads, s.keys, s.size}
                                             : *k == Shape{s.batch, s.keys, s.heads, 2, s.size};
      check(key_fits && (k->rank() == 5) == !v, ErrorCode::invalid_input, "keys of shape ", *k,
            " do not fit queries of ", q, ", or there are no values");
      if (v) s.v_size = v->rank() == 4 ? (*v)[3] : v->back() / s.heads;
      check(!v || *v == (v->rank() == 4 ? Shape{s.batch, s.heads, s.keys, s.v_size}
                                        : Shape{s.batch, s.keys, s.heads * s.v_size}),
            ErrorCode::invalid_input, "values of shape ", v ? *v : Shape{}, " do not fit keys of ", *k);
    }
    if (past_k) {
      s.past = past_k->rank() == 4 ? (*past_k)[2] : 0;
      check(*past_k == (Shape{s.batch, s.heads, s.past, s.size}) &&
                *past_v == (Shape{s.batch, s.heads, s.past, s.v_size}),
            ErrorCode::invalid_input, "past_key of shape ", *past_k, " and past_value of ", *past_v, " do not fit");
      if (past_length) {
        const int64_t room = s.past;
        s.past = past_length->data<int32_t>()[0];
        check(s.past >= 0 && s.past <= room - s.keys, ErrorCode::invalid_input, "past_sequence_length is ", s.past,
              " with ", s.keys, " new keys in a cache of ", room);
      }
    }
    s.total = s.past + s.keys;
    return s;
  }

  static const float* biased(const AttentionSizes& s, const float* x, VectorLayout& at, int64_t rows, int64_t size,
                             const float* bias, std::vector<Tensor>& hold) {
    Tensor y = Tensor::allocate(DType::float32, {s.batch, rows, s.heads, size});
    float* to = y.data<float>();
    for (int64_t b = 0; b < s.batch; b++) {
      for (int64_t r = 0; r < rows; r++) {
        for (int64_t h = 0; h < s.heads; h++) {
          const float* from = x + b * at.batch + r * at.row + h * at.head;
          for (int64_t i = 0; i < size; i++) *to++ = from[i] + bias[h * size + i];
        }
      }
    }
    at = layout_of(true, s.heads, rows, size);
    hold.push_back(y);
    return y.data<float>();
  }

  AttentionAttributes a_;
  bool fixed_;  // a cache of fixed length, of which past_sequence_length says how much is filled
};

// What Attention and QAttention have in common: one product makes queries, keys and values.
class ProjectedAttention : public Operator {
 public:
  ProjectedAttention(const Attributes& a, const MaskInputs& masks, int past)
      : a_(a), widths_(a.ints("qkv_hidden_sizes")), masks_(masks), past_(past) {
    check(!a.flag("do_rotary", false) && !a.flag("past_present_share_buffer", false), ErrorCode::invalid_model,
          "do_rotary and past_present_share_buffer are not supported");
    a.ignore("rotary_embedding_dim");
    check(widths_.empty() || (widths_.size() == 3 && widths_[0] == widths_[1] && widths_[0] > 0 && widths_[2] > 0 &&
                              widths_[0] % a_.heads == 0 && widths_[2] % a_.heads == 0),
          ErrorCode::invalid_model, "qkv_hidden_sizes do not divide into ", a_.heads, " heads");
  }

  bool takes_room(int input, int) const override { return input == past_; }
  int appended_to(int output, int) const override { return output == 1 ? past_ : -1; }

  // The projection's, and those of the attention.
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const Shape &x = inputs[0].shape, &w = inputs[1].shape;
    const size_t past = static_cast<size_t>(past_);
    const bool has_past = past < inputs.size() && inputs[past].present;
    return matmul_macs(x, w[1]) + sizes(x, w, has_past ? &inputs[past].shape : nullptr).macs();
  }

 protected:
  AttentionSizes sizes(const Shape& x, const Shape& w, const Shape* past) const {
    AttentionSizes s{};
    s.batch = x[0], s.queries = s.keys = x[1], s.heads = s.kv_heads = a_.heads;
    const int64_t hidden = widths_.empty() ? w[1] / 3 : widths_[0], v_hidden = widths_.empty() ? w[1] / 3 : widths_[2];
    check(w[0] == x[2] && w[1] == 2 * hidden + v_hidden && hidden % s.heads == 0, ErrorCode::invalid_input,
          "weights of shape ", w, " do not fit input of ", x, " and ", s.heads, " heads");
    s.size = hidden / s.heads, s.v_size = v_hidden / s.heads;
    if (past) {
      s.past = past->rank() == 5 ? (*past)[3] : 0;
      check(*past == (Shape{2, s.batch, s.heads, s.past, s.size}) && s.size == s.v_size, ErrorCode::invalid_input,
            "past of shape ", *past, " does not fit");
    }
    s.total = s.past + s.keys;
    return s;
  }

  void infer_outputs(InferContext& c, DType type) const {
    c.require_rank(0, 3, 3);
    c.require_rank(1, 2, 2);
    if (c.has_input(past_)) check(c.dtype(past_) == type, ErrorCode::invalid_model, "past is ", c.dtype(past_));
    const AttentionSizes s = sizes(c.shape(0), c.shape(1), c.has_input(past_) ? &c.shape(past_) : nullptr);
    if (c.has_input(2)) {
      check(c.dtype(2) == type && c.shape(2) == Shape{c.shape(1)[1]}, ErrorCode::invalid_input, "bias of ", c.dtype(2),
            " has shape ", c.shape(2), " for ", c.shape(1)[1], " columns");
    }
    require_masks(c, masks_, s);
    c.set_output(0, type, {s.batch, s.queries, s.heads * s.v_size});
    check(!c.has_output(1) || s.size == s.v_size, ErrorCode::invalid_model,
          "present needs keys and values of one size");
    c.set_output(1, type, {2, s.batch, s.heads, s.total, s.size});
  }

  // x: [batch][queries][queries' heads, keys' heads, values' heads].
  void finish(RunContext& c, const float* x) const {
    const AttentionSizes s =
        sizes(c.input(0).shape(), c.input(1).shape(), c.has_input(past_) ? &c.input(past_).shape() : nullptr);
    const int64_t hidden = s.heads * s.size, row = 2 * hidden + s.heads * s.v_size;
    const NewVectors vectors{x,
                             x + hidden,
                             x + 2 * hidden,
                             {s.queries * row, s.size, row},
                             {s.queries * row, s.size, row},
                             {s.queries * row, s.v_size, row}};
    attend_masked(c, a_, s, masks_, vectors, cache(c, s, 0), cache(c, s, 1), nullptr);
  }

  AttentionAttributes a_;

 private:
  Cache cache(RunContext& c, const AttentionSizes& s, int64_t half) const {
    const auto part = [&](const Tensor& both, int64_t rows) {
      const size_t bytes = dtype_bytes(both.dtype(), half * s.batch * s.heads * both.matrix_rows() * s.size);
      const size_t start = static_cast<size_t>(both.bytes() - both.buffer()->data());
      return Tensor::view(both.dtype(), {s.batch, s.heads, rows, s.size}, both.buffer(), start + bytes);
    };
    return {c.has_input(past_) ? part(c.input(past_), s.past) : Tensor(),
            c.has_output(1) ? part(c.output(1), s.total) : Tensor()};
  }

  std::vector<int64_t> widths_;
  MaskInputs masks_;
  int past_;
};

class Attention final : public ProjectedAttention {
 public:
  explicit Attention(const Attributes& a) : ProjectedAttention(a, {3, 5}, 4) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 7);
    c.require_dtype(0, kFloats);
    c.require_same_dtype(0, 1);
    infer_outputs(c, c.dtype(0));
  }

  void prepare(PrepareContext& c) override {
    const Tensor* w = c.constant(1);
    if (!w || !w->has_data() || w->rank() != 2 || w->count() == 0 || !kFloats.has(w->dtype())) return;
    const size_t k = static_cast<size_t>(w->dim(0)), n = static_cast<size_t>(w->dim(1));
    const Tensor wide = c.take_float32(1);
    packed_ = Tensor::allocate(DType::float32, {static_cast<int64_t>(kernels::gemm_packed_b_size(k, n))});
    pack_b(k, n, {wide.data<float>(), n, 1}, {}, packed_.data<float>());
  }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

  void run(RunContext& c) const override {
    const Tensor x = to_float32(c.input(0)), w = packed_.defined() ? packed_ : to_float32(c.input(1));
    const Tensor bias = c.has_input(2) ? to_float32(c.input(2)) : Tensor();
    const int64_t columns = c.input(1).dim(1);
    Tensor projected = Tensor::allocate(DType::float32, {x.dim(0), x.dim(1), columns});
    Source source;
    const size_t k = static_cast<size_t>(x.dim(2)), n = static_cast<size_t>(columns);
    source.p = {{x.data<float>(), k, 1}, {{w.data<float>(), n, 1}, packed_.defined()}, projected.data<float>(), {}};
    if (bias.defined()) source.p.epilogue.col_bias = bias.data<float>();
    multiply_f32(c, 1, {static_cast<size_t>(x.dim(0) * x.dim(1)), k, n}, source);
    finish(c, projected.data<float>());
  }

 private:
  struct Source final : ProductSource {
    ProductF32 p;
    ProductF32 product(int64_t) const override { return p; }
  };
  Tensor packed_;
};

class QAttention final : public ProjectedAttention {
 public:
  explicit QAttention(const Attributes& a) : ProjectedAttention(a, {5, -1}, 8), has_zero_(a.inputs > 7) {}

  void infer(InferContext& c) const override {
    c.require_inputs(5, 9);
    for (int i : {0, 1}) c.require_dtype(i, kBytes);
    c.require_dtype(3, {DType::float32});
    c.require_input(2);
    c.require_same_dtype(3, 4);
    c.require_rank(1, 2, 2);
    const int64_t columns = c.shape(1)[1];
    for (int i : {3, 4, 6, 7}) {
      if (!c.has_input(i)) continue;
      const int64_t n = c.shape(i).count();
      check(n == 1 || (n == columns && (i == 4 || i == 7)), ErrorCode::invalid_input, "input ", i, " has shape ",
            c.shape(i));
    }
    if (c.has_input(6)) c.require_same_dtype(0, 6);
    if (c.has_input(7)) c.require_same_dtype(1, 7);
    infer_outputs(c, c.dtype(3));
  }

  void prepare(PrepareContext& c) override { packed_ = PackedX8::of_constants(c, 1, 7, has_zero_); }
  uint64_t packed_bytes() const override { return packed_.byte_size(); }

  void run(RunContext& c) const override {
    const auto zeros = [&](int i) {
      return ZeroPoints{c.has_input(i) ? byte_values(c.input(i)) : std::vector<int32_t>()};
    };
    const Tensor &x = c.input(0), &w = c.input(1);
    const MatMulShape s(x.shape(), w.shape());
    Tensor sums = Tensor::allocate(DType::int32, s.out);
    multiply_x8(c, s, x, zeros(6), packed_.defined() ? packed_ : PackedX8(w, zeros(7)), sums.data<int32_t>());
    const Tensor& scale = c.input(4);
    const bool single = scale.count() == 1;
    const float factor = c.input(3).data<float>()[0] * (single ? scale.data<float>()[0] : 1);
    auto* projected = reinterpret_cast<float*>(sums.data<int32_t>());
    kernels::scale_sums_f32(s.m, s.n, sums.data<int32_t>(), factor, single ? nullptr : scale.data<float>(),
                            c.input(2).data<float>(), projected, s.n);
    finish(c, projected);
  }

 private:
  bool has_zero_;
  PackedX8 packed_;
};

constexpr OpEntry kOps[] = {
    {"MultiHeadAttention", 1, make_operator<MultiHeadAttention>},
    {"Attention", 1, make_operator<Attention>},
    {"QAttention", 1, make_operator<QAttention>},
};

}  // namespace

std::span<const OpEntry> ms_attention_ops() { return kOps; }

}  // namespace sardonyx
