// Max, average and Lp pools, over windows and over whole planes.
#include "kernels/pool/pool.h"

#include <cmath>
#include <limits>

#include "kernels/reduce/reduce.h"
#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/conv_geometry.h"

namespace sardonyx {
namespace {

enum class PoolKind : uint8_t { max, average, lp };

constexpr DTypeSet kPoolTypes = kFloat | DTypeSet{DType::int8, DType::uint8};
constexpr int64_t kGrainWork = 1 << 14;  // window elements per task, about

int64_t grain_of(int64_t work) { return std::max<int64_t>(1, kGrainWork / std::max<int64_t>(1, work)); }

// What one plane is reduced with.
struct PoolSteps {
  PoolKind kind;
  bool count_include_pad = false;
  bool column_major = false;  // of Indices
  double p = 2;
};

// The offset of row-major `at` in a plane whose first axis varies fastest.
int64_t column_major_offset(const WindowGeometry& g, int64_t at) noexcept {
  int64_t offset = 0, above = g.in_size();
  for (size_t i = g.axes.size(); i-- > 0;) {
    above /= g.axes[i].in;
    offset += at % g.axes[i].in * above;
    at /= g.axes[i].in;
  }
  return offset;
}

// Taps of output `out` inside the input and its padding.
int64_t padded_taps(const WindowGeometry& g, int64_t out) noexcept {
  int64_t n = 1;
  for (size_t i = g.axes.size(); i-- > 0;) {
    const WindowAxis& a = g.axes[i];
    const int64_t room = a.in + a.pad + a.pad_end - out % a.out * a.stride;
    n *= std::clamp<int64_t>((room + a.dilation - 1) / a.dilation, 0, a.kernel);
    out /= a.out;
  }
  return n;
}

// One plane of any number of axes, plainly.
template <class T>
void pool_plain(const WindowGeometry& g, const PoolSteps& steps, const T* x, T* y, int64_t* indices, int64_t base) {
  using Limits = std::numeric_limits<T>;
  const int64_t taps = g.taps();
  for (int64_t o = 0, size = g.out_size(); o < size; o++) {
    T best = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    int64_t where = -1, count = 0;
    double sum = 0;
    for (int64_t t = 0; t < taps; t++) {
      const int64_t at = g.offset(o, t);
      if (at < 0) continue;
      count++;
      const double v = static_cast<double>(x[at]);
      if (steps.kind == PoolKind::lp) sum += std::pow(std::abs(v), steps.p);
      if (steps.kind == PoolKind::average) sum += v;
      if (where < 0 || x[at] > best || (v != v && best == best)) best = x[at], where = at;
    }
    if (steps.kind == PoolKind::max) {
      y[o] = best;
      where = std::max<int64_t>(where, 0);
      if (indices) indices[o] = base + (steps.column_major ? column_major_offset(g, where) : where);
    } else if (steps.kind == PoolKind::average) {
      if (steps.count_include_pad) count = padded_taps(g, o);
      y[o] = static_cast<T>(count == 0 ? 0 : sum / static_cast<double>(count));
    } else {
      y[o] = static_cast<T>(std::pow(sum, 1 / steps.p));
    }
  }
}

// One plane by the fastest way for T.
template <class T>
void pool_plane(const WindowGeometry& g, const PoolSteps& s, const T* x, T* y, int64_t* indices, int64_t base) {
  const bool whole_p = s.p == std::floor(s.p) && s.p <= 64;
  if (!g.fits_kernels() || (s.kind == PoolKind::lp && (!whole_p || !std::is_same_v<T, float>))) {
    return pool_plain(g, s, x, y, indices, base);
  }
  const kernels::Window w = g.window();
  if constexpr (std::is_same_v<T, float>) {
    if (s.kind == PoolKind::average) return kernels::average_pool_f32(w, x, y, s.count_include_pad);
    if (s.kind == PoolKind::lp) return kernels::lp_pool_f32(w, x, y, static_cast<int>(s.p));
    if (!indices) return kernels::max_pool_f32(w, x, y);
  }
  if constexpr (std::is_same_v<T, double>) {
    if (s.kind == PoolKind::average) return kernels::average_pool_f64(w, x, y, s.count_include_pad);
  }
  // The kernels number a plane's elements in the axes that they see: dropped axes have size 1 and change nothing.
  kernels::max_pool(w, x, y, indices, base, s.column_major);
}

class Pool final : public Operator {
 public:
  Pool(const Attributes& a, PoolKind kind) : window_(a), steps_{kind} {
    check(!window_.kernel_shape().empty(), ErrorCode::invalid_model, "kernel_shape is missing");
    if (kind == PoolKind::max) steps_.column_major = a.integer("storage_order", 0) != 0;
    if (kind == PoolKind::average) steps_.count_include_pad = a.flag("count_include_pad", false);
    if (kind == PoolKind::lp) steps_.p = a.since < 2 ? a.number("p", 2) : static_cast<double>(a.integer("p", 2));
    check(steps_.p > 0, ErrorCode::invalid_model, "p must be above 0");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, steps_.kind == PoolKind::max ? kPoolTypes : kFloat);
    c.require_rank(0, 3);
    const Shape& x = c.shape(0);
    const Shape y = window_output_shape(x[0], x[1], window_.geometry(x));
    c.set_output(0, c.dtype(0), y);
    if (steps_.kind == PoolKind::max) c.set_output(1, DType::int64, y);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    switch (c.input(0).dtype()) {
      case DType::float64:
        return run_planes(c, c.input(0).data<double>(), c.output(0).data<double>());
      case DType::int8:
        return run_planes(c, c.input(0).data<int8_t>(), c.output(0).data<int8_t>());
      case DType::uint8:
        return run_planes(c, c.input(0).data<uint8_t>(), c.output(0).data<uint8_t>());
      default: {
        const Tensor x = to_float32(c.input(0));
        FloatOutput y(c.output(0));
        run_planes(c, x.data<float>(), y.data());
        y.store();
      }
    }
  }

 private:
  template <class T>
  void run_planes(RunContext& c, const T* x, T* y) const {
    const Shape& shape = c.input(0).shape();
    const WindowGeometry g = window_.geometry(shape);
    const int64_t in = g.in_size(), out = g.out_size();
    int64_t* indices = c.has_output(1) ? c.output(1).data<int64_t>() : nullptr;
    c.pool().parallel_for(shape[0] * shape[1], grain_of(out * g.taps()), [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {
        pool_plane(g, steps_, x + i * in, y + i * out, indices ? indices + i * out : nullptr, i * in);
      }
    });
  }

  WindowAttributes window_;
  PoolSteps steps_;
};

template <PoolKind kind>
std::unique_ptr<Operator> make_pool(const Attributes& a) {
  return std::make_unique<Pool>(a, kind);
}

class GlobalPool final : public Operator {
 public:
  GlobalPool(const Attributes& a, PoolKind kind) : kind_(kind) {
    if (kind == PoolKind::lp) p_ = a.since < 2 ? a.number("p", 2) : static_cast<double>(a.integer("p", 2));
    check(p_ > 0, ErrorCode::invalid_model, "p must be above 0");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 2);
    Shape y = Shape::filled(c.rank(0), 1);
    y[0] = c.shape(0)[0];
    y[1] = c.shape(0)[1];
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    if (c.input(0).dtype() == DType::float64) {
      return run_planes(c, c.input(0).data<double>(), c.output(0).data<double>());
    }
    const Tensor x = to_float32(c.input(0));
    FloatOutput y(c.output(0));
    run_planes(c, x.data<float>(), y.data());
    y.store();
  }

 private:
  template <class T>
  void run_planes(RunContext& c, const T* x, T* y) const {
    const Shape& shape = c.input(0).shape();
    const int64_t in = shape.count(2, shape.rank());
    c.pool().parallel_for(shape[0] * shape[1], grain_of(in), [&](int64_t from, int64_t to) {
      reduce_planes(x + from * in, y + from, static_cast<size_t>(to - from), static_cast<size_t>(in));
    });
  }

  template <class T>
  void reduce_planes(const T* x, T* y, size_t planes, size_t n) const noexcept {
    using kernels::ReduceKind;
    ReduceKind kind = kind_ == PoolKind::average ? ReduceKind::kMean : ReduceKind::kMax;
    if (kind_ == PoolKind::lp) {
      if (p_ != 1 && p_ != 2) {
        for (size_t i = 0; i < planes; i++) y[i] = lp_norm(x + i * n, n);
        return;
      }
      kind = p_ == 1 ? ReduceKind::kL1 : ReduceKind::kL2;
    }
    if constexpr (std::is_same_v<T, float>) return kernels::reduce_f32(kind, x, y, planes, n, 1);
    if constexpr (std::is_same_v<T, double>) return kernels::reduce<double>(kind, x, y, planes, n, 1);
  }

  template <class T>
  T lp_norm(const T* x, size_t n) const noexcept {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += std::pow(std::abs(static_cast<double>(x[i])), p_);
    return static_cast<T>(std::pow(sum, 1 / p_));
  }

  PoolKind kind_;
  double p_ = 2;
};

template <PoolKind kind>
std::unique_ptr<Operator> make_global(const Attributes& a) {
  return std::make_unique<GlobalPool>(a, kind);
}

constexpr OpEntry kOps[] = {
    {"MaxPool", 1, make_pool<PoolKind::max>},
    {"MaxPool", 8, make_pool<PoolKind::max>},
    {"MaxPool", 10, make_pool<PoolKind::max>},
    {"MaxPool", 11, make_pool<PoolKind::max>},
    {"MaxPool", 12, make_pool<PoolKind::max>},
    {"MaxPool", 22, make_pool<PoolKind::max>},
    {"AveragePool", 1, make_pool<PoolKind::average>},
    {"AveragePool", 7, make_pool<PoolKind::average>},
    {"AveragePool", 10, make_pool<PoolKind::average>},
    {"AveragePool", 11, make_pool<PoolKind::average>},
    {"AveragePool", 19, make_pool<PoolKind::average>},
    {"AveragePool", 22, make_pool<PoolKind::average>},
    {"LpPool", 1, make_pool<PoolKind::lp>},
    {"LpPool", 2, make_pool<PoolKind::lp>},
    {"LpPool", 11, make_pool<PoolKind::lp>},
    {"LpPool", 18, make_pool<PoolKind::lp>},
    {"LpPool", 22, make_pool<PoolKind::lp>},
    {"GlobalMaxPool", 1, make_global<PoolKind::max>},
    {"GlobalMaxPool", 22, make_global<PoolKind::max>},
    {"GlobalAveragePool", 1, make_global<PoolKind::average>},
    {"GlobalAveragePool", 22, make_global<PoolKind::average>},
    {"GlobalLpPool", 1, make_global<PoolKind::lp>},
    {"GlobalLpPool", 2, make_global<PoolKind::lp>},
    {"GlobalLpPool", 22, make_global<PoolKind::lp>},
};

}  // namespace

std::span<const OpEntry> pool_ops() { return kOps; }

}  // namespace sardonyx
