// com.microsoft SkipLayerNormalization, SkipSimplifiedLayerNormalization and EmbedLayerNormalization: sums that are
// normalised over their last axis.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/elementwise/binary_f32.h"
#include "kernels/norm/normalize.h"
#include "ops/families.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kFloats = kFloat - DTypeSet{DType::float64};

float epsilon_of(const Attributes& a) { return a.number("epsilon", 1e-12f); }

void require_row(InferContext& c, int i, int64_t size) {
  if (i < 0 || !c.has_input(i)) return;
  c.require_same_dtype(0, i);
  check(c.shape(i) == Shape{size}, ErrorCode::invalid_input, "input ", i, " of shape ", c.shape(i), " for rows of ",
        size);
}

Tensor optional_floats(RunContext& c, int i) { return i >= 0 && c.has_input(i) ? to_float32(c.input(i)) : Tensor(); }
const float* data_of(const Tensor& t) { return t.defined() ? t.data<float>() : nullptr; }

// y = norm(input + skip + bias) * gamma + beta; output 3 is the sum.
class SkipNorm final : public Operator {
 public:
  SkipNorm(const Attributes& a, bool rms)
      : epsilon_(epsilon_of(a)), rms_(rms), beta_(rms ? -1 : 3), bias_(rms ? 3 : 4) {}

  void infer(InferContext& c) const override {
    c.require_inputs(3, bias_ + 1);
    c.require_dtype(0, kFloats);
    c.require_same_dtype(0, 1);
    c.require_input(2);
    c.require_rank(0, 2, 3);
    const Shape &x = c.shape(0), &skip = c.shape(1);
    // A skip of one batch repeats.
    const bool repeats = x.rank() == 3 && (skip == Shape{1, x[1], x[2]} || skip == Shape{x[1], x[2]});
    check(skip == x || repeats, ErrorCode::invalid_input, "skip of shape ", skip, " does not fit ", x);
    for (int i : {2, beta_, bias_}) require_row(c, i, x.back());
    c.set_output_like(0, 0);
    Shape rows = x;
    rows[rows.rank() - 1] = 1;
    c.set_output(1, DType::float32, rows);
    c.set_output(2, DType::float32, rows);
    c.set_output_like(3, 0);
  }

  void run(RunContext& c) const override {
    const Tensor x = to_float32(c.input(0)), skip = to_float32(c.input(1)), gamma = to_float32(c.input(2));
    const Tensor beta = optional_floats(c, beta_), bias = optional_floats(c, bias_);
    if (x.count() == 0) return;
    const int64_t n = x.dim(x.rank() - 1), rows = x.count() / n, skip_rows = skip.count() / n;
    FloatOutput y(c.output(0));
    Tensor total = c.has_output(3) && c.output(3).dtype() == DType::float32 ? c.output(3) : Tensor();
    if (c.has_output(3) && !total.defined()) total = Tensor::allocate(DType::float32, x.shape());
    Tensor mean = statistic(c, 1, rows), inverse = statistic(c, 2, rows);
    c.pool().parallel_for(rows, std::max<int64_t>(1, (1 << 14) / n), [&](int64_t from, int64_t to) {
      const size_t size = static_cast<size_t>(n);
      for (int64_t r = from; r < to; r++) {
        float* sum = (total.defined() ? total.data<float>() : y.data()) + r * n;
        kernels::add_f32(x.data<float>() + r * n, 1, skip.data<float>() + r % skip_rows * n, 1, sum, size);
        if (bias.defined()) kernels::add_f32(sum, 1, bias.data<float>(), 1, sum, size);
        normalise(sum, gamma.data<float>(), data_of(beta), y.data() + r * n, size,
                  mean.defined() ? mean.data<float>() + r : nullptr,
                  inverse.defined() ? inverse.data<float>() + r : nullptr);
      }
    });
    y.store();
    if (total.defined() && c.output(3).dtype() != DType::float32) {
      store_floats(c.output(3).dtype(), total.data<float>(), c.output(3).bytes(), 0, total.count());
    }
  }

 private:
  static Tensor statistic(RunContext& c, int i, int64_t rows) {
    if (!c.has_output(i)) return {};
    std::fill_n(c.output(i).data<float>(), rows, 0.0f);
    return c.output(i);
  }

  void normalise(const float* x, const float* gamma, const float* beta, float* y, size_t n, float* mean,
                 float* inverse) const noexcept {
    if (!rms_) return kernels::layer_norm_rows_f32(x, gamma, beta, y, 1, n, epsilon_, mean, inverse);
    if (inverse) {
      double squares = 0;
      for (size_t i = 0; i < n; i++) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      *inverse = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(epsilon_)));
    }
    kernels::rms_norm_rows_f32(x, gamma, y, 1, n, epsilon_);
  }

  float epsilon_;
  bool rms_;
  int beta_, bias_;
};

std::unique_ptr<Operator> make_skip(const Attributes& a) { return std::make_unique<SkipNorm>(a, false); }
std::unique_ptr<Operator> make_skip_rms(const Attributes& a) { return std::make_unique<SkipNorm>(a, true); }

// y = norm(words[ids] + positions[...] + segments[...]); output 1 counts the words that the mask leaves, output 2 is
// the sum.
class EmbedLayerNorm final : public Operator {
 public:
  explicit EmbedLayerNorm(const Attributes& a) : epsilon_(epsilon_of(a)) { a.ignore("mask_index_type"); }

  void infer(InferContext& c) const override {
    c.require_inputs(7, 9);
    c.require_dtype(kIds, {DType::int32});
    c.require_rank(kIds, 2, 2);
    const Shape& ids = c.shape(kIds);
    c.require_dtype(kWords, kFloats);
    c.require_rank(kWords, 2, 2);
    const int64_t size = c.shape(kWords)[1];
    for (int i : {kPositions, kSegments}) {
      if (i == kSegments && !c.has_input(i)) continue;
      c.require_same_dtype(kWords, i);
      c.require_rank(i, 2, 2);
      check(c.shape(i)[1] == size, ErrorCode::invalid_input, "input ", i, " of shape ", c.shape(i), " for rows of ",
            size);
    }
    check(c.has_input(kSegmentIds) == c.has_input(kSegments), ErrorCode::invalid_model,
          "segment_ids and segment_embedding must be given together");
    for (int i : {kGamma, kBeta}) {
      c.require_same_dtype(kWords, i);
      check(c.shape(i) == Shape{size}, ErrorCode::invalid_input, "input ", i, " of shape ", c.shape(i), " for rows of ",
            size);
    }
    for (int i : {kSegmentIds, kMask, kPositionIds}) {
      if (!c.has_input(i)) continue;
      c.require_dtype(i, {DType::int32});
      check(c.shape(i) == ids || (i == kPositionIds && c.shape(i) == Shape{1, ids[1]}), ErrorCode::invalid_input,
            "input ", i, " of shape ", c.shape(i), " does not fit ids of ", ids);
    }
    check(c.has_input(kPositionIds) || ids[1] <= c.shape(kPositions)[0], ErrorCode::invalid_input, ids[1],
          " words for ", c.shape(kPositions)[0], " positions");
    c.set_output(0, c.dtype(kWords), {ids[0], ids[1], size});
    c.set_output(1, DType::int32, {ids[0]});
    c.set_output(2, c.dtype(kWords), {ids[0], ids[1], size});
  }

  void run(RunContext& c) const override {
    const Shape ids = c.input(kIds).shape();
    const Tensor words = to_float32(c.input(kWords)), positions = to_float32(c.input(kPositions)),
                 segments = optional_floats(c, kSegments), gamma = to_float32(c.input(kGamma)),
                 beta = to_float32(c.input(kBeta));
    if (c.has_output(1)) count_words(c, ids);
    if (c.output(0).count() == 0) return;
    const size_t n = static_cast<size_t>(words.dim(1));
    FloatOutput y(c.output(0));
    for (int64_t r = 0; r < ids.count(); r++) {
      float* row = y.data() + static_cast<size_t>(r) * n;
      const float* word = row_of(words, c.input(kIds), r, "input_ids");
      const float* position = positions.data<float>() + static_cast<size_t>(r % ids[1]) * n;
      if (c.has_input(kPositionIds)) position = row_of(positions, c.input(kPositionIds), r, "position_ids");
      kernels::add_f32(word, 1, position, 1, row, n);
      if (segments.defined()) {
        kernels::add_f32(row, 1, row_of(segments, c.input(kSegmentIds), r, "segment_ids"), 1, row, n);
      }
    }
    if (c.has_output(2)) store_floats(c.output(2).dtype(), y.data(), c.output(2).bytes(), 0, c.output(2).count());
    kernels::layer_norm_rows_f32(y.data(), gamma.data<float>(), beta.data<float>(), y.data(),
                                 static_cast<size_t>(ids.count()), n, epsilon_, nullptr, nullptr);
    y.store();
  }

 private:
  enum Input { kIds, kSegmentIds, kWords, kPositions, kSegments, kGamma, kBeta, kMask, kPositionIds };

  static const float* row_of(const Tensor& table, const Tensor& ids, int64_t i, const char* name) {
    const int32_t id = ids.data<int32_t>()[i % ids.count()];
    check(id >= 0 && id < table.dim(0), ErrorCode::runtime_error, name, " has ", id, ", out of range for ",
          table.dim(0), " rows");
    return table.data<float>() + id * table.dim(1);
  }

  static void count_words(RunContext& c, const Shape& ids) {
    for (int64_t b = 0; b < ids[0]; b++) {
      int32_t words = 0;
      for (int64_t i = 0; c.has_input(kMask) && i < ids[1]; i++) {
        words += c.input(kMask).data<int32_t>()[b * ids[1] + i] != 0;
      }
      c.output(1).data<int32_t>()[b] = words;
    }
  }

  float epsilon_;
};

constexpr OpEntry kOps[] = {
    {"SkipLayerNormalization", 1, make_skip},
    {"SkipSimplifiedLayerNormalization", 1, make_skip_rms},
    {"EmbedLayerNormalization", 1, make_operator<EmbedLayerNorm>},
};

}  // namespace

std::span<const OpEntry> ms_norm_ops() { return kOps; }

}  // namespace sardonyx
