// Coordinates and weights of Resize (its section of the standard).
#include "ops/util/resize_axis.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace sardonyx {
namespace {

// In float32 throughout: nearest modes sit on ties, where everyone's rounding must be the same.
float original_coordinate(ResizeCoordinates mode, const ResizeLength& l, int64_t i) {
  const float x = static_cast<float>(i), in = static_cast<float>(l.in);
  switch (mode) {
    case ResizeCoordinates::half_pixel:
      return (x + 0.5f) / l.scale - 0.5f;
    case ResizeCoordinates::half_pixel_symmetric: {
      const float adjustment = static_cast<float>(l.out) / l.length, center = in / 2;
      return center * (1 - adjustment) + (x + 0.5f) / l.scale - 0.5f;
    }
    case ResizeCoordinates::pytorch_half_pixel:
      return l.out > 1 ? (x + 0.5f) / l.scale - 0.5f : 0;
    case ResizeCoordinates::align_corners:
      return l.out == 1 ? 0 : x * (in - 1) / (l.length - 1);
    case ResizeCoordinates::asymmetric:
      return x / l.scale;
    case ResizeCoordinates::tf_half_pixel_for_nn:
      return (x + 0.5f) / l.scale;
    case ResizeCoordinates::tf_crop_and_resize:
      return l.out > 1 ? l.start * (in - 1) + x * (l.end - l.start) * (in - 1) / (l.length - 1)
                       : 0.5f * (l.start + l.end) * (in - 1);
  }
  return x;
}

float nearest_coordinate(NearestMode mode, float x) {
  switch (mode) {
    case NearestMode::round_prefer_floor:
      return std::ceil(x - 0.5f);
    case NearestMode::round_prefer_ceil:
      return std::floor(x + 0.5f);
    case NearestMode::floor:
      return std::floor(x);
    case NearestMode::ceil:
      return std::ceil(x);
  }
  return x;
}

double cubic(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double filter(const ResizeRule& rule, double x) {
  return rule.mode == ResizeMode::cubic ? cubic(x, static_cast<double>(rule.cubic_a)) : std::max(0.0, 1 - std::abs(x));
}

}  // namespace

bool is_identity(const ResizeRule& rule, const ResizeLength& l) noexcept {
  return l.in == l.out && l.scale == 1 && rule.coordinates != ResizeCoordinates::tf_half_pixel_for_nn &&
         (rule.coordinates != ResizeCoordinates::tf_crop_and_resize || (l.start == 0 && l.end == 1));
}

ResizeTable resize_table(const ResizeRule& rule, const ResizeLength& l) {
  ResizeTable t;
  t.in = static_cast<size_t>(l.in);
  t.out = static_cast<size_t>(l.out);
  // The filter is stretched where antialiasing shrinks; `reach` neighbours on each side carry weight.
  const double stretch = rule.antialias ? std::min(1.0, static_cast<double>(l.scale)) : 1;
  const double half = rule.mode == ResizeMode::cubic ? 2 : 1;
  int64_t reach = 0;
  if (rule.mode != ResizeMode::nearest) {
    check(half / stretch <= 1 << 20, ErrorCode::invalid_input, "a scale of ", static_cast<double>(l.scale),
          " is too small to be antialiased");
    reach = static_cast<int64_t>(std::ceil(half / stretch));
    t.taps = static_cast<size_t>(2 * reach);
  }
  check(t.out <= (size_t{1} << 28) / t.taps, ErrorCode::out_of_memory, l.out, " resized elements of ", t.taps,
        " taps each");
  t.index.resize(t.out * t.taps);
  t.weight.assign(t.out * t.taps, 1);
  t.outside.assign(t.out, 0);
  const int64_t last = l.in - 1;
  std::vector<double> weights(t.taps);
  for (int64_t i = 0; i < l.out; i++) {
    const float x = original_coordinate(rule.coordinates, l, i);
    const bool out =
        rule.coordinates == ResizeCoordinates::tf_crop_and_resize && (!(x >= 0) || x > static_cast<float>(last));
    t.outside[static_cast<size_t>(i)] = out;
    t.any_outside = t.any_outside || out;
    const float inside = std::isfinite(x) ? std::clamp(x, -static_cast<float>(l.in) - 1e6f, 2e9f) : 0;
    int32_t* index = t.index.data() + static_cast<size_t>(i) * t.taps;
    if (rule.mode == ResizeMode::nearest) {
      const double at = static_cast<double>(nearest_coordinate(rule.nearest, inside));
      *index = static_cast<int32_t>(std::clamp(at, 0.0, static_cast<double>(last)));
      continue;
    }
    const int64_t base = static_cast<int64_t>(std::floor(inside));
    double sum = 0;
    for (size_t k = 0; k < t.taps; k++) {
      const int64_t at = base - reach + 1 + static_cast<int64_t>(k);
      weights[k] = filter(rule, (static_cast<double>(at) - static_cast<double>(inside)) * stretch);
      if (rule.exclude_outside && (at < 0 || at > last)) weights[k] = 0;
      sum += weights[k];
      index[k] = static_cast<int32_t>(std::clamp<int64_t>(at, 0, last));
    }
    for (size_t k = 0; k < t.taps; k++) {
      t.weight[static_cast<size_t>(i) * t.taps + k] = static_cast<float>(sum == 0 ? weights[k] : weights[k] / sum);
    }
  }
  return t;
}

}  // namespace sardonyx
