// The operator of scaled_attention.h. No model names it.
#include "ops/scaled_attention.h"

#include "ops/util/attention_core.h"
#include "ops/util/macs.h"

namespace sardonyx {
namespace {

using Form = ScaledAttentionForm;
constexpr int kMask = 3;

class ScaledAttention final : public Operator {
 public:
  explicit ScaledAttention(const Form& form) : form_(form) {
    rules_.scaled = true;
    rules_.scale = form.scale;
    rules_.zeros = form.zeros;
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 4);
    for (int i = 0; i < c.input_count(); i++) c.require_dtype(i, {DType::float32});
    for (int i = 0; i < 3; i++) c.require_rank(i, 4, 4);
    if (c.has_input(kMask)) c.require_rank(kMask, 0, 4);
    const AttentionSizes s = sizes(c.shape(0), c.shape(1), c.shape(2), c.has_input(kMask) ? &c.shape(kMask) : nullptr);
    c.set_output(0, DType::float32, ordered({s.batch, s.heads, s.queries, s.v_size}, Form::kResult));
  }

  double macs(std::span<const InferInput> inputs, const Shape& y) const override {
    const Shape q = ordered(inputs[0].shape, Form::kQuery), v = ordered(inputs[2].shape, Form::kValue);
    const Shape rows = ordered(y, Form::kResult);
    return product_of(rows.dims().first(3)) * static_cast<double>(v[2]) * static_cast<double>(q[3] + v[3]);
  }

  bool takes_room(int input, int rank) const override {
    return rank == 4 && (input == Form::kKey || input == Form::kValue) && !form_.rows_first[input];
  }

  void run(RunContext& c) const override {
    const bool masked = c.has_input(kMask);
    const AttentionSizes s =
        sizes(c.input(0).shape(), c.input(1).shape(), c.input(2).shape(), masked ? &c.input(kMask).shape() : nullptr);
    AttentionOperands<float> o;
    o.q = c.input(0).data<float>(), o.k = c.input(1).data<float>(), o.v = c.input(2).data<float>();
    o.q_at = layout(c.input(0), Form::kQuery, s.queries);
    o.k_at = layout(c.input(1), Form::kKey, s.total);
    o.v_at = layout(c.input(2), Form::kValue, s.total);
    if (masked) o.bias = bias(c.input(kMask), s.total);
    o.y = c.output(0).data<float>();
    o.y_at = layout_of(form_.rows_first[Form::kResult], s.heads, s.queries, s.v_size);
    attend<StepsF32>(c, s, rules_, o);
  }

 private:
  // [batch][heads][rows][size] of the operand's own order of axes, and back.
  Shape ordered(const Shape& x, Form::Tensor which) const {
    return form_.rows_first[which] ? Shape{x[0], x[2], x[1], x[3]} : x;
  }

  AttentionSizes sizes(const Shape& stored_q, const Shape& stored_k, const Shape& stored_v, const Shape* mask) const {
    const Shape q = ordered(stored_q, Form::kQuery);
    Shape k = ordered(stored_k, Form::kKey), v = ordered(stored_v, Form::kValue);
    k[1] *= form_.group, v[1] *= form_.group;
    check(q[3] == k[3], ErrorCode::invalid_input, "cannot multiply queries of shape ", q, " by keys of shape ", k, ": ",
          q[3], " is not ", k[3]);
    Shape scores = broadcast({q[0], q[1], q[2], 1}, {k[0], k[1], 1, k[2]});
    if (mask) scores = broadcast(scores, *mask);
    check(scores[3] == v[2], ErrorCode::invalid_input, "cannot multiply scores of shape ", scores,
          " by values of shape ", v, ": ", scores[3], " is not ", v[2]);
    const Shape lead = broadcast({scores[0], scores[1]}, {v[0], v[1]});
    check(lead[1] % form_.group == 0, ErrorCode::invalid_input, lead[1], " heads for groups of ", form_.group);
    return {lead[0], lead[1], lead[1] / form_.group, scores[2], scores[3], 0, scores[3], q[3], v[3]};
  }

  // `rows`: how many the product has; an operand of one row repeats it.
  VectorLayout layout(const Tensor& stored, Form::Tensor which, int64_t rows) const {
    const Shape x = ordered(stored.shape(), which);
    VectorLayout at =
        layout_of(form_.rows_first[which], x[1], form_.rows_first[which] ? x[2] : stored.matrix_rows(), x[3]);
    if (x[0] == 1) at.batch = 0;
    if (x[1] == 1) at.head = 0;
    if (x[2] != rows) at.row = 0;
    return at;
  }

  static AttentionBias<float> bias(const Tensor& mask, int64_t columns) {
    AttentionBias<float> b;
    b.data = mask.data<float>();
    b.columns = columns;
    int64_t* const strides[] = {&b.column, &b.row, &b.head, &b.batch};
    for (int i = 0, rank = mask.rank(); i < rank; i++) {
      if (mask.dim(rank - 1 - i) != 1) *strides[i] = mask.shape().count(rank - i, rank);
    }
    return b;
  }

  Form form_;
  AttentionRules rules_;
};

}  // namespace

std::shared_ptr<Operator> make_scaled_attention(const ScaledAttentionForm& form) {
  return std::make_shared<ScaledAttention>(form);
}

}  // namespace sardonyx
