// Softmax and its logarithm over rows or over an inner axis, float32. y may be x.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

// x, y [rows][n]; softmax over n. Subtracts the row's maximum; n = 0 does nothing.
void softmax_rows_f32(const float* x, float* y, size_t rows, size_t n) noexcept;
void log_softmax_rows_f32(const float* x, float* y, size_t rows, size_t n) noexcept;

// x, y [outer][axis][inner]; softmax over axis.
void softmax_axis_f32(const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept;
void log_softmax_axis_f32(const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept;

}  // namespace sardonyx::kernels
