// Separable resampling of float32 planes: nearest, linear, cubic and antialiased resizes from tables the caller makes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

// The table of one axis: output i is the sum over t < taps of weight[i * taps + t] * input[index[i * taps + t]].
struct ResizeAxis {
  const int32_t* index;  // [out * taps], each in [0, in)
  const float* weight;   // [out * taps]
  size_t taps;
  size_t in;
  size_t out;
};

// Floats of scratch for resize_plane_f32.
size_t resize_scratch_size(const ResizeAxis& rows, const ResizeAxis& cols) noexcept;

// y [rows.out][cols.out] from x [rows.in][cols.in]; two taps on both axes: the sum of the four products, else columns
// first, each input row resampled once and kept.
void resize_plane_f32(const ResizeAxis& rows, const ResizeAxis& cols, const float* x, float* y,
                      float* scratch) noexcept;

// One axis of [outer][in][inner]: for ranks above 2 or single axes.
void resize_axis_f32(const ResizeAxis& axis, const float* x, float* y, size_t outer, size_t inner) noexcept;

// Nearest for any element size: y[o][i][j] = x[o][index[i]][j] over [outer][axis][inner].
void resize_nearest_axis(const int32_t* index, size_t in, size_t out, const void* x, void* y, size_t outer,
                         size_t inner, size_t element_size) noexcept;

}  // namespace sardonyx::kernels
