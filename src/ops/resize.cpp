// Resize and Upsample.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/axes.h"
#include "ops/util/convert.h"
#include "ops/util/dispatch.h"
#include "ops/util/elements.h"
#include "ops/util/resize_axis.h"
#include "ops/util/saturate.h"
#include "ops/util/scratch_slots.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kResizeTypes = kAll - kSubByte - kFloat8;

enum class AspectPolicy : uint8_t { stretch, not_larger, not_smaller };

int64_t scaled_size(int64_t in, float scale) {
  const float size = std::floor(static_cast<float>(in) * scale);
  check(!(size >= 0x1p62f), ErrorCode::out_of_memory, "a scale of ", static_cast<double>(scale), " of a dimension of ",
        in, " gives more than 2^62 elements");
  check(size >= 0, ErrorCode::invalid_input, "a scale of ", static_cast<double>(scale), " of a dimension of ", in);
  return static_cast<int64_t>(size);
}

// The lengths of every axis of an input of shape x.
using Lengths = std::vector<ResizeLength>;

Lengths from_scales(const Shape& x, const std::vector<int>& axes, std::span<const float> scales) {
  check(scales.size() == axes.size(), ErrorCode::invalid_input, "there are ", scales.size(), " scales for ",
        axes.size(), " axes");
  Lengths lengths;
  for (int64_t d : x) lengths.push_back({d, d, 1, static_cast<float>(d)});
  for (size_t i = 0; i < axes.size(); i++) {
    ResizeLength& l = lengths[static_cast<size_t>(axes[i])];
    check(scales[i] > 0, ErrorCode::invalid_input, "a scale is ", static_cast<double>(scales[i]), ", not above 0");
    l.scale = scales[i];
    l.out = scaled_size(l.in, l.scale);
    l.length = static_cast<float>(l.in) * l.scale;
  }
  return lengths;
}

Lengths from_sizes(const Shape& x, const std::vector<int>& axes, std::span<const int64_t> sizes, AspectPolicy policy) {
  check(sizes.size() == axes.size(), ErrorCode::invalid_input, "there are ", sizes.size(), " sizes for ", axes.size(),
        " axes");
  Lengths lengths;
  for (int64_t d : x) lengths.push_back({d, d, 1, static_cast<float>(d)});
  float common = 0;
  for (size_t i = 0; i < axes.size(); i++) {
    ResizeLength& l = lengths[static_cast<size_t>(axes[i])];
    check(sizes[i] >= 0, ErrorCode::invalid_input, "a size is ", sizes[i]);
    l.out = sizes[i];
    l.length = static_cast<float>(l.out);
    l.scale = l.in == 0 ? 1 : static_cast<float>(l.out) / static_cast<float>(l.in);
    const bool better = policy == AspectPolicy::not_larger ? l.scale < common : l.scale > common;
    if (i == 0 || better) common = l.scale;
  }
  if (policy == AspectPolicy::stretch) return lengths;
  for (int axis : axes) {
    ResizeLength& l = lengths[static_cast<size_t>(axis)];
    l.scale = common;
    l.length = static_cast<float>(l.in) * common;
    l.out = scaled_size(1, std::floor(l.length + 0.5f));
  }
  return lengths;
}

// One pass over [outer][in][inner].
struct Pass {
  const ResizeTable& table;
  int64_t outer, inner;
};

void resample(ThreadPool& pool, const Pass& p, const float* x, float* y) {
  const int64_t in = static_cast<int64_t>(p.table.in) * p.inner, out = static_cast<int64_t>(p.table.out) * p.inner;
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, out));
  pool.parallel_for(p.outer, grain, [&](int64_t from, int64_t to) {
    kernels::resize_axis_f32(p.table.axis(), x + from * in, y + from * out, static_cast<size_t>(to - from),
                             static_cast<size_t>(p.inner));
  });
}

void resample(ThreadPool& pool, const Pass& p, const double* x, double* y) {
  const ResizeTable& t = p.table;
  const int64_t in = static_cast<int64_t>(t.in), out = static_cast<int64_t>(t.out);
  pool.parallel_for(p.outer, 1, [&](int64_t from, int64_t to) {
    for (int64_t o = from * out; o < to * out; o++) {
      const size_t at = static_cast<size_t>(o % out) * t.taps;
      for (int64_t j = 0; j < p.inner; j++) {
        double sum = 0;
        for (size_t k = 0; k < t.taps; k++) {
          sum += static_cast<double>(t.weight[at + k]) * x[(o / out * in + t.index[at + k]) * p.inner + j];
        }
        y[o * p.inner + j] = sum;
      }
    }
  });
}

// From double into any type: integers are rounded to nearest even and saturated.
void store_doubles(const double* x, Tensor& y) {
  const int64_t n = y.count();
  const auto to_int = [&]<class T>(TypeTag<T>) {
    for (int64_t i = 0; i < n; i++) y.data<T>()[i] = saturate<T>(std::nearbyint(x[i]));
  };
  if (dispatch_int(y.dtype(), to_int)) return;
  for (int64_t i = 0; i < n; i++) put_float(y, i, x[i]);
}

class Resize final : public Operator {
 public:
  explicit Resize(const Attributes& a, bool upsample)
      : axes_(a.ints("axes")), has_roi_(!upsample && a.since >= 11), scales_(a.floats("scales")) {
    rule_.mode = static_cast<ResizeMode>(a.choice("mode", {"nearest", "linear", "cubic", "bilinear"}, 0));
    if (static_cast<int>(rule_.mode) == 3) rule_.mode = ResizeMode::linear;
    if (a.has("height_scale")) scales_ = {1, 1, a.number("height_scale"), a.number("width_scale")};
    if (upsample || a.since < 11) {
      rule_.coordinates = ResizeCoordinates::asymmetric;
      rule_.nearest = NearestMode::floor;
      return;
    }
    rule_.coordinates = static_cast<ResizeCoordinates>(
        a.choice("coordinate_transformation_mode",
                 {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                  "tf_half_pixel_for_nn", "tf_crop_and_resize"},
                 0));
    rule_.nearest = static_cast<NearestMode>(
        a.choice("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}, 0));
    rule_.cubic_a = a.number("cubic_coeff_a", -0.75f);
    rule_.exclude_outside = a.flag("exclude_outside", false);
    rule_.antialias = a.flag("antialias", false);
    extrapolation_ = a.number("extrapolation_value", 0);
    policy_ =
        static_cast<AspectPolicy>(a.choice("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}, 0));
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, has_roi_ ? 4 : 2);
    c.require_dtype(0, rule_.mode == ResizeMode::nearest ? kResizeTypes : kNumeric);
    if (has_roi_ && c.has_input(1) && c.shape(1).count() > 0) c.require_dtype(1, kFloat);
    if (c.has_input(scales_input())) c.require_dtype(scales_input(), {DType::float32});
    if (c.has_input(3)) c.require_dtype(3, {DType::int64});
    if (!scales_.empty()) return state(c, from_scales(c.shape(0), axes(c.rank(0)), scales_));
    const bool sizes = c.has_input(3) && c.shape(3).count() > 0;
    const int given = sizes ? 3 : scales_input();
    check(c.has_input(given) && (sizes || c.shape(given).count() > 0 || c.rank(0) == 0), ErrorCode::invalid_model,
          "there are neither scales nor sizes");
    check(!sizes || !c.has_input(2) || c.shape(2).count() == 0, ErrorCode::invalid_model,
          "there are both scales and sizes");
    const Tensor* v = c.value(given);
    if (!v) return c.defer();
    state(c, lengths(c.shape(0), *v));
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const bool sizes = c.has_input(3) && c.input(3).count() > 0;
    Lengths all = !scales_.empty() ? from_scales(x.shape(), axes(x.rank()), scales_)
                                   : lengths(x.shape(), c.input(sizes ? 3 : scales_input()));
    if (has_roi_ && rule_.coordinates == ResizeCoordinates::tf_crop_and_resize) read_roi(c, all);
    if (c.output(0).count() == 0) return;
    std::vector<ResizeTable> tables;
    std::vector<int> changed;
    for (int i = 0; i < x.rank(); i++) {
      if (is_identity(rule_, all[static_cast<size_t>(i)])) continue;
      tables.push_back(resize_table(rule_, all[static_cast<size_t>(i)]));
      changed.push_back(i);
    }
    if (rule_.mode == ResizeMode::nearest) {
      run_nearest(x, changed, tables, c.output(0));
    } else if (x.dtype() == DType::float32 || is_half(x.dtype())) {
      run_floats(c, changed, tables);
    } else {
      const Tensor y = run_passes<double>(c, changed, tables, convert(x, DType::float64));
      store_doubles(y.data<double>(), c.output(0));
    }
    extrapolate(c.output(0), changed, tables);
  }

 private:
  int scales_input() const noexcept { return has_roi_ ? 2 : 1; }

  std::vector<int> axes(int rank) const {
    std::vector<int> list;
    if (axes_.empty()) {
      for (int i = 0; i < rank; i++) list.push_back(i);
      return list;
    }
    axis_bits(axes_, rank);
    for (int64_t a : axes_) list.push_back(normalize_axis(a, rank));
    return list;
  }

  Lengths lengths(const Shape& x, const Tensor& v) const {
    if (v.dtype() == DType::float32) return from_scales(x, axes(x.rank()), v.values<float>());
    return from_sizes(x, axes(x.rank()), v.values<int64_t>(), policy_);
  }

  static void state(InferContext& c, const Lengths& lengths) {
    Shape y;
    for (const ResizeLength& l : lengths) {
      check(l.in > 0 || l.out == 0, ErrorCode::invalid_input, "an empty dimension cannot be resized to ", l.out);
      y.push_back(l.out);
    }
    c.set_output(0, c.dtype(0), y);
  }

  void read_roi(RunContext& c, Lengths& all) const {
    const std::vector<int> list = axes(c.input(0).rank());
    check(c.has_input(1) && c.input(1).count() == static_cast<int64_t>(2 * list.size()), ErrorCode::invalid_input,
          "roi needs ", 2 * list.size(), " values");
    const Tensor roi = to_float32(c.input(1));
    for (size_t i = 0; i < list.size(); i++) {
      all[static_cast<size_t>(list[i])].start = roi.data<float>()[i];
      all[static_cast<size_t>(list[i])].end = roi.data<float>()[i + list.size()];
    }
  }

  // Last axis first: where all grow, the most work is on the shortest rows.
  static void run_nearest(const Tensor& x, const std::vector<int>& axes, const std::vector<ResizeTable>& tables,
                          Tensor& y) {
    Tensor from = x;
    const RunCopier copy(x.dtype());
    for (size_t i = axes.size(); i-- > 0;) {
      const ResizeTable& t = tables[i];
      const Shape& s = from.shape();
      Shape shape = s;
      shape[axes[i]] = static_cast<int64_t>(t.out);
      Tensor to = i == 0 ? y : Tensor::allocate(x.dtype(), shape);
      const int64_t outer = s.count(0, axes[i]), inner = s.count(axes[i] + 1, s.rank());
      if (x.dtype() == DType::string) {
        const int64_t out = static_cast<int64_t>(t.out), in = static_cast<int64_t>(t.in);
        for (int64_t o = 0; o < outer * out; o++) {
          copy(to.bytes(), o * inner, from.bytes(), (o / out * in + t.index[static_cast<size_t>(o % out)]) * inner,
               inner);
        }
      } else {
        kernels::resize_nearest_axis(t.index.data(), t.in, t.out, from.bytes(), to.bytes(), static_cast<size_t>(outer),
                                     static_cast<size_t>(inner), copy.size());
      }
      from = to;
    }
    if (axes.empty()) copy(y.bytes(), 0, x.bytes(), 0, x.count());
  }

  // Two last axes of float32 go plane by plane, everything else axis by axis.
  void run_floats(RunContext& c, const std::vector<int>& axes, const std::vector<ResizeTable>& tables) const {
    const Tensor x = to_float32(c.input(0));
    Tensor& y = c.output(0);
    const int rank = x.rank();
    if (axes.size() != 2 || axes[0] != rank - 2) {
      const Tensor result = run_passes<float>(c, axes, tables, x);
      store_floats(y.dtype(), result.data<float>(), y.bytes(), 0, y.count());
      return;
    }
    Tensor out = y.dtype() == DType::float32 ? y : Tensor::allocate(DType::float32, y.shape());
    const kernels::ResizeAxis rows = tables[0].axis(), cols = tables[1].axis();
    const int64_t in_plane = static_cast<int64_t>(rows.in * cols.in), plane = static_cast<int64_t>(rows.out * cols.out);
    ScratchSlots<float> slots(c, static_cast<int64_t>(kernels::resize_scratch_size(rows, cols)));
    const int64_t grain = std::max<int64_t>(1, (1 << 14) / plane);
    c.pool().parallel_for(x.shape().count(0, rank - 2), grain, [&](int64_t from, int64_t to) {
      ScratchSlots<float>::Lease scratch(slots);
      for (int64_t i = from; i < to; i++) {
        kernels::resize_plane_f32(rows, cols, x.data<float>() + i * in_plane, out.data<float>() + i * plane,
                                  scratch.data());
      }
    });
    if (y.dtype() != DType::float32) store_floats(y.dtype(), out.data<float>(), y.bytes(), 0, y.count());
  }

  template <class T>
  static Tensor run_passes(RunContext& c, const std::vector<int>& axes, const std::vector<ResizeTable>& tables,
                           Tensor x) {
    for (size_t i = axes.size(); i-- > 0;) {
      const Shape& s = x.shape();
      Shape shape = s;
      shape[axes[i]] = static_cast<int64_t>(tables[i].out);
      Tensor y = Tensor::allocate(x.dtype(), shape);
      resample(c.pool(), {tables[i], s.count(0, axes[i]), s.count(axes[i] + 1, s.rank())}, x.data<T>(), y.data<T>());
      x = y;
    }
    return x;
  }

  void extrapolate(Tensor& y, const std::vector<int>& axes, const std::vector<ResizeTable>& tables) const {
    for (size_t i = 0; i < axes.size(); i++) {
      const ResizeTable& t = tables[i];
      if (!t.any_outside || !kNumeric.has(y.dtype())) continue;
      Tensor one = Tensor::allocate(y.dtype(), {});
      const double value = static_cast<double>(extrapolation_);
      store_doubles(&value, one);
      const RunCopier copy(y.dtype());
      const int64_t inner = y.shape().count(axes[i] + 1, y.rank()), out = static_cast<int64_t>(t.out);
      for (int64_t o = 0, n = y.shape().count(0, axes[i]) * out; o < n; o++) {
        if (!t.outside[static_cast<size_t>(o % out)]) continue;
        for (int64_t j = 0; j < inner; j++) copy(y.bytes(), o * inner + j, one.bytes(), 0, 1);
      }
    }
  }

  ResizeRule rule_;
  std::vector<int64_t> axes_;
  bool has_roi_;
  std::vector<float> scales_;
  float extrapolation_ = 0;
  AspectPolicy policy_ = AspectPolicy::stretch;
};

std::unique_ptr<Operator> make_resize(const Attributes& a) { return std::make_unique<Resize>(a, false); }
std::unique_ptr<Operator> make_upsample(const Attributes& a) { return std::make_unique<Resize>(a, true); }

constexpr OpEntry kOps[] = {
    {"Resize", 10, make_resize},    {"Resize", 11, make_resize},    {"Resize", 13, make_resize},
    {"Resize", 18, make_resize},    {"Resize", 19, make_resize},    {"Upsample", 1, make_upsample},
    {"Upsample", 7, make_upsample}, {"Upsample", 9, make_upsample}, {"Upsample", 10, make_upsample},
};

}  // namespace

std::span<const OpEntry> resize_ops() { return kOps; }

}  // namespace sardonyx
