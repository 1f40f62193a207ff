// BatchNormalization, in inference and in training mode.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/elementwise/unary_f32.h"
#include "kernels/norm/normalize.h"
#include "ops/families.h"
#include "ops/fusible.h"
#include "ops/util/as_float.h"

namespace sardonyx {
namespace {

// x as [batch][channels][n]: spatial statistics are per channel, the others (before version 9) per feature.
struct BatchShape {
  int64_t batch = 1, channels = 1, n = 1;
  BatchShape(const Shape& x, bool spatial) {
    if (x.rank() == 1) {
      n = x[0];
      return;
    }
    batch = x[0];
    channels = spatial ? x[1] : x.count(1, x.rank());
    n = spatial ? x.count(2, x.rank()) : 1;
  }
};

// Mean and biased variance of every channel, in double.
template <class T>
void channel_moments(const BatchShape& s, const T* x, std::vector<double>& mean, std::vector<double>& variance) {
  const double count = static_cast<double>(s.batch * s.n);
  for (int64_t c = 0; c < s.channels; c++) {
    double sum = 0, squares = 0;
    const auto each = [&](auto&& f) {
      for (int64_t b = 0; s.n > 0 && b < s.batch; b++) {
        const T* plane = x + (b * s.channels + c) * s.n;
        for (int64_t i = 0; i < s.n; i++) f(static_cast<double>(plane[i]));
      }
    };
    each([&](double v) { sum += v; });
    const double m = sum / count;
    each([&](double v) { squares += (v - m) * (v - m); });
    mean[static_cast<size_t>(c)] = m;
    variance[static_cast<size_t>(c)] = squares / count;
  }
}

// What was fused: min(max(y, lo), hi), NaN stays NaN.
struct Clamp {
  bool used = false;
  float lo = -std::numeric_limits<float>::infinity(), hi = std::numeric_limits<float>::infinity();

  template <class T>
  void apply(T* y, int64_t n) const noexcept {
    if (!used) return;
    if constexpr (std::is_same_v<T, float>) {
      kernels::clip_f32(y, y, static_cast<size_t>(n), lo, hi);
    } else {
      for (int64_t i = 0; i < n; i++) y[i] = y[i] < T{lo} ? T{lo} : y[i] > T{hi} ? T{hi} : y[i];
    }
  }
};

// y = clamp(x * scale[c] + shift[c]).
template <class T>
void apply(ThreadPool& pool, const BatchShape& s, const T* x, const T* scale, const T* shift, const Clamp& clamp,
           T* y) {
  if (s.n == 1) {
    const int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, s.channels));
    pool.parallel_for(s.batch, grain, [&](int64_t from, int64_t to) {
      for (int64_t b = from; b < to; b++) {
        const T* in = x + b * s.channels;
        T* out = y + b * s.channels;
        for (int64_t c = 0; c < s.channels; c++) out[c] = in[c] * scale[c] + shift[c];
        clamp.apply(out, s.channels);
      }
    });
    return;
  }
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, s.n));
  pool.parallel_for(s.batch * s.channels, grain, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
      const int64_t c = i % s.channels;
      if constexpr (std::is_same_v<T, float>) {
        kernels::batch_norm_f32(x + i * s.n, scale + c, shift + c, y + i * s.n, 1, static_cast<size_t>(s.n), clamp.lo,
                                clamp.hi);
      } else {
        for (int64_t j = i * s.n; j < (i + 1) * s.n; j++) y[j] = x[j] * scale[c] + shift[c];
        clamp.apply(y + i * s.n, s.n);
      }
    }
  });
}

class BatchNormalization final : public Operator, public Fusible {
 public:
  explicit BatchNormalization(const Attributes& a)
      : epsilon_(a.number("epsilon", 1e-5f)), momentum_(a.number("momentum", 0.9f)), since_(a.since) {
    if (since_ < 9) spatial_ = a.flag("spatial", true);
    if (since_ < 6) a.ignore("consumed_inputs");
    const bool is_test = since_ < 7 && a.flag("is_test", false);
    training_ = since_ < 14 ? a.outputs > 1 && !is_test : a.flag("training_mode", false);
    check(since_ < 14 || training_ || a.outputs == 1, ErrorCode::invalid_model,
          "only training_mode gives more than one output");
  }

  Fusible* fusible() override { return training_ ? nullptr : this; }
  bool fuse_clamp(float lo, float hi) override {
    if (!(lo <= hi)) return false;
    clamp_ = {true, std::min(std::max(clamp_.lo, lo), hi), std::min(std::max(clamp_.hi, lo), hi)};
    return true;
  }
  bool fuse_scale_shift(std::span<const float>, std::span<const float>) override { return false; }

  void infer(InferContext& c) const override {
    c.require_inputs(5, 5);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 1);
    const BatchShape s(c.shape(0), spatial_);
    for (int i = 1; i < 5; i++) {
      c.require_dtype(i, kFloat);
      if (since_ < 14) c.require_same_dtype(0, i);
      check(c.shape(i).count() == s.channels, ErrorCode::invalid_input, "input ", i, " of shape ", c.shape(i),
            " has not one value for each of ", s.channels, " channels");
    }
    c.set_output_like(0, 0);
    for (int i = 1; i < c.output_count(); i++) c.set_output_like(i, i % 2 ? 3 : 4);
  }

  uint32_t in_place() const override { return 1; }

  void run(RunContext& c) const override {
    if (c.input(0).dtype() == DType::float64) {
      return run_as<double>(c, c.input(0).data<double>(), c.output(0).data<double>());
    }
    const Tensor x = to_float32(c.input(0));
    FloatOutput y(c.output(0));
    run_as<float>(c, x.data<float>(), y.data());
    y.store();
  }

 private:
  template <class T>
  void run_as(RunContext& c, const T* x, T* y) const {
    const BatchShape s(c.input(0).shape(), spatial_);
    const size_t n = static_cast<size_t>(s.channels);
    std::vector<double> mean(n), variance(n);
    if (training_) {
      channel_moments(s, x, mean, variance);
      put_statistics(c, mean, variance);
    } else {
      for (size_t i = 0; i < n; i++) {
        mean[i] = float_at(c.input(3), static_cast<int64_t>(i));
        variance[i] = float_at(c.input(4), static_cast<int64_t>(i));
      }
    }
    if (c.output(0).count() == 0) return;
    std::vector<T> scale(n), shift(n);
    for (size_t i = 0; i < n; i++) {
      const double f =
          float_at(c.input(1), static_cast<int64_t>(i)) / std::sqrt(variance[i] + static_cast<double>(epsilon_));
      scale[i] = static_cast<T>(f);
      shift[i] = static_cast<T>(float_at(c.input(2), static_cast<int64_t>(i)) - mean[i] * f);
    }
    apply(c.pool(), s, x, scale.data(), shift.data(), clamp_, y);
  }

  // running_mean, running_var, and before version 14 saved_mean, saved_var.
  void put_statistics(RunContext& c, const std::vector<double>& mean, const std::vector<double>& variance) const {
    for (int i = 1; i < c.output_count(); i++) {
      if (!c.has_output(i)) continue;
      const std::vector<double>& now = i % 2 ? mean : variance;
      const Tensor& before = c.input(i % 2 ? 3 : 4);
      const double keep = i < 3 ? static_cast<double>(momentum_) : 0;
      for (size_t j = 0; j < now.size(); j++) {
        const int64_t k = static_cast<int64_t>(j);
        put_float(c.output(i), k, (keep == 0 ? 0 : float_at(before, k) * keep) + now[j] * (1 - keep));
      }
    }
  }

  float epsilon_, momentum_;
  int since_;
  bool spatial_ = true, training_ = false;
  Clamp clamp_;
};

constexpr OpEntry kOps[] = {
    {"BatchNormalization", 1, make_operator<BatchNormalization>},
    {"BatchNormalization", 6, make_operator<BatchNormalization>},
    {"BatchNormalization", 7, make_operator<BatchNormalization>},
    {"BatchNormalization", 9, make_operator<BatchNormalization>},
    {"BatchNormalization", 14, make_operator<BatchNormalization>},
    {"BatchNormalization", 15, make_operator<BatchNormalization>},
};

}  // namespace

std::span<const OpEntry> batch_norm_ops() { return kOps; }

}  // namespace sardonyx
