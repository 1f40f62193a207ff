// com.microsoft GroupQueryAttention: causal attention with fewer heads of keys than of queries, its cache and rotation.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/norm/normalize.h"
#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/attention_core.h"
#include "ops/util/convert.h"
#include "ops/util/rotate.h"

namespace sardonyx {
namespace {

enum Input {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLengths,
  kTotal,
  kCosine,
  kSine,
  kPositions,
  kBias,
  kSinks,
  kKeyScale,
  kValueScale,
  kQueryNorm,
  kKeyNorm,
  kQueryLengths
};
enum Output { kResult, kPresentKey, kPresentValue, kScores };

constexpr DTypeSet kFloats = kFloat - DTypeSet{DType::float64};

// Where a batch's new tokens go: behind `past`, up to `total`.
struct Batch {
  std::vector<int64_t> past, total;
};

class GroupQueryAttention final : public Operator {
 public:
  explicit GroupQueryAttention(const Attributes& a)
      : heads_(a.integer("num_heads")),
        kv_heads_(a.integer("kv_num_heads")),
        rotary_(a.flag("do_rotary", false)),
        interleaved_(a.flag("rotary_interleaved", false)),
        smooth_(a.integer("smooth_softmax", 0) == 1) {
    check(heads_ > 0 && kv_heads_ > 0 && heads_ % kv_heads_ == 0, ErrorCode::invalid_model, "num_heads is ", heads_,
          ", kv_num_heads ", kv_heads_);
    rules_.causal = a.flag("causal", true);
    rules_.scale = a.number("scale", 0);
    rules_.scaled = rules_.scale != 0;
    rules_.cap = a.number("softcap", 0);
    const int64_t window = a.integer("local_window_size", -1);
    check(window == -1 || window > 0, ErrorCode::invalid_model, "local_window_size is ", window);
    rules_.left = window > 0 ? window - 1 : -1;
    const int64_t scores = a.integer("qk_output", 0);
    check(scores >= 0 && scores <= 2, ErrorCode::invalid_model, "qk_output is ", scores, ", not 0 to 2");
    rules_.mode = scores == 1 ? 2 : 3;
    const float epsilon = a.number("qk_norm_epsilon", 1e-6f);
    q_epsilon_ = a.number("q_norm_epsilon", epsilon);
    k_epsilon_ = a.number("k_norm_epsilon", epsilon);
    for (const char* name : {"k_quant_type", "v_quant_type"}) {
      check(a.string(name, "NONE") == "NONE", ErrorCode::invalid_model, "a quantized cache is not supported");
    }
    a.ignore("kv_cache_bit_width");
    check(!a.flag("sliding_window_cache", false), ErrorCode::invalid_model, "sliding_window_cache is not supported");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(7, 17);
    c.require_dtype(kQuery, kFloats);
    c.require_rank(kQuery, 3, 3);
    check(c.has_input(kKey) == c.has_input(kValue) && c.has_input(kPastKey) == c.has_input(kPastValue),
          ErrorCode::invalid_model, "keys and values, and those of the past, must be given together");
    for (int i : {kKeyScale, kValueScale, kQueryLengths}) {
      check(!c.has_input(i), ErrorCode::invalid_model, "input ", i, " is not supported");
    }
    const Shape& q = c.shape(kQuery);
    const bool packed = !c.has_input(kKey);
    const int64_t size = q[2] / (packed ? heads_ + 2 * kv_heads_ : heads_);
    check(size > 0 && q[2] == size * (packed ? heads_ + 2 * kv_heads_ : heads_), ErrorCode::invalid_input,
          "query of shape ", q, " for ", heads_, " and ", kv_heads_, " heads");
    for (int i : {kKey, kValue}) {
      if (packed) break;
      c.require_same_dtype(kQuery, i);
      check(c.shape(i) == (Shape{q[0], q[1], kv_heads_ * size}), ErrorCode::invalid_input, "input ", i, " of shape ",
            c.shape(i), " does not fit ", q);
    }
    for (int i : {kPastKey, kPastValue}) {
      if (!c.has_input(i)) continue;
      c.require_same_dtype(kQuery, i);
      c.require_rank(i, 4, 4);
      const Shape& past = c.shape(i);
      check(past == (Shape{q[0], kv_heads_, c.shape(kPastKey)[2], size}), ErrorCode::invalid_input, "input ", i,
            " of shape ", past, " does not fit ", q);
    }
    for (int i : {kLengths, kTotal}) c.require_dtype(i, {DType::int32});
    check(c.shape(kLengths).count() == q[0] && c.shape(kTotal).count() == 1, ErrorCode::invalid_input,
          "seqlens_k has shape ", c.shape(kLengths), " for a batch of ", q[0], ", total_sequence_length ",
          c.shape(kTotal));
    infer_rest(c, q, size);
    const Tensor* total = c.value(kTotal);
    if (!total) return c.defer();
    const int64_t length = total->data<int32_t>()[0];
    check(length >= q[1], ErrorCode::invalid_input, "total_sequence_length is ", length, " for ", q[1], " new tokens");
    const Shape present{q[0], kv_heads_, std::max(length, c.has_input(kPastKey) ? c.shape(kPastKey)[2] : 0), size};
    if (c.has_input(kBias)) require_bias(c, q, length);
    c.set_output(kResult, c.dtype(kQuery), {q[0], q[1], heads_ * size});
    c.set_output(kPresentKey, c.dtype(kQuery), present);
    c.set_output(kPresentValue, c.dtype(kQuery), present);
    c.set_output(kScores, c.dtype(kQuery), {q[0], heads_, q[1], length});
  }

  // All tokens as if they met all of total_sequence_length.
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const Shape& q = inputs[kQuery].shape;
    const int64_t size = q[2] / (inputs[kKey].present ? heads_ : heads_ + 2 * kv_heads_);
    const int64_t total = inputs[kTotal].value->tensor().data<int32_t>()[0];
    return AttentionSizes{q[0], heads_, kv_heads_, q[1], q[1], 0, total, size, size}.macs();
  }

  int written_over(int output) const override {
    return output == kPresentKey ? kPastKey : output == kPresentValue ? kPastValue : -1;
  }

  bool takes_room(int input, int) const override { return input == kPastKey || input == kPastValue; }
  int appended_to(int output, int) const override { return written_over(output); }

  void run(RunContext& c) const override {
    const Tensor query = to_float32(c.input(kQuery));
    AttentionSizes s{};
    s.batch = query.dim(0), s.queries = s.keys = query.dim(1), s.heads = heads_, s.kv_heads = kv_heads_;
    s.total = c.input(kTotal).data<int32_t>()[0];
    const bool packed = !c.has_input(kKey);
    s.size = s.v_size = query.dim(2) / (packed ? heads_ + 2 * kv_heads_ : heads_);
    const Tensor key = packed ? query : to_float32(c.input(kKey)), value = packed ? query : to_float32(c.input(kValue));
    const Batch batch = batches(c, s);
    const int64_t row = query.dim(2), kv_row = packed ? row : kv_heads_ * s.size;
    // The new queries and keys, normalised and turned: [batch][tokens][heads][size].
    const Tensor q = turned(c, s, batch, query.data<float>(), row, heads_, kQueryNorm, q_epsilon_);
    const Tensor k = turned(c, s, batch, key.data<float>() + (packed ? heads_ * s.size : 0), kv_row, kv_heads_,
                            kKeyNorm, k_epsilon_);
    const Tensor all_keys = present(c, s, batch, k.data<float>(), kv_heads_ * s.size, kPastKey, kPresentKey);
    const Tensor all_values = present(c, s, batch, value.data<float>() + (packed ? (heads_ + kv_heads_) * s.size : 0),
                                      kv_row, kPastValue, kPresentValue);
    const Tensor bias = c.has_input(kBias) ? to_float32(c.input(kBias)) : Tensor();
    FloatOutput y(c.output(kResult));
    AttentionOperands<float> o;
    o.q = q.data<float>(), o.k = all_keys.data<float>(), o.v = all_values.data<float>(), o.y = y.data();
    o.q_at = o.y_at = layout_of(true, heads_, s.queries, s.size);
    o.k_at = o.v_at = layout_of(false, kv_heads_, all_keys.matrix_rows(), s.size);
    o.valid = batch.total.data(), o.first = batch.past.data();
    if (bias.defined()) {
      const Shape& b = bias.shape();
      o.bias = {bias.data<float>(), b[0] == 1 ? 0 : b[1] * b[2] * b[3], b[1] == 1 ? 0 : b[2] * b[3], b[3], 1, b[3]};
    }
    Tensor sinks = c.has_input(kSinks) ? to_float32(c.input(kSinks)) : Tensor();
    const std::vector<float> zeros(static_cast<size_t>(heads_), 0.0f);
    if (sinks.defined() || smooth_) o.sinks = sinks.defined() ? sinks.data<float>() : zeros.data();
    Tensor scores;
    if (c.has_output(kScores)) {
      scores = Tensor::allocate(DType::float32, c.output(kScores).shape());
      o.scores = scores.data<float>();
    }
    attend<StepsF32>(c, s, rules_, o);
    y.store();
    if (scores.defined())
      store_floats(c.output(kScores).dtype(), o.scores, c.output(kScores).bytes(), 0, scores.count());
  }

 private:
  void infer_rest(InferContext& c, const Shape& q, int64_t size) const {
    if (rotary_) {
      for (int i : {kCosine, kSine}) {
        c.require_same_dtype(kQuery, i);
        c.require_rank(i, 2, 2);
        check(2 * c.shape(i)[1] <= size && c.shape(i) == c.shape(kCosine), ErrorCode::invalid_input, "input ", i,
              " of shape ", c.shape(i), " for heads of ", size);
      }
    }
    if (c.has_input(kPositions)) {
      c.require_dtype(kPositions, {DType::int64});
      check(c.shape(kPositions) == (Shape{q[0], q[1]}), ErrorCode::invalid_input, "position_ids of shape ",
            c.shape(kPositions), " for ", q[0], " times ", q[1], " tokens");
    }
    if (c.has_input(kSinks)) {
      c.require_same_dtype(kQuery, kSinks);
      check(c.shape(kSinks) == Shape{heads_}, ErrorCode::invalid_input, "head_sink has shape ", c.shape(kSinks));
    }
    for (int i : {kQueryNorm, kKeyNorm}) {
      check(c.has_input(i) == c.has_input(kKeyNorm), ErrorCode::invalid_model,
            "q_norm_weight and k_norm_weight must be given together");
      if (!c.has_input(i)) continue;
      c.require_same_dtype(kQuery, i);
      check(c.shape(i) == Shape{size}, ErrorCode::invalid_input, "input ", i, " has shape ", c.shape(i));
    }
  }

  void require_bias(InferContext& c, const Shape& q, int64_t total) const {
    c.require_same_dtype(kQuery, kBias);
    c.require_rank(kBias, 4, 4);
    const Shape& b = c.shape(kBias);
    check((b[0] == 1 || b[0] == q[0]) && (b[1] == 1 || b[1] == heads_) && b[2] == q[1] && b[3] == total,
          ErrorCode::invalid_input, "attention_bias of shape ", b, " does not fit ", Shape{q[0], heads_, q[1], total});
  }

  // The first prompt may be padded at its end; later tokens come behind what is there.
  Batch batches(RunContext& c, const AttentionSizes& s) const {
    Batch b;
    const int64_t cached = c.has_input(kPastKey) ? c.input(kPastKey).dim(2) : 0;
    for (int64_t i = 0; i < s.batch; i++) {
      const int64_t total = int64_t{c.input(kLengths).data<int32_t>()[i]} + 1;
      const int64_t past = s.queries == s.total ? 0 : total - s.queries;
      check(total >= 1 && total <= s.total && past >= 0 && past <= cached, ErrorCode::runtime_error, "seqlens_k is ",
            total - 1, " with ", s.queries, " new tokens, ", cached, " of the past and total_sequence_length ",
            s.total);
      b.past.push_back(past);
      b.total.push_back(s.queries == s.total ? std::max(total, s.queries) : total);
    }
    return b;
  }

  Tensor turned(RunContext& c, const AttentionSizes& s, const Batch& batch, const float* x, int64_t row, int64_t heads,
                int norm, float epsilon) const {
    Tensor y = Tensor::allocate(DType::float32, {s.batch, s.queries, heads, s.size});
    const Tensor cosine = rotary_ ? to_float32(c.input(kCosine)) : Tensor(),
                 sine = rotary_ ? to_float32(c.input(kSine)) : Tensor(),
                 weight = c.has_input(norm) ? to_float32(c.input(norm)) : Tensor();
    const int64_t half = rotary_ ? cosine.dim(1) : 0;
    std::vector<float> vector(static_cast<size_t>(s.size));
    for (int64_t t = 0; t < s.batch * s.queries; t++) {
      int64_t at = 0;
      if (rotary_) {
        at = c.has_input(kPositions) ? c.input(kPositions).data<int64_t>()[t]
                                     : batch.past[static_cast<size_t>(t / s.queries)] + t % s.queries;
        check(at >= 0 && at < cosine.dim(0), ErrorCode::runtime_error, "position ", at,
              " is out of range for caches of ", cosine.dim(0));
      }
      for (int64_t h = 0; h < heads; h++) {
        const float* in = x + t * row + h * s.size;
        float* out = y.data<float>() + (t * heads + h) * s.size;
        if (weight.defined()) {
          kernels::rms_norm_rows_f32(in, weight.data<float>(), vector.data(), 1, vector.size(), epsilon);
          in = vector.data();
        }
        if (rotary_)
          rotate(in, cosine.data<float>() + at * half, sine.data<float>() + at * half, out, half, interleaved_);
        std::copy(in + 2 * half, in + s.size, out + 2 * half);
      }
    }
    return y;
  }

  // The cache with the new vectors x behind those of the past, as float32. Where the past's memory is the output's,
  // only the new ones are written.
  Tensor present(RunContext& c, const AttentionSizes& s, const Batch& batch, const float* x, int64_t row, int past,
                 int output) const {
    const bool wanted = c.has_output(output);
    const DType type = c.input(kQuery).dtype();
    const int64_t cached = c.has_input(past) ? c.input(past).dim(2) : 0, length = std::max(s.total, cached);
    Tensor y = wanted ? c.output(output) : Tensor::allocate(type, {s.batch, kv_heads_, length, s.size});
    bool shared = cached > 0 && c.input(past).bytes() == y.bytes();
    // What is behind a past that goes on living is not to be written into it.
    if (shared && length > cached &&
        std::any_of(batch.past.begin(), batch.past.end(), [&](int64_t n) { return n < cached; })) {
      y = c.output(output) = Tensor::allocate(type, y.shape());
      shared = false;
    }
    const size_t width = static_cast<size_t>(dtype_bits(type) / 8);
    const auto bytes = [&](int64_t rows) { return static_cast<size_t>(rows * s.size) * width; };
    c.pool().parallel_for(s.batch * kv_heads_, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {
        const int64_t b = i / kv_heads_, h = i % kv_heads_, old = batch.past[static_cast<size_t>(b)];
        std::byte* out = y.bytes() + bytes(i * y.matrix_rows());
        if (!shared && old > 0)
          std::memcpy(out, c.input(past).bytes() + bytes(i * c.input(past).matrix_rows()), bytes(old));
        if (!shared || length > cached) {
          const int64_t end = old + s.queries;
          std::memset(out + bytes(end), 0, bytes(length - end));
        }
        for (int64_t t = 0; t < s.queries; t++) {
          store_floats(type, x + (b * s.queries + t) * row + h * s.size, out, (old + t) * s.size, s.size);
        }
      }
    });
    return to_float32(y);
  }

  int64_t heads_, kv_heads_;
  bool rotary_, interleaved_, smooth_;
  float q_epsilon_, k_epsilon_;
  AttentionRules rules_;
};

constexpr OpEntry kOps[] = {{"GroupQueryAttention", 1, make_operator<GroupQueryAttention>}};

}  // namespace

std::span<const OpEntry> ms_grouped_attention_ops() { return kOps; }

}  // namespace sardonyx
