// Instance, group, mean-variance, Lp and local response normalization.
#include "kernels/norm/normalize.h"

#include <cmath>
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/axes.h"

namespace sardonyx {
namespace {

int64_t grain_of(int64_t elements) { return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, elements)); }

// Runs body(x, y, T{}) on the input and the output in double, or in float32 for every other float type.
template <class Body>
void in_float_or_double(RunContext& c, const Body& body) {
  if (c.output(0).count() == 0) return;
  if (c.input(0).dtype() == DType::float64) {
    return body(c.input(0).data<double>(), c.output(0).data<double>());
  }
  const Tensor x = to_float32(c.input(0));
  FloatOutput y(c.output(0));
  body(x.data<float>(), y.data());
  y.store();
}

// Input i as T, which is float or double; `hold` keeps what had to be converted.
template <class T>
const T* values_of(RunContext& c, int i, Tensor& hold) {
  if constexpr (std::is_same_v<T, float>) {
    hold = to_float32(c.input(i));
  } else {
    hold = c.input(i);
  }
  return hold.data<T>();
}

template <class T>
kernels::Moments moments(const T* x, int64_t n) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return kernels::moments_f32(x, static_cast<size_t>(n));
  } else {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    const double mean = sum / static_cast<double>(n);
    for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return {mean, squares / static_cast<double>(n)};
  }
}

template <class T>
void scale_shift(const T* x, T scale, T shift, T* y, int64_t n) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    kernels::batch_norm_f32(x, &scale, &shift, y, 1, static_cast<size_t>(n));
  } else {
    for (int64_t i = 0; i < n; i++) y[i] = x[i] * scale + shift;
  }
}

// InstanceNormalization is GroupNormalization with a group for each channel.
class GroupNormalization final : public Operator {
 public:
  GroupNormalization(const Attributes& a, bool instance)
      : epsilon_(a.number("epsilon", 1e-5f)),
        groups_(instance ? 0 : a.integer("num_groups")),
        scale_per_group_(!instance && a.since < 21) {
    check(instance || groups_ > 0, ErrorCode::invalid_model, "num_groups is ", groups_);
    if (instance && a.since < 6) a.ignore("consumed_inputs");
    if (!instance && a.since >= 21) a.ignore("stash_type");  // float32 or better is what moments are kept in anyway
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 3);
    c.require_dtype(0, kFloat);
    c.require_same_dtype(0, 1);
    c.require_same_dtype(0, 2);
    c.require_rank(0, 2);
    const int64_t channels = c.shape(0)[1], groups = groups_ ? groups_ : channels;
    check(groups == 0 || channels % groups == 0, ErrorCode::invalid_input, channels, " channels are no multiple of ",
          groups, " groups");
    const int64_t wanted = scale_per_group_ ? groups : channels;
    for (int i = 1; i < 3; i++) {
      check(c.rank(i) == 1 && c.shape(i)[0] == wanted, ErrorCode::invalid_input, "input ", i, " of shape ", c.shape(i),
            " is not ", wanted, " numbers");
    }
    c.set_output_like(0, 0);
  }

  uint32_t in_place() const override { return 1; }

  void run(RunContext& c) const override {
    in_float_or_double(c, [&]<class T>(const T* x, T* y) {
      const Shape& shape = c.input(0).shape();
      const int64_t channels = shape[1], n = shape.count(2, shape.rank());
      const int64_t groups = groups_ ? groups_ : channels;
      if (shape.count() == 0) return;
      const int64_t per_group = channels / groups, size = per_group * n;
      Tensor hold_scale, hold_bias;
      const T* scale = values_of<T>(c, 1, hold_scale);
      const T* bias = values_of<T>(c, 2, hold_bias);
      c.pool().parallel_for(shape[0] * groups, grain_of(size), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) {
          const kernels::Moments m = moments(x + i * size, size);
          const double inverse = 1 / std::sqrt(m.variance + static_cast<double>(epsilon_));
          for (int64_t k = 0; k < per_group; k++) {
            const int64_t channel = i % groups * per_group + k, at = scale_per_group_ ? i % groups : channel;
            const double f = static_cast<double>(scale[at]) * inverse;
            const int64_t plane = i * size + k * n;
            scale_shift(x + plane, static_cast<T>(f), static_cast<T>(static_cast<double>(bias[at]) - m.mean * f),
                        y + plane, n);
          }
        }
      });
    });
  }

 private:
  float epsilon_;
  int64_t groups_;
  bool scale_per_group_;
};

std::unique_ptr<Operator> make_instance(const Attributes& a) { return std::make_unique<GroupNormalization>(a, true); }
std::unique_ptr<Operator> make_group(const Attributes& a) { return std::make_unique<GroupNormalization>(a, false); }

// y = (x - mean) / (standard deviation + 1e-9) with statistics over some axes.
class MeanVarianceNormalization final : public Operator {
 public:
  explicit MeanVarianceNormalization(const Attributes& a) : axes_(a.ints("axes")) {
    if (!a.has("axes")) axes_ = {0, 2, 3};
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    axis_bits(axes_, c.rank(0));
    c.set_output_like(0, 0);
  }

  uint32_t in_place() const override { return 1; }

  void run(RunContext& c) const override {
    in_float_or_double(c, [&]<class T>(const T* x, T* y) {
      const Shape& shape = c.input(0).shape();
      const uint32_t axes = axis_bits(axes_, shape.rank());
      // groups[i] of the tensor of statistics: a reduced axis has stride 0.
      std::array<int64_t, Shape::kMaxRank> stride{};
      int64_t groups = 1;
      for (int d = shape.rank() - 1; d >= 0; d--) {
        if (axes >> d & 1) continue;
        stride[static_cast<size_t>(d)] = groups;
        groups *= shape[d];
      }
      const int64_t count = shape.count();
      if (count == 0) return;
      std::vector<double> mean(static_cast<size_t>(groups)), spread(static_cast<size_t>(groups));
      const double share = static_cast<double>(groups) / static_cast<double>(count);
      const auto each = [&](auto&& f) {
        for (int64_t i = 0; i < count; i++) f(i, static_cast<size_t>(group_of(shape, stride, i)));
      };
      each([&](int64_t i, size_t g) { mean[g] += static_cast<double>(x[i]) * share; });
      each([&](int64_t i, size_t g) {
        const double v = static_cast<double>(x[i]) - mean[g];
        spread[g] += v * v * share;
      });
      for (double& v : spread) v = 1 / (std::sqrt(v) + 1e-9);
      each([&](int64_t i, size_t g) { y[i] = static_cast<T>((static_cast<double>(x[i]) - mean[g]) * spread[g]); });
    });
  }

 private:
  static int64_t group_of(const Shape& shape, const std::array<int64_t, Shape::kMaxRank>& stride, int64_t i) noexcept {
    int64_t group = 0;
    for (int d = shape.rank() - 1; d >= 0; d--) {
      group += i % shape[d] * stride[static_cast<size_t>(d)];
      i /= shape[d];
    }
    return group;
  }

  std::vector<int64_t> axes_;
};

// y = x / norm along an axis; 0 where the norm is 0.
class LpNormalization final : public Operator {
 public:
  explicit LpNormalization(const Attributes& a) : axis_(a.integer("axis", -1)), p_(a.integer("p", 2)) {
    check(p_ == 1 || p_ == 2, ErrorCode::invalid_model, "p is ", p_, ", not 1 or 2");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 1);
    normalize_axis(axis_, c.rank(0));
    c.set_output_like(0, 0);
  }

  uint32_t in_place() const override { return 1; }

  void run(RunContext& c) const override {
    in_float_or_double(c, [&]<class T>(const T* x, T* y) {
      const Shape& shape = c.input(0).shape();
      const int axis = normalize_axis(axis_, shape.rank());
      const int64_t n = shape[axis], inner = shape.count(axis + 1, shape.rank());
      c.pool().parallel_for(shape.count(0, axis) * inner, grain_of(n), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) {
          const int64_t base = i / inner * n * inner + i % inner;
          double sum = 0;
          for (int64_t k = 0; k < n; k++) {
            const double v = static_cast<double>(x[base + k * inner]);
            sum += p_ == 1 ? std::abs(v) : v * v;
          }
          const double norm = p_ == 1 ? sum : std::sqrt(sum);
          for (int64_t k = 0; k < n; k++) {
            const double v = static_cast<double>(x[base + k * inner]);
            y[base + k * inner] = static_cast<T>(norm == 0 ? 0 : v / norm);
          }
        }
      });
    });
  }

 private:
  int64_t axis_, p_;
};

// Local response normalization over channels.
class LRN final : public Operator {
 public:
  explicit LRN(const Attributes& a)
      : size_(a.integer("size")),
        alpha_(a.number("alpha", 1e-4f)),
        beta_(a.number("beta", 0.75f)),
        bias_(a.number("bias", 1)) {
    check(size_ >= 1 && size_ < int64_t{1} << 30, ErrorCode::invalid_model, "size is ", size_);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 2);
    c.set_output_like(0, 0);
  }

  void run(RunContext& c) const override {
    in_float_or_double(c, [&]<class T>(const T* x, T* y) {
      const Shape& shape = c.input(0).shape();
      const int64_t channels = shape[1], n = shape.count(2, shape.rank()), image = channels * n;
      c.pool().parallel_for(shape[0], 1, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) normalize(x + i * image, y + i * image, channels, n);
      });
    });
  }

 private:
  void normalize(const float* x, float* y, int64_t channels, int64_t n) const noexcept {
    kernels::lrn_f32(x, y, static_cast<size_t>(channels), static_cast<size_t>(n), static_cast<size_t>(size_), alpha_,
                     beta_, bias_);
  }
  void normalize(const double* x, double* y, int64_t channels, int64_t n) const noexcept {
    const double share = static_cast<double>(alpha_) / static_cast<double>(size_);
    for (int64_t k = 0; k < channels; k++) {
      const int64_t first = std::max<int64_t>(0, k - (size_ - 1) / 2);
      const int64_t last = std::min(channels - 1, k + size_ / 2);
      for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = first; j <= last; j++) sum += x[j * n + i] * x[j * n + i];
        y[k * n + i] = x[k * n + i] / std::pow(static_cast<double>(bias_) + share * sum, static_cast<double>(beta_));
      }
    }
  }

  int64_t size_;
  float alpha_, beta_, bias_;
};

constexpr OpEntry kOps[] = {
    {"InstanceNormalization", 1, make_instance},
    {"InstanceNormalization", 6, make_instance},
    {"InstanceNormalization", 22, make_instance},
    {"GroupNormalization", 18, make_group},
    {"GroupNormalization", 21, make_group},
    {"MeanVarianceNormalization", 9, make_operator<MeanVarianceNormalization>},
    {"MeanVarianceNormalization", 13, make_operator<MeanVarianceNormalization>},
    {"LpNormalization", 1, make_operator<LpNormalization>},
    {"LpNormalization", 22, make_operator<LpNormalization>},
    {"LRN", 1, make_operator<LRN>},
    {"LRN", 13, make_operator<LRN>},
};

}  // namespace

std::span<const OpEntry> normalization_ops() { return kOps; }

}  // namespace sardonyx
