// CausalConvWithState and LinearAttention: layers that keep a state from one call to the next.
#include <cmath>
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/macs.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kTypes{DType::float32, DType::float16, DType::bfloat16};

// Every channel convolved with its own kernel over the positions up to each one; the state is what lies before the
// first position.
class CausalConvWithState final : public Operator {
 public:
  explicit CausalConvWithState(const Attributes& a)
      : swish_(a.choice("activation", {"none", "silu", "swish"}, 0) != 0) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 4);
    c.require_dtype(0, kTypes);
    for (int i = 0; i < c.input_count(); i++) {
      if (i >= 2 && !c.has_input(i)) continue;
      c.require_same_dtype(0, i);
      c.require_rank(i, i == 2 ? 1 : 3, i == 2 ? 1 : 3);
    }
    const Shape &x = c.shape(0), &w = c.shape(1);
    check(w[0] == x[1] && w[1] == 1 && w[2] >= 1, ErrorCode::invalid_input, "weight of shape ", w, " for ", x[1],
          " channels");
    if (c.has_input(2)) {
      check(c.shape(2) == Shape{x[1]}, ErrorCode::invalid_input, "bias of shape ", c.shape(2), " for ", x[1],
            " channels");
    }
    const Shape state{x[0], x[1], w[2] - 1};
    if (c.has_input(3)) {
      check(c.shape(3) == state, ErrorCode::invalid_input, "past_state of shape ", c.shape(3), ", not ", state);
    }
    c.set_output(0, c.dtype(0), x);
    if (c.has_output(1)) c.set_output(1, c.dtype(0), state);
  }

  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    return conv_macs(inputs[0].shape, inputs[1].shape);
  }

  void run(RunContext& c) const override {
    const Tensor x = to_float32(c.input(0)), w = to_float32(c.input(1));
    const Tensor bias = c.has_input(2) ? to_float32(c.input(2)) : Tensor(),
                 past = c.has_input(3) ? to_float32(c.input(3)) : Tensor();
    const int64_t channels = x.dim(1), length = x.dim(2), kernel = w.dim(2), before = kernel - 1;
    // Each row with what lies before it.
    const int64_t padded = length + before;
    Tensor rows = Tensor::allocate(DType::float32, {x.dim(0) * channels, padded});
    FloatOutput y(c.output(0));
    const int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, length * kernel));
    c.pool().parallel_for(x.dim(0) * channels, grain, [&](int64_t from, int64_t to) {
      for (int64_t row = from; row < to; row++) {
        float* in = rows.data<float>() + row * padded;
        if (past.defined()) {
          std::copy_n(past.data<float>() + row * before, before, in);
        } else {
          std::fill_n(in, before, 0.0f);
        }
        std::copy_n(x.data<float>() + row * length, length, in + before);
        convolve(in, w.data<float>() + row % channels * kernel, kernel,
                 bias.defined() ? bias.data<float>()[row % channels] : 0, length, y.data() + row * length);
      }
    });
    y.store();
    if (c.has_output(1)) store_state(rows, before, c.output(1));
  }

 private:
  void convolve(const float* x, const float* w, int64_t kernel, float bias, int64_t n, float* y) const noexcept {
    std::fill_n(y, n, bias);
    for (int64_t k = 0; k < kernel; k++) {
      for (int64_t i = 0; i < n; i++) y[i] += w[k] * x[i + k];
    }
    for (int64_t i = 0; swish_ && i < n; i++) y[i] /= 1 + std::exp(-y[i]);
  }

  // The last `count` elements of each row.
  static void store_state(const Tensor& rows, int64_t count, Tensor& state) noexcept {
    const int64_t size = rows.dim(1);
    for (int64_t row = 0; row < rows.dim(0); row++) {
      store_floats(state.dtype(), rows.data<float>() + (row + 1) * size - count, state.bytes(), row * count, count);
    }
  }

  bool swish_;
};

// One key/value head: its state [keys][values] goes from position to position.
struct LinearHead {
  int64_t keys, values, group;  // group: query heads that read the state
  float scale;
  float* state;

  // decay: `keys` logarithms, or one (decays is 1), or null; beta: null where v is added as it is. v is overwritten.
  void update(const float* k, float* v, const float* decay, int64_t decays, const float* beta) const noexcept {
    for (int64_t i = 0; decay && i < keys; i++) {
      const float factor = std::exp(decay[decays == 1 ? 0 : i]);
      for (int64_t j = 0; j < values; j++) state[i * values + j] *= factor;
    }
    if (beta) {
      for (int64_t i = 0; i < keys; i++) {
        for (int64_t j = 0; j < values; j++) v[j] -= state[i * values + j] * k[i];
      }
      for (int64_t j = 0; j < values; j++) v[j] *= *beta;
    }
    for (int64_t i = 0; i < keys; i++) {
      for (int64_t j = 0; j < values; j++) state[i * values + j] += k[i] * v[j];
    }
  }

  void read(const float* q, float* y) const noexcept {
    std::fill_n(y, group * values, 0.0f);
    for (int64_t g = 0; g < group; g++) {
      for (int64_t i = 0; i < keys; i++) {
        const float factor = q[g * keys + i] * scale;
        for (int64_t j = 0; j < values; j++) y[g * values + j] += factor * state[i * values + j];
      }
    }
  }
};

class LinearAttention final : public Operator {
 public:
  explicit LinearAttention(const Attributes& a)
      : query_heads_(a.integer("q_num_heads")), heads_(a.integer("kv_num_heads")), scale_(a.number("scale", 0)) {
    a.ignore("chunk_size");  // a hint
    const int rule = a.choice("update_rule", {"linear", "gated", "delta", "gated_delta"}, 3);
    gated_ = rule & 1;
    delta_ = rule & 2;
    check(heads_ >= 1 && query_heads_ >= 1 && query_heads_ % heads_ == 0, ErrorCode::invalid_model, "q_num_heads ",
          query_heads_, " is no multiple of kv_num_heads ", heads_);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 6);
    c.require_dtype(0, kTypes);
    for (int i : {0, 1, 2, 4, 5}) {
      if (i >= 3 && !c.has_input(i)) continue;
      c.require_same_dtype(0, i);
      c.require_rank(i, 3, 3);
      check(c.shape(i)[0] == c.shape(0)[0] && c.shape(i)[1] == c.shape(0)[1], ErrorCode::invalid_input, "input ", i,
            " of shape ", c.shape(i), " has another batch or length than query, ", c.shape(0));
    }
    check(c.has_input(4) == gated_, ErrorCode::invalid_model, "update_rule ", gated_ ? "needs" : "allows no", " decay");
    check(c.has_input(5) == delta_, ErrorCode::invalid_model, "update_rule ", delta_ ? "needs" : "allows no", " beta");
    const Shape &q = c.shape(0), &k = c.shape(1), &v = c.shape(2);
    const int64_t keys = q[2] / query_heads_, values = v[2] / heads_;
    check(q[2] == keys * query_heads_ && k[2] == keys * heads_ && v[2] == values * heads_, ErrorCode::invalid_input,
          "query, key and value with ", q[2], ", ", k[2], " and ", v[2], " columns for ", query_heads_, " and ", heads_,
          " heads");
    if (gated_) {
      const int64_t columns = c.shape(4)[2];
      check(columns == heads_ || columns == heads_ * keys, ErrorCode::invalid_input, "decay has ", columns,
            " columns for ", heads_, " heads of ", keys);
    }
    if (delta_) {
      const int64_t columns = c.shape(5)[2];
      check(columns == heads_ || columns == 1, ErrorCode::invalid_input, "beta has ", columns, " columns for ", heads_,
            " heads");
    }
    const Shape state{q[0], heads_, keys, values};
    if (c.has_input(3)) {
      c.require_dtype(3, kTypes);
      check(c.shape(3) == state, ErrorCode::invalid_input, "past_state of shape ", c.shape(3), ", not ", state);
    }
    c.set_output(0, c.dtype(0), {q[0], q[1], values * query_heads_});
    if (c.has_output(1)) c.set_output(1, c.dtype(c.has_input(3) ? 3 : 0), state);
  }

  // At each position each state takes in a key and a value (with the delta rule also what it has of that key), and is
  // read by each of its queries.
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const int64_t values = inputs[2].shape[2] / heads_;
    return matmul_macs(inputs[0].shape, values) + matmul_macs(inputs[1].shape, values * (delta_ ? 2 : 1));
  }

  void run(RunContext& c) const override {
    Tensor in[6];
    for (int i = 0; i < c.input_count(); i++) {
      if (c.has_input(i)) in[i] = to_float32(c.input(i));
    }
    const int64_t batch = in[0].dim(0), length = in[0].dim(1);
    const int64_t keys = in[0].dim(2) / query_heads_, values = in[2].dim(2) / heads_;
    Tensor state = Tensor::allocate(DType::float32, {batch, heads_, keys, values});
    if (in[3].defined()) {
      std::copy_n(in[3].data<float>(), state.count(), state.data<float>());
    } else {
      std::fill_n(state.data<float>(), state.count(), 0.0f);
    }
    // The values of each head at the current position.
    Tensor current = Tensor::allocate(DType::float32, {batch, heads_, values});
    FloatOutput y(c.output(0));
    const float scale = scale_ != 0 ? scale_ : 1 / std::sqrt(static_cast<float>(keys));
    c.pool().parallel_for(batch * heads_, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {
        const LinearHead head{keys, values, query_heads_ / heads_, scale, state.data<float>() + i * keys * values};
        run_head(head, in, i / heads_ * length, length, i % heads_, current.data<float>() + i * values, y.data());
      }
    });
    y.store();
    if (c.has_output(1)) {
      store_floats(c.output(1).dtype(), state.data<float>(), c.output(1).bytes(), 0, state.count());
    }
  }

 private:
  // The positions [first, first + length) of all batches for head h.
  void run_head(const LinearHead& head, const Tensor (&in)[6], int64_t first, int64_t length, int64_t h, float* v,
                float* y) const noexcept {
    const auto part = [&](int i, int64_t position, int64_t width) {
      const Tensor& t = in[i];
      return t.data<float>() + position * t.dim(2) + h * width;
    };
    const int64_t decays = gated_ ? in[4].dim(2) / heads_ : 0, betas = delta_ && in[5].dim(2) == heads_ ? 1 : 0;
    const int64_t out = head.group * head.values;
    for (int64_t p = first; p < first + length; p++) {
      std::copy_n(part(2, p, head.values), head.values, v);
      head.update(part(1, p, head.keys), v, gated_ ? part(4, p, decays) : nullptr, decays,
                  delta_ ? part(5, p, betas) : nullptr);
      head.read(part(0, p, head.group * head.keys), y + (p * heads_ + h) * out);
    }
  }

  int64_t query_heads_, heads_;
  float scale_;
  bool gated_ = false, delta_ = false;
};

constexpr OpEntry kOps[] = {{"CausalConvWithState", 27, make_operator<CausalConvWithState>},
                            {"LinearAttention", 27, make_operator<LinearAttention>}};

}  // namespace

std::span<const OpEntry> linear_attention_ops() { return kOps; }

}  // namespace sardonyx
