// Reductions of float32 over the middle axis, vectors along the row or across columns.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/math/math.h"
#include "kernels/reduce/reduce.h"

namespace sardonyx::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr size_t kRun = 16;  // vectors added in float32 before the sum moves to double

struct Identity {
  V operator()(V v) const { return v; }
};
struct Absolute {
  V operator()(V v) const { return wasm_f32x4_abs(v); }
};
struct Square {
  V operator()(V v) const { return mul(v, v); }
};
struct ShiftedExp {
  V shift;
  V operator()(V v) const { return exp_v(sub(v, shift)); }
};

// The sum of f over a row.
template <class F>
SARDONYX_NOINLINE double sum_row(const float* x, size_t n, F f) noexcept {
  double total = 0;
  size_t i = 0;
  while (i + 4 <= n) {
    size_t end = std::min(n & ~size_t{3}, i + 8 * kRun);
    V a = splat(0), b = splat(0);
    for (; i + 8 <= end; i += 8) {
      a = add(a, f(load(x + i)));
      b = add(b, f(load(x + i + 4)));
    }
    if (i < end) a = add(a, f(load(x + i))), i += 4;
    total += lane_sum(add(a, b));
  }
  if (i < n) total += lane_sum(wasm_v128_and(f(load(x + i)), first_lanes(n - i)));
  return total;
}

// The sums of f over four columns of [axis][inner].
template <class F>
SARDONYX_NOINLINE void sum_columns(const float* x, size_t axis, size_t inner, double* sums, F f) noexcept {
  V lo = wasm_f64x2_splat(0), hi = lo;
  for (size_t a = 0; a < axis;) {
    V s = splat(0);
    for (size_t end = std::min(axis, a + kRun); a < end; a++) s = add(s, f(load(x + a * inner)));
    lo = wasm_f64x2_add(lo, wasm_f64x2_promote_low_f32x4(s));
    hi = wasm_f64x2_add(hi, wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(s, s, 2, 3, 2, 3)));
  }
  store(sums, lo);
  store(sums + 2, hi);
}

float finish(ReduceKind kind, double sum, size_t axis) noexcept {
  if (kind == ReduceKind::kMean) sum /= static_cast<double>(axis);
  if (kind == ReduceKind::kL2) sum = std::sqrt(sum);
  if (kind == ReduceKind::kLogSum) sum = std::log(sum);
  return static_cast<float>(sum);
}

template <class F>
void sums(ReduceKind kind, const float* x, float* y, size_t outer, size_t axis, size_t inner, F f) noexcept {
  for (size_t o = 0; o < outer; o++, x += axis * inner, y += inner) {
    if (inner == 1) {
      *y = finish(kind, sum_row(x, axis, f), axis);
      continue;
    }
    for (size_t i = 0; i < inner; i += 4) {
      double s[4];
      sum_columns(x + i, axis, inner, s, f);
      for (size_t j = 0; j < 4 && i + j < inner; j++) y[i + j] = finish(kind, s[j], axis);
    }
  }
}

struct Max {
  static constexpr float kStart = -kInf;
  V operator()(V a, V b) const { return wasm_f32x4_max(a, b); }
};
struct Min {
  static constexpr float kStart = kInf;
  V operator()(V a, V b) const { return wasm_f32x4_min(a, b); }
};
struct Product {
  static constexpr float kStart = 1;
  V operator()(V a, V b) const { return mul(a, b); }
};

// All elements of one row.
template <class F>
SARDONYX_NOINLINE float fold_row(const float* x, size_t n, F f) noexcept {
  V acc = splat(F::kStart);
  size_t i = 0;
  for (; i + 4 <= n; i += 4) acc = f(acc, load(x + i));
  if (i < n) acc = f(acc, select(first_lanes(n - i), load(x + i), splat(F::kStart)));
  acc = f(acc, wasm_i32x4_shuffle(acc, acc, 2, 3, 0, 1));
  return wasm_f32x4_extract_lane(f(acc, wasm_i32x4_shuffle(acc, acc, 1, 0, 3, 2)), 0);
}

template <class F>
SARDONYX_NOINLINE void fold_columns(const float* x, size_t axis, size_t inner, float* y, size_t lanes, F f) noexcept {
  V acc = splat(F::kStart);
  for (size_t a = 0; a < axis; a++) acc = f(acc, load(x + a * inner));
  store_lanes(y, acc, lanes);
}

template <class F>
void folds(const float* x, float* y, size_t outer, size_t axis, size_t inner, F f) noexcept {
  for (size_t o = 0; o < outer; o++, x += axis * inner, y += inner) {
    if (inner == 1) {
      *y = fold_row(x, axis, f);
      continue;
    }
    for (size_t i = 0; i < inner; i += 4) fold_columns(x + i, axis, inner, y + i, inner - i, f);
  }
}

// log(sum(exp(x))) with the maximum taken out, where it is finite.
void log_sum_exp(const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept {
  for (size_t o = 0; o < outer; o++, x += axis * inner, y += inner) {
    for (size_t i = 0; i < inner; i += 4) {
      size_t lanes = std::min<size_t>(4, inner - i);
      float shift[4] = {};
      double s[4] = {};
      if (inner == 1)
        shift[0] = fold_row(x, axis, Max{});
      else
        fold_columns(x + i, axis, inner, shift, lanes, Max{});
      for (float& v : shift) v = std::isfinite(v) ? v : 0;
      if (inner == 1)
        s[0] = sum_row(x, axis, ShiftedExp{splat(shift[0])});
      else
        sum_columns(x + i, axis, inner, s, ShiftedExp{load(shift)});
      for (size_t j = 0; j < lanes; j++) y[i + j] = static_cast<float>(std::log(s[j]) + shift[j]);
    }
  }
}

}  // namespace

void reduce_f32(ReduceKind kind, const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept {
  switch (kind) {
    case ReduceKind::kMax:
      return folds(x, y, outer, axis, inner, Max{});
    case ReduceKind::kMin:
      return folds(x, y, outer, axis, inner, Min{});
    case ReduceKind::kProd:
      return folds(x, y, outer, axis, inner, Product{});
    case ReduceKind::kL1:
      return sums(kind, x, y, outer, axis, inner, Absolute{});
    case ReduceKind::kL2:
    case ReduceKind::kSumSquare:
      return sums(kind, x, y, outer, axis, inner, Square{});
    case ReduceKind::kLogSumExp:
      return log_sum_exp(x, y, outer, axis, inner);
    default:
      return sums(kind, x, y, outer, axis, inner, Identity{});
  }
}

}  // namespace sardonyx::kernels
