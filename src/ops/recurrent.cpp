// LSTM, GRU and RNN.
#include <algorithm>
#include <cmath>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/macs.h"
#include "ops/util/product.h"
#include "ops/util/rnn_inputs.h"
#include "ops/util/rnn_memory.h"

namespace sardonyx {
namespace {

enum class RnnKind : uint8_t { rnn, gru, lstm };

// The weights of one direction: input, recurrent, and for GRU the recurrent ones of the hidden gate apart.
struct PackedDirection {
  Tensor w, r, r_hidden;
};

Tensor pack_transposed(const float* w, size_t k, size_t n) {
  Tensor packed = Tensor::allocate(DType::float32, {static_cast<int64_t>(kernels::gemm_packed_b_size(k, n))});
  pack_b(k, n, {w, 1, k}, {}, packed.data<float>());
  return packed;
}

class Recurrent final : public Operator {
 public:
  Recurrent(const Attributes& a, RnnKind kind)
      : kind_(kind),
        gates_(kind == RnnKind::lstm  ? 4
               : kind == RnnKind::gru ? 3
                                      : 1),
        hidden_(a.integer("hidden_size", 0)),
        direction_(a.choice("direction", {"forward", "reverse", "bidirectional"}, 0)),
        clip_(a.number("clip", 0)) {
    if (a.since >= 14) batch_first_ = a.flag("layout", false);
    if (a.since == 1) a.ignore("output_sequence");
    if (kind == RnnKind::lstm) input_forget_ = a.flag("input_forget", false);
    if (kind == RnnKind::gru && a.since >= 3) linear_before_reset_ = a.flag("linear_before_reset", false);
    take_activations(a);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, kind_ == RnnKind::lstm ? 8 : 6);
    c.require_dtype(0, kFloat);
    for (int i = 0; i < c.input_count(); i++) {
      if (i < 3) c.require_rank(i, 3, 3);
      if (i != 4 && c.has_input(i)) c.require_same_dtype(0, i);
    }
    const Sizes s(*this, c.shape(0), c.shape(2));
    require_hidden(hidden_, s.hidden);
    const int64_t d = directions(), all = gates_ * s.hidden;
    require_shape(c, 1, "W", {d, all, s.input});
    require_shape(c, 2, "R", {d, all, s.hidden});
    const Shape state = batch_first_ ? Shape{s.batch, d, s.hidden} : Shape{d, s.batch, s.hidden};
    require_states(c, d, s.batch, all, s.hidden, state);
    c.set_output(0, c.dtype(0),
                 batch_first_ ? Shape{s.batch, s.steps, d, s.hidden} : Shape{s.steps, d, s.batch, s.hidden});
    c.set_output(1, c.dtype(0), state);
    c.set_output(2, c.dtype(0), state);
  }

  // Every step of every sequence meets W and R of all directions once.
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const Shape& x = inputs[0].shape;
    const double lines = static_cast<double>(x[0]) * static_cast<double>(x[1]);
    return lines * (product_of(inputs[1].shape.dims()) + product_of(inputs[2].shape.dims()));
  }

  void prepare(PrepareContext& c) override {
    const Tensor *w = c.constant(1), *r = c.constant(2);
    if (!w || !r || !w->has_data() || !r->has_data() || w->rank() != 3 || r->rank() != 3) return;
    if (w->dtype() == DType::float64 || !kFloat.has(w->dtype()) || r->dtype() != w->dtype()) return;
    if (w->dim(0) != directions() || r->dim(0) != directions() || r->dim(1) != gates_ * r->dim(2)) return;
    if (w->dim(1) != r->dim(1)) return;
    packed_ = pack(to_float32(*w), to_float32(*r));
    c.release(1);
    c.release(2);
  }

  uint64_t packed_bytes() const override {
    uint64_t bytes = 0;
    for (const PackedDirection& p : packed_) bytes += p.w.byte_size() + p.r.byte_size() + p.r_hidden.byte_size();
    return bytes;
  }

  void run(RunContext& c) const override {
    if (c.input(0).dtype() == DType::float64) return run_as<double>(c);
    run_as<float>(c);
  }

 private:
  struct Sizes {
    int64_t steps, batch, input, hidden;
    Sizes(const Recurrent& op, const Shape& x, const Shape& r)
        : steps(x[op.batch_first_]), batch(x[!op.batch_first_]), input(x[2]), hidden(r[2]) {}
  };

  // Inputs and outputs in type T; what is left out is undefined.
  template <class T>
  struct Data {
    Tensor in[8], out[3];
    const T* input(int i) const { return in[i].defined() ? in[i].template data<T>() : nullptr; }
    T* output(int i) { return out[i].defined() ? out[i].template data<T>() : nullptr; }
  };

  int64_t directions() const noexcept { return direction_ == 2 ? 2 : 1; }

  void take_activations(const Attributes& a) {
    std::vector<std::string> usual{"Sigmoid", "Tanh", "Tanh"}, names = a.strings("activations");
    if (kind_ == RnnKind::gru) usual = {"Sigmoid", "Tanh"};
    if (kind_ == RnnKind::rnn) usual = {"Tanh"};
    // RNN's default names two, whatever the direction.
    names.resize(std::min(names.size(), usual.size() * static_cast<size_t>(directions())));
    RnnActivations read = read_activations(a, std::move(names), usual, directions());
    activations_ = std::move(read.list);
    usual_ = kind_ != RnnKind::rnn && read.usual;
  }

  std::vector<PackedDirection> pack(const Tensor& w, const Tensor& r) const {
    const size_t input = static_cast<size_t>(w.dim(2)), hidden = static_cast<size_t>(r.dim(2));
    const size_t all = static_cast<size_t>(gates_) * hidden;
    const size_t main = kind_ == RnnKind::gru ? 2 * hidden : all;
    std::vector<PackedDirection> list;
    for (size_t d = 0; d < static_cast<size_t>(directions()); d++) {
      const float* rd = r.data<float>() + d * all * hidden;
      PackedDirection p{
          pack_transposed(w.data<float>() + d * all * input, input, all), pack_transposed(rd, hidden, main), {}};
      if (kind_ == RnnKind::gru) p.r_hidden = pack_transposed(rd + main * hidden, hidden, hidden);
      list.push_back(p);
    }
    return list;
  }

  template <class T>
  void run_as(RunContext& c) const {
    Data<T> data;
    for (int i = 0; i < c.input_count(); i++) {
      if (!c.has_input(i)) continue;
      const bool converted = i != 4 && (packed_.empty() || (i != 1 && i != 2));
      data.in[i] = std::is_same_v<T, float> && converted ? to_float32(c.input(i)) : c.input(i);
    }
    std::vector<FloatOutput> stored;
    for (int i = 0; i < c.output_count(); i++) {
      if (!c.has_output(i)) continue;
      if constexpr (std::is_same_v<T, float>) {
        stored.emplace_back(c.output(i));
        data.out[i] = stored.back().tensor();
      } else {
        data.out[i] = c.output(i);
      }
    }
    const Sizes s(*this, data.in[0].shape(), data.in[2].shape());
    if (s.batch == 0 || s.hidden == 0) return;
    const std::vector<int64_t> lengths =
        sequence_lengths(data.in[4].defined() ? &data.in[4] : nullptr, s.batch, s.steps);
    std::vector<PackedDirection> packed = packed_;
    if (std::is_same_v<T, float> && packed.empty()) packed = pack(data.in[1], data.in[2]);
    for (int64_t d = 0; d < directions(); d++) {
      run_direction(c, s, d, lengths, packed.empty() ? PackedDirection{} : packed[static_cast<size_t>(d)], data);
    }
    for (FloatOutput& y : stored) y.store();
  }

  // x w^T + bias for all steps: [steps or batch][batch or steps][gates * hidden], as x lies.
  template <class T>
  Tensor input_part(RunContext& c, const Sizes& s, const RnnWeights<T>& w, const T* x, const T* bias) const {
    const int64_t rows = s.steps * s.batch, n = static_cast<int64_t>(w.n);
    Tensor part = Tensor::allocate(dtype_of<T>(), {rows, n});
    for (int64_t i = 0; i < rows; i++) std::copy_n(bias, n, part.data<T>() + i * n);
    if constexpr (std::is_same_v<T, float>) {
      struct Source final : ProductSource {
        ProductF32 p;
        ProductF32 product(int64_t) const override { return p; }
      } source;
      source.p = {{x, w.k, 1}, {{w.data, 0, 0}, true}, part.data<float>(), {}};
      source.p.epilogue.accumulate = true;
      multiply_f32(c, 1, {static_cast<size_t>(rows), w.k, w.n}, source);
    } else {
      w.add_product(x, static_cast<size_t>(rows), part.data<T>(), w.n, nullptr);
    }
    return part;
  }

  // Both biases where they can be added before the recurrent product; the rest is GRU's, after it.
  template <class T>
  RnnWork<T> input_bias(const T* b, int64_t hidden) const {
    const int64_t all = gates_ * hidden;
    RnnWork<T> bias(all);
    for (int64_t i = 0; b && i < all; i++) {
      const bool later = linear_before_reset_ && i >= 2 * hidden;
      bias[static_cast<size_t>(i)] = b[i] + (later ? T{0} : b[all + i]);
    }
    return bias;
  }

  template <class T>
  struct DirectionWeights {
    RnnWeights<T> w, r, r_hidden;
  };

  // Packed ones for float, those of the inputs for double.
  template <class T>
  DirectionWeights<T> weights_of(const Sizes& s, int64_t d, const PackedDirection& packed, const Data<T>& data) const {
    const size_t hidden = static_cast<size_t>(s.hidden), n = static_cast<size_t>(gates_) * hidden;
    const size_t main = kind_ == RnnKind::gru ? 2 * hidden : n;
    DirectionWeights<T> o{
        {nullptr, static_cast<size_t>(s.input), n}, {nullptr, hidden, main}, {nullptr, hidden, hidden}};
    if constexpr (std::is_same_v<T, float>) {
      o.w.data = packed.w.data<float>();
      o.r.data = packed.r.data<float>();
      if (packed.r_hidden.defined()) o.r_hidden.data = packed.r_hidden.data<float>();
    } else {
      o.w.data = data.input(1) + static_cast<size_t>(d) * n * o.w.k;
      o.r.data = data.input(2) + static_cast<size_t>(d) * n * hidden;
      o.r_hidden.data = o.r.data + main * hidden;
    }
    return o;
  }

  template <class T>
  void run_direction(RunContext& c, const Sizes& s, int64_t d, const std::vector<int64_t>& lengths,
                     const PackedDirection& packed, Data<T>& data) const {
    const int64_t hidden = s.hidden, all = gates_ * hidden;
    const size_t h_size = static_cast<size_t>(hidden), n = static_cast<size_t>(all),
                 batch = static_cast<size_t>(s.batch);
    const DirectionWeights<T> weights = weights_of(s, d, packed, data);
    const T* b = data.input(3) ? data.input(3) + d * 2 * all : nullptr;
    const Tensor part = input_part(c, s, weights.w, data.input(0), input_bias(b, hidden).data());
    RnnStep step{std::span(activations_)
                     .subspan(static_cast<size_t>(d) * activations_.size() / static_cast<size_t>(directions())),
                 usual_, static_cast<double>(clip_), input_forget_, hidden};
    RnnWork<T> h = initial(s, d, data.input(5)), cell = initial(s, d, data.input(6));
    RnnWork<T> gates(s.batch * all), extra(s.batch * hidden);
    const T* peephole = data.input(7) ? data.input(7) + d * 3 * hidden : nullptr;
    const T* late_bias = b && linear_before_reset_ ? b + all + 2 * hidden : nullptr;
    T* scratch = c.scratch<T>(static_cast<int64_t>(kernels::gemm_dynamic_scratch_size(batch, h_size, n)));
    const int64_t last = *std::ranges::max_element(lengths);
    const bool reverse = direction_ == 1 || d == 1;
    if (data.output(0)) clear(s, d, lengths, data.output(0));
    for (int64_t i = 0; i < last; i++) {
      if (i % 64 == 63) c.services().check_abort();
      const auto time = [&](size_t row) { return reverse ? lengths[row] - 1 - i : i; };
      for (size_t row = 0; row < batch; row++) {
        if (i >= lengths[row]) continue;
        std::copy_n(part.data<T>() + row_of(s, time(row), static_cast<int64_t>(row)) * all, n, gates.data() + row * n);
      }
      weights.r.add_product(h.data(), batch, gates.data(), n, scratch);
      if (kind_ == RnnKind::gru) {
        hidden_part(step, weights.r_hidden, batch, late_bias, gates.data(), h.data(), extra.data(), scratch);
      }
      for (size_t row = 0; row < batch; row++) {
        if (i >= lengths[row]) continue;
        T *g = gates.data() + row * n, *state = h.data() + row * h_size;
        if (kind_ == RnnKind::lstm) lstm_step(step, g, peephole, cell.data() + row * h_size, state);
        if (kind_ == RnnKind::gru) gru_step(step, g, g + 2 * h_size, extra.data() + row * h_size, state);
        if (kind_ == RnnKind::rnn) rnn_step(step, g, state);
        if (data.output(0)) {
          std::copy_n(state, h_size, data.output(0) + output_at(s, d, time(row), static_cast<int64_t>(row)));
        }
      }
    }
    store_state(s, d, h, data.output(1));
    store_state(s, d, cell, data.output(2));
  }

  // GRU's z and r, and what the reset gate lets through of h R^T.
  template <class T>
  void hidden_part(const RnnStep& step, const RnnWeights<T>& r_hidden, size_t batch, const T* late_bias, T* gates,
                   const T* h, T* extra, T* scratch) const {
    const size_t n = static_cast<size_t>(step.n);
    RnnWork<T> reset(step.n * static_cast<int64_t>(batch));
    for (size_t row = 0; row < batch; row++) gru_gates(step, gates + row * 3 * n);
    if (!linear_before_reset_) {
      for (size_t i = 0; i < batch * n; i++) reset[i] = gates[i / n * 3 * n + n + i % n] * h[i];
      h = reset.data();
    }
    for (size_t i = 0; i < batch * n; i++) extra[i] = late_bias ? late_bias[i % n] : T{0};
    r_hidden.add_product(h, batch, extra, n, scratch);
    if (!linear_before_reset_) return;
    for (size_t i = 0; i < batch * n; i++) extra[i] *= gates[i / n * 3 * n + n + i % n];
  }

  int64_t row_of(const Sizes& s, int64_t t, int64_t b) const noexcept {
    return batch_first_ ? b * s.steps + t : t * s.batch + b;
  }
  int64_t output_at(const Sizes& s, int64_t d, int64_t t, int64_t b) const noexcept {
    const int64_t ds = directions();
    return (batch_first_ ? (b * s.steps + t) * ds + d : (t * ds + d) * s.batch + b) * s.hidden;
  }
  int64_t state_at(const Sizes& s, int64_t d, int64_t b) const noexcept {
    return (batch_first_ ? b * directions() + d : d * s.batch + b) * s.hidden;
  }

  template <class T>
  RnnWork<T> initial(const Sizes& s, int64_t d, const T* given) const {
    RnnWork<T> state(s.batch * s.hidden);
    for (int64_t b = 0; given && b < s.batch; b++) {
      std::copy_n(given + state_at(s, d, b), s.hidden, state.data() + b * s.hidden);
    }
    return state;
  }

  template <class T>
  void store_state(const Sizes& s, int64_t d, const RnnWork<T>& state, T* y) const {
    for (int64_t b = 0; y && b < s.batch; b++) {
      std::copy_n(state.data() + b * s.hidden, s.hidden, y + state_at(s, d, b));
    }
  }

  // Zeros behind the ends of the sequences.
  template <class T>
  void clear(const Sizes& s, int64_t d, const std::vector<int64_t>& lengths, T* y) const {
    for (int64_t b = 0; b < s.batch; b++) {
      for (int64_t t = lengths[static_cast<size_t>(b)]; t < s.steps; t++) {
        std::fill_n(y + output_at(s, d, t, b), s.hidden, T{0});
      }
    }
  }

  RnnKind kind_;
  int64_t gates_, hidden_;
  int direction_;
  float clip_;
  bool batch_first_ = false, input_forget_ = false, linear_before_reset_ = false, usual_ = false;
  std::vector<RnnActivation> activations_;
  std::vector<PackedDirection> packed_;
};

template <RnnKind kind>
std::unique_ptr<Operator> make(const Attributes& a) {
  return std::make_unique<Recurrent>(a, kind);
}

constexpr OpEntry kOps[] = {
    {"LSTM", 1, make<RnnKind::lstm>},  {"LSTM", 7, make<RnnKind::lstm>}, {"LSTM", 14, make<RnnKind::lstm>},
    {"LSTM", 22, make<RnnKind::lstm>}, {"GRU", 1, make<RnnKind::gru>},   {"GRU", 3, make<RnnKind::gru>},
    {"GRU", 7, make<RnnKind::gru>},    {"GRU", 14, make<RnnKind::gru>},  {"GRU", 22, make<RnnKind::gru>},
    {"RNN", 1, make<RnnKind::rnn>},    {"RNN", 7, make<RnnKind::rnn>},   {"RNN", 14, make<RnnKind::rnn>},
    {"RNN", 22, make<RnnKind::rnn>},
};

}  // namespace

std::span<const OpEntry> recurrent_ops() { return kOps; }

}  // namespace sardonyx
