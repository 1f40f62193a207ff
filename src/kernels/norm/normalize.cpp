// Batch, layer, rms and local response normalisation.
#include "kernels/norm/normalize.h"

#include <algorithm>
#include <cmath>

#include "kernels/math/math.h"

namespace sardonyx::kernels {
namespace {

// The sum over x of f(v), v two lanes in double.
template <class F>
inline double sum_f64(const float* x, size_t n, F f) {
  V lo = wasm_f64x2_splat(0), hi = lo;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    V v = load(x + i);
    lo = wasm_f64x2_add(lo, f(wasm_f64x2_promote_low_f32x4(v)));
    hi = wasm_f64x2_add(hi, f(wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(v, v, 2, 3, 2, 3))));
  }
  for (; i < n; i++)
    lo = wasm_f64x2_add(
        lo, wasm_f64x2_replace_lane(wasm_f64x2_splat(0), 0, wasm_f64x2_extract_lane(f(wasm_f64x2_splat(x[i])), 0)));
  V s = wasm_f64x2_add(lo, hi);
  return wasm_f64x2_extract_lane(s, 0) + wasm_f64x2_extract_lane(s, 1);
}

SARDONYX_NOINLINE double sum_of(const float* x, size_t n) noexcept {
  return sum_f64(x, n, [](V v) { return v; });
}

SARDONYX_NOINLINE double sum_of_squares(const float* x, size_t n, double shift) noexcept {
  return sum_f64(x, n, [s = wasm_f64x2_splat(shift)](V v) {
    V d = wasm_f64x2_sub(v, s);
    return wasm_f64x2_mul(d, d);
  });
}

// y = (x - mean) * inv * scale[i] (+ bias[i]).
SARDONYX_NOINLINE void normalize_row(const float* x, const float* scale, const float* bias, float* y, size_t n,
                                     float mean, float inv) noexcept {
  V m = splat(mean), s = splat(inv);
  for (size_t i = 0; i < n; i += 4) {
    V v = mul(mul(sub(load(x + i), m), s), load(scale + i));
    if (bias) v = add(v, load(bias + i));
    store_lanes(y + i, v, n - i);
  }
}

// t^-beta for t > 0.
inline V negative_power(V t, float beta) {
  if (beta == 0.75f) {
    V root = wasm_f32x4_sqrt(t);
    return div(splat(1), mul(root, wasm_f32x4_sqrt(root)));
  }
  return exp_v(mul(log_v(t), splat(-beta)));
}

}  // namespace

Moments moments_f32(const float* x, size_t n) noexcept {
  double mean = sum_of(x, n) / static_cast<double>(n);
  return {mean, sum_of_squares(x, n, mean) / static_cast<double>(n)};
}

void batch_norm_f32(const float* x, const float* scale, const float* shift, float* y, size_t channels, size_t n,
                    float lo, float hi) noexcept {
  V least = splat(lo), most = splat(hi);
  for (size_t c = 0; c < channels; c++, x += n, y += n) {
    V a = load_splat(scale + c), b = load_splat(shift + c);
    size_t i = 0;
#pragma clang loop unroll(disable)
    for (; i + 8 <= n; i += 8) {
      V u = load(x + i), v = load(x + i + 4);
      store(y + i, clamp(fmadd(u, a, b), least, most));
      store(y + i + 4, clamp(fmadd(v, a, b), least, most));
    }
    for (; i < n; i += 4) store_lanes(y + i, clamp(fmadd(load(x + i), a, b), least, most), n - i);
  }
}

void batch_norm_fold(const float* gamma, const float* beta, const float* mean, const float* var, float epsilon,
                     float* scale, float* shift, size_t channels) noexcept {
  for (size_t c = 0; c < channels; c++) {
    double s = (gamma ? gamma[c] : 1.0) / std::sqrt(static_cast<double>(var[c]) + epsilon);
    scale[c] = static_cast<float>(s);
    shift[c] = static_cast<float>((beta ? beta[c] : 0.0) - mean[c] * s);
  }
}

void layer_norm_rows_f32(const float* x, const float* scale, const float* bias, float* y, size_t rows, size_t n,
                         float epsilon, float* mean_out, float* inv_std_out) noexcept {
  if (n == 0) return;
  for (size_t r = 0; r < rows; r++, x += n, y += n) {
    Moments m = moments_f32(x, n);
    auto mean = static_cast<float>(m.mean), inv = static_cast<float>(1 / std::sqrt(m.variance + epsilon));
    normalize_row(x, scale, bias, y, n, mean, inv);
    if (mean_out) mean_out[r] = mean;
    if (inv_std_out) inv_std_out[r] = inv;
  }
}

void rms_norm_rows_f32(const float* x, const float* scale, float* y, size_t rows, size_t n, float epsilon) noexcept {
  if (n == 0) return;
  for (size_t r = 0; r < rows; r++, x += n, y += n) {
    double mean_square = sum_of_squares(x, n, 0) / static_cast<double>(n);
    normalize_row(x, scale, nullptr, y, n, 0, static_cast<float>(1 / std::sqrt(mean_square + epsilon)));
  }
}

void lrn_f32(const float* x, float* y, size_t channels, size_t n, size_t size, float alpha, float beta,
             float bias) noexcept {
  if (size == 0) return;
  size_t before = (size - 1) / 2, after = size / 2;
  V scale = splat(alpha / static_cast<float>(size)), start = splat(bias);
  for (size_t c = 0; c < channels; c++) {
    size_t c0 = c > before ? c - before : 0, c1 = std::min(channels, c + after + 1);
    for (size_t i = 0; i < n; i += 4) {
      V sum = splat(0);
      for (size_t q = c0; q < c1; q++) {
        V v = load(x + q * n + i);
        sum = fmadd(v, v, sum);
      }
      V t = negative_power(fmadd(sum, scale, start), beta);
      store_lanes(y + c * n + i, mul(load(x + c * n + i), t), n - i);
    }
  }
}

}  // namespace sardonyx::kernels
