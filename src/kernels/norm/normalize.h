// Normalisations in float32: batch, layer, rms, lrn, and the mean and variance that instance and group norm need.
#pragma once

#include <cstddef>
#include <limits>

namespace sardonyx::kernels {

// Mean and biased variance of x[n], accumulated in double in two passes. n >= 1.
struct Moments {
  double mean;
  double variance;
};
Moments moments_f32(const float* x, size_t n) noexcept;

// y[c][n] = clamp(x[c][n] * scale[c] + shift[c], lo, hi) for planes c in [0, channels): batch norm with its statistics
// folded. NaN stays NaN.
void batch_norm_f32(const float* x, const float* scale, const float* shift, float* y, size_t channels, size_t n,
                    float lo = -std::numeric_limits<float>::infinity(),
                    float hi = std::numeric_limits<float>::infinity()) noexcept;
// The folding: scale = gamma / sqrt(var + epsilon), shift = beta - mean * scale; gamma or beta may be null (1, 0).
void batch_norm_fold(const float* gamma, const float* beta, const float* mean, const float* var, float epsilon,
                     float* scale, float* shift, size_t channels) noexcept;

// Each row: y = (x - mean) / sqrt(var + epsilon) * scale + bias; x, y [rows][n], scale, bias [n], bias may be null.
// mean_out, inv_std_out [rows] may be null.
void layer_norm_rows_f32(const float* x, const float* scale, const float* bias, float* y, size_t rows, size_t n,
                         float epsilon, float* mean_out, float* inv_std_out) noexcept;
// y = x / sqrt(mean(x^2) + epsilon) * scale, per row.
void rms_norm_rows_f32(const float* x, const float* scale, float* y, size_t rows, size_t n, float epsilon) noexcept;

// ONNX LRN over channels of one image, x, y [channels][n] (not in place): y = x / (bias + alpha / size * sum of
// squares)^beta, the sum over channels c - floor((size - 1) / 2) .. c + ceil((size - 1) / 2).
void lrn_f32(const float* x, float* y, size_t channels, size_t n, size_t size, float alpha, float beta,
             float bias) noexcept;

}  // namespace sardonyx::kernels
