// How one axis is resampled: the coordinates of Resize and the tables that kernels read.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/move/resize.h"

namespace sardonyx {

enum class ResizeMode : uint8_t { nearest, linear, cubic };
enum class ResizeCoordinates : uint8_t {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_half_pixel_for_nn,
  tf_crop_and_resize
};
enum class NearestMode : uint8_t { round_prefer_floor, round_prefer_ceil, floor, ceil };

// What the attributes say, for every axis.
struct ResizeRule {
  ResizeMode mode = ResizeMode::nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::half_pixel;
  NearestMode nearest = NearestMode::round_prefer_floor;
  float cubic_a = -0.75f;
  bool exclude_outside = false;
  bool antialias = false;
};

// One axis: scale is out / in as it was asked for, `length` the resized length before it was rounded down to `out`;
// start and end are the region of interest (tf_crop_and_resize).
struct ResizeLength {
  int64_t in, out;
  float scale;
  float length;
  float start = 0, end = 1;
};

// Output i of an axis is the sum over t of weight[i * taps + t] * input[index[i * taps + t]]; where outside[i] is set
// (tf_crop_and_resize) it is the extrapolation value.
struct ResizeTable {
  std::vector<int32_t> index;
  std::vector<float> weight;
  std::vector<uint8_t> outside;
  size_t taps = 1, in = 0, out = 0;
  bool any_outside = false;

  kernels::ResizeAxis axis() const noexcept { return {index.data(), weight.data(), taps, in, out}; }
};

// in >= 1 unless out is 0.
ResizeTable resize_table(const ResizeRule& rule, const ResizeLength& length);

// Does the axis stay as it is?
bool is_identity(const ResizeRule& rule, const ResizeLength& length) noexcept;

}  // namespace sardonyx
