// GridSample: a tensor read between its pixels, at positions that a grid gives, over any number of spatial axes.
#include <array>
#include <cmath>
#include <vector>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/convert.h"
#include "ops/util/elements.h"

namespace sardonyx {
namespace {

enum Mode { kLinear, kNearest, kCubic };
enum Padding { kZeros, kBorder, kReflection };

constexpr int64_t kMaxTaps = 256;  // of one point, over all axes

// `p` mirrored at both bounds until it lies between them.
double reflected(double p, double low, double high) noexcept {
  const double range = high - low;
  if (!(range > 0) || !std::isfinite(p)) return low;
  const double beyond = std::fmod(std::abs(p - low), 2 * range);
  return low + (beyond <= range ? beyond : 2 * range - beyond);
}

// Keys' cubic convolution with a = -0.75, at distance t behind the second of four pixels.
void cubic_weights(double t, double* w) noexcept {
  constexpr double a = -0.75;
  const auto inner = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto outer = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  w[0] = outer(t + 1);
  w[1] = inner(t);
  w[2] = inner(1 - t);
  w[3] = outer(2 - t);
}

// How positions on an axis are found and what lies outside.
struct SampleRule {
  Mode mode;
  Padding padding;
  bool align_corners;

  int taps() const noexcept { return mode == kNearest ? 1 : mode == kLinear ? 2 : 4; }

  // A position in [-1, 1] in pixels, the first pixel's center being 0.
  template <class T>
  static T in_pixels(T p, int64_t n, bool align_corners) noexcept {
    const T length = static_cast<T>(n);
    return align_corners ? (p + 1) / 2 * (length - 1) : ((p + 1) * length - 1) / 2;
  }

  double low() const noexcept { return align_corners ? 0 : -0.5; }
  double high(int64_t n) const noexcept { return static_cast<double>(n) - (align_corners ? 1 : 0.5); }

  double placed(double p, int64_t n) const noexcept {
    if (mode == kNearest) p = std::nearbyint(p);
    if (p >= low() && p <= high(n)) return p;
    if (padding == kReflection) return reflected(p, low(), high(n));
    // A cubic position stays where it is, as in PyTorch: each of its taps finds the border.
    if (padding == kBorder && !(mode == kCubic && std::isfinite(p))) return p > 0 ? static_cast<double>(n - 1) : 0;
    return p;
  }

  // The pixel that is read for pixel i of n; -1 where it counts as zero.
  int64_t pixel(double i, int64_t n) const noexcept {
    const double last = static_cast<double>(n - 1);
    if (padding == kReflection) i = reflected(i, low(), high(n));
    if (padding != kZeros) return static_cast<int64_t>(i > 0 ? std::min(i, last) : 0);
    return i >= 0 && i <= last ? static_cast<int64_t>(i) : -1;
  }

  // Pixels and weights of the taps of a position.
  void axis_taps(double p, int64_t n, int64_t* pixels, double* weights) const noexcept {
    p = placed(p, n);
    const double floor = mode == kNearest ? p : std::floor(p);
    const int count = taps(), before = mode == kCubic ? 1 : 0;
    for (int t = 0; t < count; t++) pixels[t] = pixel(floor + t - before, n);
    const double t = p - floor;
    weights[0] = 1;
    if (mode == kLinear) weights[0] = 1 - t, weights[1] = t;
    if (mode == kCubic) cubic_weights(t, weights);
  }
};

struct Tap {
  int64_t offset;  // into a plane
  double weight;
};

class GridSample final : public Operator {
 public:
  explicit GridSample(const Attributes& a)
      : rule_{static_cast<Mode>(a.since < 20 ? a.choice("mode", {"bilinear", "nearest", "bicubic"}, kLinear)
                                             : a.choice("mode", {"linear", "nearest", "cubic"}, kLinear)),
              static_cast<Padding>(a.choice("padding_mode", {"zeros", "border", "reflection"}, kZeros)),
              a.flag("align_corners", false)} {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    const bool nearest = rule_.mode == kNearest;
    c.require_dtype(0, kNumeric | kComplex | kBool | (nearest ? DTypeSet{DType::string} : DTypeSet{}));
    c.require_dtype(1, kFloat);
    c.require_rank(0, 3);
    const Shape &x = c.shape(0), &grid = c.shape(1);
    const int axes = x.rank() - 2;
    check(grid.rank() == x.rank() && grid.back() == axes && grid[0] == x[0], ErrorCode::invalid_input, "grid of shape ",
          grid, " does not fit X of shape ", x);
    int64_t taps = 1;
    for (int i = 0; i < axes; i++) taps = std::min(taps * rule_.taps(), kMaxTaps + 1);
    check(taps <= kMaxTaps, ErrorCode::invalid_input, axes, " spatial axes are more than are supported");
    Shape y{x[0], x[1]};
    for (int i = 1; i <= axes; i++) y.push_back(grid[i]);
    check(y.count() == 0 || x.count() > 0, ErrorCode::invalid_input, "X of shape ", x, " has no pixels");
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const DType type = x.dtype();
    if (rule_.mode == kNearest) {
      return with_element(type, [&]<class T>(T) { copy_nearest(c, x.data<T>(), y.data<T>()); });
    }
    if (type == DType::float64 || type == DType::complex128) return interpolate<double>(c, x, y);
    if (type == DType::float32 || type == DType::complex64) return interpolate<float>(c, x, y);
    const DType wide = is_half(type) ? DType::float32 : DType::float64;
    Tensor result = Tensor::allocate(wide, y.shape());
    wide == DType::float32 ? interpolate<float>(c, convert(x, wide), result)
                           : interpolate<double>(c, convert(x, wide), result);
    convert(c.pool(), result, y, {});
  }

 private:
  // Calls body(plane of X, plane of Y, point, taps, count) for all points and images; a plane is a channel's first
  // element, `point` the place in Y's.
  template <class Body>
  void for_points(RunContext& c, Body&& body) const {
    const Tensor &x = c.input(0), &grid = c.input(1);
    const int axes = x.rank() - 2;
    const int64_t points = grid.shape().count(1, axes + 1), plane = x.shape().count(2, x.rank()), channels = x.dim(1);
    const int64_t grain = std::max<int64_t>(1, (1 << 12) / channels);
    c.pool().parallel_for(x.dim(0) * points, grain, [&](int64_t from, int64_t to) {
      std::array<Tap, kMaxTaps> taps;
      for (int64_t i = from; i < to; i++) {
        const size_t count = point_taps(x.shape(), grid, i * axes, taps.data());
        const int64_t image = i / points * channels;
        for (int64_t k = image; k < image + channels; k++) {
          body(k * plane, k * points + i % points, std::span<const Tap>(taps.data(), count));
        }
      }
    });
  }

  // The taps of the position at element `at` of the grid that are no zeros of the padding; returns how many.
  size_t point_taps(const Shape& x, const Tensor& grid, int64_t at, Tap* taps) const noexcept {
    const int axes = x.rank() - 2;
    size_t count = 1;
    taps[0] = {0, 1};
    for (int axis = 0; axis < axes && count > 0; axis++) {
      const int64_t n = x[axis + 2], last = at + axes - 1 - axis;  // the grid has the innermost axis first
      const double p = float_at(grid, last);
      // In the grid's own precision, on which the choice of the nearest pixel depends.
      const double place =
          grid.dtype() == DType::float64
              ? SampleRule::in_pixels(p, n, rule_.align_corners)
              : static_cast<double>(SampleRule::in_pixels(static_cast<float>(p), n, rule_.align_corners));
      int64_t pixels[4];
      double weights[4];
      rule_.axis_taps(place, n, pixels, weights);
      // Each tap so far becomes one per pixel; from the last on, so that they can stay where they are.
      const size_t per = static_cast<size_t>(rule_.taps());
      for (size_t i = count; i-- > 0;) {
        const Tap tap = taps[i];
        for (size_t k = per; k-- > 0;) {
          const bool zero = tap.offset < 0 || pixels[k] < 0;
          taps[i * per + k] = {zero ? -1 : tap.offset * n + pixels[k], tap.weight * weights[k]};
        }
      }
      count *= per;
    }
    return static_cast<size_t>(std::remove_if(taps, taps + count, [](const Tap& t) { return t.offset < 0; }) - taps);
  }

  template <class T>
  void copy_nearest(RunContext& c, const T* x, T* y) const {
    for_points(c, [&](int64_t plane, int64_t to, std::span<const Tap> taps) {
      y[to] = taps.empty() ? T{} : x[plane + taps[0].offset];
    });
  }

  // T: float or double; complex elements are two of them.
  template <class T>
  void interpolate(RunContext& c, const Tensor& x, Tensor& y) const {
    const int64_t parts = kComplex.has(x.dtype()) ? 2 : 1;
    for_points(c, [&](int64_t plane, int64_t to, std::span<const Tap> taps) {
      for (int64_t part = 0; part < parts; part++) {
        const T* from = x.data<T>() + plane * parts + part;
        double sum = 0;
        for (const Tap& tap : taps) sum += tap.weight * static_cast<double>(from[tap.offset * parts]);
        y.data<T>()[to * parts + part] = static_cast<T>(sum);
      }
    });
  }

  SampleRule rule_;
};

constexpr OpEntry kOps[] = {{"GridSample", 16, make_operator<GridSample>},
                            {"GridSample", 20, make_operator<GridSample>},
                            {"GridSample", 22, make_operator<GridSample>}};

}  // namespace

std::span<const OpEntry> grid_sample_ops() { return kOps; }

}  // namespace sardonyx
