// com.microsoft DynamicQuantizeLSTM: an LSTM whose weights have 8 bits, and whose input and state are quantised to 8
// bits before each product.
#include <algorithm>
#include <vector>

#include "kernels/quant/matmul_x8.h"
#include "kernels/quant/quantize.h"
#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/macs.h"
#include "ops/util/product_x8.h"
#include "ops/util/rnn_inputs.h"
#include "ops/util/rnn_memory.h"

namespace sardonyx {
namespace {

enum Input { kX, kW, kR, kB, kLengths, kH, kC, kP, kWScale, kWZero, kRScale, kRZero };

constexpr int64_t kGates = 4;

// One direction of a tensor whose first axis they are.
Tensor slice(const Tensor& t, int64_t d) {
  Tensor s = Tensor::allocate(t.dtype(), Shape(t.shape().dims().subspan(1)));
  std::copy_n(t.bytes() + static_cast<size_t>(d) * s.byte_size(), s.byte_size(), s.bytes());
  return s;
}

// Weights of one direction [k][4 * hidden], with what their products are multiplied with.
struct Weights {
  PackedX8 packed;
  std::vector<float> scales;  // one, or one per column
};

Weights weights_of(const Tensor& w, const Tensor& scale, const Tensor& zero, int64_t d) {
  const int64_t each = scale.count() / w.dim(0), zeros = zero.count() / w.dim(0);
  const std::vector<int32_t> all = byte_values(zero);
  const float* s = scale.data<float>() + d * each;
  return {PackedX8(slice(w, d), {{all.begin() + d * zeros, all.begin() + (d + 1) * zeros}}), {s, s + each}};
}

struct Direction {
  Weights w, r;
};

class DynamicQuantizeLSTM final : public Operator {
 public:
  explicit DynamicQuantizeLSTM(const Attributes& a)
      : hidden_(a.integer("hidden_size", 0)),
        direction_(a.choice("direction", {"forward", "reverse", "bidirectional"}, 0)),
        clip_(a.number("clip", 0)),
        input_forget_(a.flag("input_forget", false)) {
    RnnActivations read = read_activations(a, a.strings("activations"), {"Sigmoid", "Tanh", "Tanh"}, directions());
    activations_ = std::move(read.list);
    usual_ = read.usual;
  }

  void infer(InferContext& c) const override {
    c.require_inputs(12, 12);
    for (int i : {kX, kWScale, kRScale}) c.require_dtype(i, {DType::float32});
    for (int i : {kW, kR}) c.require_dtype(i, kBytes);
    for (int i : {kX, kW, kR}) c.require_rank(i, 3, 3);
    for (int i : {kB, kH, kC, kP}) {
      if (c.has_input(i)) c.require_dtype(i, {DType::float32});
    }
    const Shape &x = c.shape(kX), &r = c.shape(kR);
    const int64_t d = directions(), hidden = r[1];
    require_hidden(hidden_, hidden);
    require_shape(c, kW, "W", {d, x[2], kGates * hidden});
    require_shape(c, kR, "R", {d, hidden, kGates * hidden});
    require_states(c, d, x[1], kGates * hidden, hidden, {d, x[1], hidden});
    for (int i : {kWScale, kWZero, kRScale, kRZero}) {
      const int64_t n = c.shape(i).count();
      check(n == d || n == d * kGates * hidden, ErrorCode::invalid_input, "input ", i, " of shape ", c.shape(i),
            " has neither a value for each direction nor one for each column");
    }
    c.require_same_dtype(kW, kWZero);
    c.require_same_dtype(kR, kRZero);
    c.set_output(0, DType::float32, {x[0], d, x[1], hidden});
    for (int i : {1, 2}) c.set_output(i, DType::float32, {d, x[1], hidden});
  }

  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const Shape& x = inputs[0].shape;
    const double lines = static_cast<double>(x[0]) * static_cast<double>(x[1]);
    return lines * (product_of(inputs[kW].shape.dims()) + product_of(inputs[kR].shape.dims()));
  }

  void prepare(PrepareContext& c) override {
    for (int i : {kW, kR, kWScale, kWZero, kRScale, kRZero}) {
      const Tensor* t = c.constant(i);
      if (!t || !t->has_data() || t->count() == 0) return;
      if ((i == kW || i == kR) && (t->rank() != 3 || t->dim(0) != directions() || !kBytes.has(t->dtype()))) return;
      if (i == kWZero || i == kRZero) {
        if (!kBytes.has(t->dtype())) return;
      }
      if ((i == kWScale || i == kRScale) && t->dtype() != DType::float32) return;
      if (i > kR) {
        const int64_t n = t->count(), columns = c.constant(kR)->dim(2);
        if (n != directions() && n != directions() * columns) return;
      }
    }
    if (c.constant(kW)->dim(2) != c.constant(kR)->dim(2)) return;
    packed_ = pack([&](int i) -> const Tensor& { return *c.constant(i); });
    c.release(kW);
    c.release(kR);
  }

  uint64_t packed_bytes() const override {
    uint64_t bytes = 0;
    for (const Direction& p : packed_) bytes += p.w.packed.byte_size() + p.r.packed.byte_size();
    return bytes;
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(kX);
    const int64_t steps = x.dim(0), batch = x.dim(1), hidden = c.input(kR).dim(1), d = directions();
    if (batch == 0 || hidden == 0) return;
    const auto lengths = sequence_lengths(c.has_input(kLengths) ? &c.input(kLengths) : nullptr, batch, steps);
    const std::vector<Direction> made =
        packed_.empty() ? pack([&](int i) -> const Tensor& { return c.input(i); }) : std::vector<Direction>();
    for (int64_t i = 0; i < d; i++) {
      run_direction(c, i, (packed_.empty() ? made : packed_)[static_cast<size_t>(i)], lengths);
    }
  }

 private:
  int64_t directions() const noexcept { return direction_ == 2 ? 2 : 1; }

  template <class F>
  std::vector<Direction> pack(F tensor) const {
    std::vector<Direction> list;
    for (int64_t d = 0; d < directions(); d++) {
      list.push_back({weights_of(tensor(kW), tensor(kWScale), tensor(kWZero), d),
                      weights_of(tensor(kR), tensor(kRScale), tensor(kRZero), d)});
    }
    return list;
  }

  // y [rows][n] = x [rows][k] quantised as DynamicQuantizeLinear does, times w. `bytes` and y: working memory.
  static void multiply(RunContext& c, const float* x, int64_t rows, int64_t k, int64_t n, const Weights& w,
                       Tensor& bytes, float* y) {
    const size_t count = static_cast<size_t>(rows * k);
    const kernels::QuantParams q = kernels::dynamic_quantize_params(kernels::range_with_zero_f32(x, count));
    kernels::quantize_u8(x, bytes.data<uint8_t>(), count, q.scale, q.zero);
    auto* sums = reinterpret_cast<int32_t*>(y);
    multiply_x8(c, MatMulShape({rows, k}, {k, n}), bytes, {{q.zero}}, w.packed, sums);
    const bool single = w.scales.size() == 1;
    kernels::scale_sums_f32(static_cast<size_t>(rows), static_cast<size_t>(n), sums,
                            single ? q.scale * w.scales[0] : q.scale, single ? nullptr : w.scales.data(), nullptr, y,
                            static_cast<size_t>(n));
  }

  void run_direction(RunContext& c, int64_t d, const Direction& weights, const std::vector<int64_t>& lengths) const {
    const Tensor& x = c.input(kX);
    const int64_t steps = x.dim(0), batch = x.dim(1), hidden = c.input(kR).dim(1), n = kGates * hidden;
    const int64_t ds = directions(), state = batch * hidden;
    const size_t h_size = static_cast<size_t>(hidden), all = static_cast<size_t>(n);
    // What lies behind the longest sequence has no part in the range of the input.
    const int64_t last = *std::ranges::max_element(lengths);
    RnnWork<float> part(last * batch * n), gates(batch * n), h(state), cell(state);
    Tensor bytes = Tensor::allocate(DType::uint8, {std::max(last * batch * x.dim(2), state)});
    if (last > 0 && x.dim(2) > 0)
      multiply(c, x.data<float>(), last * batch, x.dim(2), n, weights.w, bytes, part.data());
    const float* bias = c.has_input(kB) ? c.input(kB).data<float>() + d * 2 * n : nullptr;
    const float* peephole = c.has_input(kP) ? c.input(kP).data<float>() + d * 3 * hidden : nullptr;
    if (c.has_input(kH)) std::copy_n(c.input(kH).data<float>() + d * state, state, h.data());
    if (c.has_input(kC)) std::copy_n(c.input(kC).data<float>() + d * state, state, cell.data());
    const RnnStep step{std::span(activations_).subspan(static_cast<size_t>(d) * 3, 3), usual_,
                       static_cast<double>(clip_), input_forget_, hidden};
    float* y = c.has_output(0) ? c.output(0).data<float>() : nullptr;
    const auto row_of = [&](int64_t t, size_t row) {
      return y + ((t * ds + d) * batch + static_cast<int64_t>(row)) * hidden;
    };
    for (size_t row = 0; y && row < lengths.size(); row++) {
      for (int64_t t = lengths[row]; t < steps; t++) std::fill_n(row_of(t, row), hidden, 0.0f);
    }
    for (int64_t i = 0; i < last; i++) {
      if (i % 64 == 63) c.services().check_abort();
      multiply(c, h.data(), batch, hidden, n, weights.r, bytes, gates.data());
      for (size_t row = 0; row < lengths.size(); row++) {
        if (i >= lengths[row]) continue;
        const int64_t time = direction_ == 1 || d == 1 ? lengths[row] - 1 - i : i;
        float *g = gates.data() + row * all, *now = h.data() + row * h_size;
        const float* from = part.data() + (static_cast<size_t>(time * batch) + row) * all;
        for (size_t j = 0; j < all; j++) g[j] += from[j] + (bias ? bias[j] + bias[all + j] : 0);
        lstm_step(step, g, peephole, cell.data() + row * h_size, now);
        if (y) std::copy_n(now, h_size, row_of(time, row));
      }
    }
    if (c.has_output(1)) std::copy_n(h.data(), state, c.output(1).data<float>() + d * state);
    if (c.has_output(2)) std::copy_n(cell.data(), state, c.output(2).data<float>() + d * state);
  }

  int64_t hidden_;
  int direction_;
  float clip_;
  bool input_forget_, usual_ = true;
  std::vector<RnnActivation> activations_;
  std::vector<Direction> packed_;
};

constexpr OpEntry kOps[] = {{"DynamicQuantizeLSTM", 1, make_operator<DynamicQuantizeLSTM>}};

}  // namespace

std::span<const OpEntry> ms_lstm_ops() { return kOps; }

}  // namespace sardonyx
