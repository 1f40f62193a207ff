// Softmax and log softmax.
#include "kernels/norm/softmax.h"

#include <algorithm>
#include <cmath>

#include "kernels/math/math.h"

namespace sardonyx::kernels {
namespace {

const float kLowest = -__builtin_inff();

// A NaN in the row gives NaN.
SARDONYX_NOINLINE float row_max(const float* x, size_t n) noexcept {
  V best = splat(kLowest), other = best, nan = splat(0);
  auto take = [&nan](V& to, V v) {
    to = wasm_f32x4_pmax(to, v);
    nan = wasm_v128_or(nan, wasm_f32x4_ne(v, v));
  };
  size_t i = 0;
  for (; i + 8 <= n; i += 8) take(best, load(x + i)), take(other, load(x + i + 4));
  if (i + 4 <= n) take(best, load(x + i)), i += 4;
  if (i < n) take(best, select(first_lanes(n - i), load(x + i), splat(kLowest)));
  return wasm_v128_any_true(nan) ? __builtin_nanf("") : lane_max(wasm_f32x4_pmax(best, other));
}

// The sum of exp(x - shift), shift not less than any x; y, if not null, receives the terms, of which those under e^-80
// (of what masks exclude by -100, say) are 0. Blocks are added in double.
SARDONYX_NOINLINE double exp_sum(const float* x, float shift, float* y, size_t n) noexcept {
  constexpr size_t kBlock = 1024;
  V s = splat(shift);
  double total = 0;
  for (size_t i = 0; i < n;) {
    size_t end = std::min(n, i + kBlock);
    V sum = splat(0);
    for (; i + 4 <= end; i += 4) {
      V e = exp_or_zero_v(sub(load(x + i), s));
      if (y) store(y + i, e);
      sum = add(sum, e);
    }
    if (i < end) {
      V e = wasm_v128_and(exp_or_zero_v(sub(load(x + i), s)), first_lanes(end - i));
      if (y) store_lanes(y + i, e, end - i);
      sum = add(sum, e);
      i = end;
    }
    total += lane_sum(sum);
  }
  return total;
}

SARDONYX_NOINLINE void scale_shift(const float* x, float* y, size_t n, float scale, float shift) noexcept {
  V a = splat(scale), b = splat(shift);
  size_t i = 0;
  for (; i + 4 <= n; i += 4) store(y + i, mul(add(load(x + i), b), a));
  if (i < n) store_lanes(y + i, mul(add(load(x + i), b), a), n - i);
}

// Columns of [axis][inner] that are done at once: whole cache lines of a row, since a walk down single columns of a
// large power of two meets few sets of the cache.
constexpr size_t kColumns = 64;

// Columns [0, columns) of [axis][inner], columns <= kColumns.
SARDONYX_NOINLINE void softmax_columns(const float* x, float* y, size_t axis, size_t inner, size_t columns,
                                       bool logarithm) noexcept {
  V best[kColumns / 4], sum[kColumns / 4], part[kColumns / 4];
  size_t n = (columns + 3) / 4;
  for (size_t k = 0; k < n; k++) best[k] = splat(kLowest), sum[k] = splat(0);
  for (size_t a = 0; a < axis; a++) {
    for (size_t k = 0; k < n; k++) best[k] = wasm_f32x4_max(best[k], load(x + a * inner + 4 * k));
  }
  for (size_t a = 0; a < axis;) {
    for (size_t k = 0; k < n; k++) part[k] = splat(0);  // sums of short runs keep the rounding from growing
    for (size_t end = std::min(axis, a + 64); a < end; a++) {
      for (size_t k = 0; k < n; k++) {
        V d = sub(load(x + a * inner + 4 * k), best[k]), e = exp_or_zero_v(d);
        part[k] = add(part[k], e);
        store_lanes(y + a * inner + 4 * k, logarithm ? d : e, columns - 4 * k);
      }
    }
    for (size_t k = 0; k < n; k++) sum[k] = add(sum[k], part[k]);
  }
  for (size_t k = 0; k < n; k++) sum[k] = logarithm ? log_v(sum[k]) : div(splat(1), sum[k]);
  for (size_t a = 0; a < axis; a++) {
    for (size_t k = 0; k < n; k++) {
      V v = load(y + a * inner + 4 * k);
      store_lanes(y + a * inner + 4 * k, logarithm ? sub(v, sum[k]) : mul(v, sum[k]), columns - 4 * k);
    }
  }
}

void over_axis(const float* x, float* y, size_t outer, size_t axis, size_t inner, bool logarithm) noexcept {
  if (inner == 1) return (logarithm ? log_softmax_rows_f32 : softmax_rows_f32)(x, y, outer, axis);
  for (size_t o = 0; o < outer; o++, x += axis * inner, y += axis * inner) {
    for (size_t i = 0; i < inner; i += kColumns) {
      softmax_columns(x + i, y + i, axis, inner, std::min(kColumns, inner - i), logarithm);
    }
  }
}

}  // namespace

void softmax_rows_f32(const float* x, float* y, size_t rows, size_t n) noexcept {
  for (size_t r = 0; r < rows; r++, x += n, y += n) {
    double sum = exp_sum(x, row_max(x, n), y, n);
    scale_shift(y, y, n, static_cast<float>(1 / sum), 0);
  }
}

void log_softmax_rows_f32(const float* x, float* y, size_t rows, size_t n) noexcept {
  for (size_t r = 0; r < rows; r++, x += n, y += n) {
    float max = row_max(x, n);
    auto log_sum = static_cast<float>(std::log(exp_sum(x, max, nullptr, n)));
    V m = splat(max), l = splat(log_sum);
    for (size_t i = 0; i < n; i += 4) store_lanes(y + i, sub(sub(load(x + i), m), l), n - i);
  }
}

void softmax_axis_f32(const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept {
  over_axis(x, y, outer, axis, inner, false);
}

void log_softmax_axis_f32(const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept {
  over_axis(x, y, outer, axis, inner, true);
}

}  // namespace sardonyx::kernels
