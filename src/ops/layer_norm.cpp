// LayerNormalization, RMSNormalization and SimplifiedLayerNormalization: statistics over the last axes.
#include <cmath>
#include <vector>

#include "kernels/norm/normalize.h"
#include "ops/families.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

// Where element `at` of `shape` lies in a tensor that is broadcast to it.
int64_t broadcast_position(const Shape& shape, const Shape& own, int64_t at) noexcept {
  int64_t from = 0, step = 1;
  for (int d = shape.rank() - 1, o = own.rank() - 1; o >= 0; d--, o--) {
    if (own[o] != 1) from += at % shape[d] * step;
    step *= own[o];
    at /= shape[d];
  }
  return from;
}

// SimplifiedLayerNormalization is no operator of the standard, though models write it in the standard's domain: an
// RMSNormalization whose second output is the inverse root.
class LayerNormalization final : public Operator {
 public:
  LayerNormalization(const Attributes& a, bool rms, bool simplified = false)
      : simplified_(simplified),
        epsilon_(a.number("epsilon", 1e-5f)),
        axis_(a.integer("axis", -1)),
        rms_(rms),
        stash_(a.dtype("stash_type", DType::float32)) {
    check(kFloat.has(stash_), ErrorCode::invalid_model, "stash_type is ", stash_);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(2, rms_ ? 2 : 3);
    c.require_input(1);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 1);
    const int axis = normalize_axis(axis_, c.rank(0));
    for (int i = 1; i < c.input_count(); i++) {
      if (!c.has_input(i)) continue;
      c.require_dtype(i, kFloat);
      if (!rms_) c.require_same_dtype(0, i);
      check(broadcast(c.shape(0), c.shape(i)) == c.shape(0), ErrorCode::invalid_input, "input ", i, " of shape ",
            c.shape(i), " cannot be broadcast to ", c.shape(0));
    }
    c.set_output(0, rms_ ? c.dtype(1) : c.dtype(0), c.shape(0));
    Shape rows = c.shape(0);
    for (int i = axis; i < rows.rank(); i++) rows[i] = 1;
    c.set_output(1, stash_, rows);
    c.set_output(2, stash_, rows);
  }

  void run(RunContext& c) const override {
    const Shape& shape = c.input(0).shape();
    const int axis = normalize_axis(axis_, shape.rank());
    if (shape.count() == 0) return;
    const bool simple = c.input(0).dtype() != DType::float64 && c.output(0).dtype() != DType::float64 &&
                        is_per_row(c, 1, axis) && is_per_row(c, 2, axis);
    const int64_t rows = shape.count(0, axis);
    Tensor mean = Tensor::allocate(DType::float32, {rows}), inverse = Tensor::allocate(DType::float32, {rows});
    if (simple) {
      run_float32(c, axis, mean.data<float>(), inverse.data<float>());
    } else {
      run_plain(c, axis, mean.data<float>(), inverse.data<float>());
    }
    for (int i = 1; i < c.output_count(); i++) {
      if (!c.has_output(i)) continue;
      Tensor& out = c.output(i);
      const bool is_mean = i == 1 && !simplified_;
      store_floats(out.dtype(), (is_mean ? mean : inverse).data<float>(), out.bytes(), 0, out.count());
    }
  }

 private:
  // Has input i, if it is there, the same values for every row?
  static bool is_per_row(RunContext& c, int i, int axis) {
    if (!c.has_input(i)) return true;
    const Shape& own = c.input(i).shape();
    return own.count(0, std::max(0, own.rank() - (c.input(0).rank() - axis))) == 1;
  }

  // Input i for one row; the values themselves where they are stored so, else in `hold`.
  static const float* row_values(RunContext& c, int i, int axis, Tensor& hold) {
    if (!c.has_input(i)) return nullptr;
    const Shape& x = c.input(0).shape();
    hold = to_float32(c.input(i));
    const int64_t n = x.count(axis, x.rank());
    if (hold.count() == n) return hold.data<float>();
    Tensor row = Tensor::allocate(DType::float32, {n});
    for (int64_t k = 0; k < n; k++) {
      row.data<float>()[k] = hold.data<float>()[broadcast_position(x, hold.shape(), k)];
    }
    hold = row;
    return row.data<float>();
  }

  void run_float32(RunContext& c, int axis, float* mean, float* inverse) const {
    const Tensor x = to_float32(c.input(0));
    const int64_t rows = x.shape().count(0, axis), n = x.shape().count(axis, x.rank());
    Tensor hold_scale, hold_bias;
    const float* scale = row_values(c, 1, axis, hold_scale);
    const float* bias = row_values(c, 2, axis, hold_bias);
    FloatOutput y(c.output(0));
    c.pool().parallel_for(rows, std::max<int64_t>(1, (1 << 14) / n), [&](int64_t from, int64_t to) {
      const size_t count = static_cast<size_t>(to - from), size = static_cast<size_t>(n);
      const float* in = x.data<float>() + from * n;
      float* out = y.data() + from * n;
      if (rms_) {
        if (simplified_ && c.has_output(1)) inverse_roots(in, inverse + from, count, size);
        kernels::rms_norm_rows_f32(in, scale, out, count, size, epsilon_);
      } else {
        kernels::layer_norm_rows_f32(in, scale, bias, out, count, size, epsilon_, mean + from, inverse + from);
      }
    });
    y.store();
  }

  void inverse_roots(const float* x, float* inverse, size_t rows, size_t n) const noexcept {
    for (size_t r = 0; r < rows; r++, x += n) {
      double squares = 0;
      for (size_t i = 0; i < n; i++) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      inverse[r] = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(epsilon_)));
    }
  }

  // Any types and any broadcasting, in double.
  void run_plain(RunContext& c, int axis, float* mean, float* inverse) const {
    const Tensor& x = c.input(0);
    const Shape& shape = x.shape();
    const int64_t rows = shape.count(0, axis), n = shape.count(axis, shape.rank());
    Tensor& y = c.output(0);
    std::vector<double> row(static_cast<size_t>(n));
    for (int64_t r = 0; r < rows; r++) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < n; i++) sum += row[static_cast<size_t>(i)] = float_at(x, r * n + i);
      const double center = rms_ ? 0 : sum / static_cast<double>(n);
      for (double v : row) squares += (v - center) * (v - center);
      const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(epsilon_));
      for (int64_t i = 0; i < n; i++) {
        const int64_t at = r * n + i;
        double v = (row[static_cast<size_t>(i)] - center) * factor;
        v *= float_at(c.input(1), broadcast_position(shape, c.input(1).shape(), at));
        if (c.has_input(2)) v += float_at(c.input(2), broadcast_position(shape, c.input(2).shape(), at));
        put_float(y, at, v);
      }
      mean[r] = static_cast<float>(center);
      inverse[r] = static_cast<float>(factor);
    }
  }

  bool simplified_;
  float epsilon_;
  int64_t axis_;
  bool rms_;
  DType stash_;
};

std::unique_ptr<Operator> make_layer(const Attributes& a) { return std::make_unique<LayerNormalization>(a, false); }
std::unique_ptr<Operator> make_rms(const Attributes& a) { return std::make_unique<LayerNormalization>(a, true); }

std::unique_ptr<Operator> make_simplified(const Attributes& a) {
  return std::make_unique<LayerNormalization>(a, true, true);
}

constexpr OpEntry kOps[] = {{"LayerNormalization", 17, make_layer},
                            {"RMSNormalization", 23, make_rms},
                            {"SimplifiedLayerNormalization", 1, make_simplified}};

}  // namespace

std::span<const OpEntry> layer_norm_ops() { return kOps; }

}  // namespace sardonyx
