// Masks, caches and the end of the attention operators of com.microsoft.
#include "ops/microsoft/attention_parts.h"

#include <algorithm>

#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

// What a mask's form says of key `column` for a query.
struct Mask {
  const int32_t* data;
  Shape shape;
  const AttentionSizes& s;

  bool hides(int64_t batch, int64_t query, int64_t column) const noexcept {
    switch (shape.rank()) {
      case 1:  // ends, or ends and starts
        return column >= data[batch] || (shape[0] == 2 * s.batch && column < data[s.batch + batch]);
      case 2:
        return data[batch * shape[1] + column] <= 0;
      case 3:
        return data[(batch * shape[1] + query) * shape[2] + column] <= 0;
      default:  // [batch][1][most][most]
        return data[(batch * shape[2] + s.past + query) * shape[3] + column] <= 0;
    }
  }
};

AttentionBias<float> bias_layout(const Tensor& bias) {
  const Shape& b = bias.shape();
  return {bias.data<float>(), b[0] == 1 ? 0 : b[1] * b[2] * b[3], b[1] == 1 ? 0 : b[2] * b[3], b[3], 1, b[3]};
}

// Mask and bias as one bias.
Tensor joined_bias(RunContext& c, const MaskInputs& inputs, const AttentionSizes& s, float filter) {
  const bool masked = inputs.mask >= 0 && c.has_input(inputs.mask),
             biased = inputs.bias >= 0 && c.has_input(inputs.bias);
  const Tensor bias = biased ? to_float32(c.input(inputs.bias)) : Tensor();
  if (!masked) return bias;
  const Mask mask{c.input(inputs.mask).data<int32_t>(), c.input(inputs.mask).shape(), s};
  const int64_t heads = biased ? bias.dim(1) : 1;
  Tensor sum = Tensor::allocate(DType::float32, {s.batch, heads, s.queries, s.total});
  float* to = sum.data<float>();
  for (int64_t b = 0; b < s.batch; b++) {
    for (int64_t h = 0; h < heads; h++) {
      for (int64_t q = 0; q < s.queries; q++) {
        for (int64_t t = 0; t < s.total; t++) *to++ = mask.hides(b, q, t) ? filter : 0.0f;
        if (!biased) continue;
        const float* row =
            bias.data<float>() + ((bias.dim(0) == 1 ? 0 : b) * heads + h) * s.queries * s.total + q * s.total;
        for (int64_t t = 0; t < s.total; t++) to[t - s.total] += row[t];
      }
    }
  }
  return sum;
}

// The new vectors behind the past, in float32 with `at` as their layout; those themselves where there is no cache.
const float* all_vectors(const AttentionSizes& s, const Cache& cache, const float* x, int64_t size, VectorLayout& at,
                         Tensor& hold) {
  if (!cache.past.defined() && !cache.present.defined()) return x;
  const int64_t rows = cache.present.defined() ? cache.present.dim(cache.present.rank() - 2) : s.total;
  Tensor all = cache.present;
  if (!all.defined() || all.dtype() != DType::float32) {
    all = Tensor::allocate(DType::float32, {s.batch, s.kv_heads, rows, size});
  }
  if (cache.past.defined() && cache.past.bytes() != all.bytes()) {
    const Tensor past = to_float32(cache.past);
    append_vectors(past, layout_of(false, s.kv_heads, past.matrix_rows(), size), s.batch, s.kv_heads, s.past, size, all,
                   0);
  }
  append_vectors_f32(x, at, s.batch, s.kv_heads, s.keys, size, all, s.past);
  if (cache.present.defined() && cache.present.dtype() != DType::float32) {
    Tensor present = cache.present;
    store_floats(present.dtype(), all.data<float>(), present.bytes(), 0, all.count());
  }
  at = layout_of(false, s.kv_heads, all.matrix_rows(), size);
  hold = all;
  return all.data<float>();
}

}  // namespace

AttentionAttributes::AttentionAttributes(const Attributes& a)
    : heads(a.integer("num_heads")), filter(a.number("mask_filter_value", -10000)) {
  check(heads > 0, ErrorCode::invalid_model, "num_heads is ", heads);
  rules.causal = a.flag("unidirectional", false);
  rules.scale = a.number("scale", 0);
  rules.scaled = rules.scale != 0;
}

void require_masks(InferContext& c, const MaskInputs& inputs, const AttentionSizes& s) {
  if (inputs.mask >= 0 && c.has_input(inputs.mask)) {
    c.require_dtype(inputs.mask, {DType::int32});
    const Shape& m = c.shape(inputs.mask);
    const bool fits = m == Shape{s.batch} || m == Shape{2 * s.batch} || m == Shape{s.batch, s.total} ||
                      m == Shape{s.batch, s.queries, s.total} ||
                      (m.rank() == 4 && m == Shape{s.batch, 1, m[2], m[2]} && m[2] >= s.total);
    check(fits, ErrorCode::invalid_input, "the mask of shape ", m, " does not fit a batch of ", s.batch, ", ",
          s.queries, " queries and ", s.total, " keys");
  }
  if (inputs.bias >= 0 && c.has_input(inputs.bias)) {
    c.require_same_dtype(0, inputs.bias);
    const Shape& b = c.shape(inputs.bias);
    check(b.rank() == 4 && (b[0] == 1 || b[0] == s.batch) && (b[1] == 1 || b[1] == s.heads) && b[2] == s.queries &&
              b[3] == s.total,
          ErrorCode::invalid_input, "the bias of shape ", b, " does not fit ",
          Shape{s.batch, s.heads, s.queries, s.total});
  }
}

void attend_masked(RunContext& c, const AttentionAttributes& a, const AttentionSizes& s, const MaskInputs& inputs,
                   const NewVectors& x, const Cache& keys, const Cache& values, Tensor* scores) {
  if (c.output(0).count() == 0) return;
  const Tensor bias = joined_bias(c, inputs, s, a.filter);
  AttentionOperands<float> o;
  Tensor hold_keys, hold_values;
  o.q = x.q, o.q_at = x.q_at;
  o.k_at = x.k_at, o.v_at = x.v_at;
  o.k = all_vectors(s, keys, x.k, s.size, o.k_at, hold_keys);
  o.v = all_vectors(s, values, x.v, s.v_size, o.v_at, hold_values);
  if (bias.defined()) o.bias = bias_layout(bias);
  FloatOutput y(c.output(0));
  o.y = y.data();
  o.y_at = layout_of(true, s.heads, s.queries, s.v_size);
  AttentionRules rules = a.rules;
  rules.mode = 3;
  if (scores) o.scores = scores->data<float>();
  attend<StepsF32>(c, s, rules, o);
  y.store();
}

}  // namespace sardonyx
