// Max and average pools of float32 planes, with vectors along the row.
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/pool/pool.h"
#include "kernels/pool/pool_window.h"
#include "kernels/simd.h"
#include "kernels/taps.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kRow = 512;  // columns of the input that are folded at once

// The maximum as x86 has it: quick, but NaN may get lost.
struct QuickMax {
  static constexpr float kStart = -std::numeric_limits<float>::infinity();
  static V step(V a, V b) { return wasm_f32x4_pmax(a, b); }
};

struct MaxOp {
  using Quick = QuickMax;
  static constexpr float kStart = -std::numeric_limits<float>::infinity();
  static V step(V a, V b) { return wasm_f32x4_max(a, b); }
  static float step(float a, float b) { return b > a || std::isnan(b) ? b : a; }
};

struct SumOp {
  using Quick = SumOp;
  static constexpr float kStart = 0;
  static V step(V a, V b) { return add(a, b); }
  static float step(float a, float b) { return a + b; }
};

// Elements 0, STRIDE, 2 STRIDE, 3 STRIDE (0: any stride).
template <size_t STRIDE>
inline V load_step(const float* p, size_t stride) {
  if constexpr (STRIDE == 1) return load(p);
  if constexpr (STRIDE == 2) return wasm_i32x4_shuffle(load(p), load(p + 4), 0, 2, 4, 6);
  return wasm_f32x4_make(p[0], p[stride], p[2 * stride], p[3 * stride]);
}

// Columns [first, first + n) of the padded input folded over the cell's rows; NaN among them: is told.
template <class Op>
SARDONYX_NOINLINE bool fold_columns(const Window& s, const Cell& cell, const float* x, ptrdiff_t first, size_t n,
                                    float* r) noexcept {
  ptrdiff_t in = static_cast<ptrdiff_t>(s.in[2]), count = static_cast<ptrdiff_t>(n);
  ptrdiff_t begin = std::clamp<ptrdiff_t>(-first, 0, count), end = std::clamp<ptrdiff_t>(in - first, begin, count);
  const float* base = x + (cell.axis[0].first * s.in[1] + cell.axis[1].first) * s.in[2];
  V nan = splat(0);
  for (ptrdiff_t i = begin; i < end; i += 4) {
    V acc = splat(Op::kStart);
    for (size_t kz = 0; kz < cell.axis[0].count(); kz++) {
      const float* row = base + kz * s.dilation[0] * s.in[1] * s.in[2] + static_cast<size_t>(first + i);
      for (size_t ky = 0; ky < cell.axis[1].count(); ky++, row += s.dilation[1] * s.in[2]) {
        V v = load(row);
        nan = wasm_v128_or(nan, wasm_f32x4_ne(v, v));
        acc = Op::step(acc, v);
      }
    }
    store(r + i, acc);
  }
  std::fill(r, r + begin, Op::kStart);
  std::fill(r + end, r + n, Op::kStart);
  return wasm_v128_any_true(nan);
}

// y[o] = the folded columns folded over the taps of a row.
template <class Op, size_t STRIDE>
SARDONYX_NOINLINE void fold_taps(const Window& s, const float* r, float* y, size_t n) noexcept {
  size_t stride = s.stride[2], dilation = s.dilation[2];
  for (size_t o = 0; o < n; o += 4) {
    const float* p = r + o * stride;
    V acc = load_step<STRIDE>(p, stride);
    for (size_t kx = 1; kx < s.kernel[2]; kx++) acc = Op::step(acc, load_step<STRIDE>(p + kx * dilation, stride));
    store_lanes(y + o, acc, n - o);
  }
}

template <class Op>
void pick_fold_taps(const Window& s, const float* r, float* y, size_t n) noexcept {
  auto* fold = s.stride[2] == 1 ? fold_taps<Op, 1> : s.stride[2] == 2 ? fold_taps<Op, 2> : fold_taps<Op, 0>;
  fold(s, r, y, n);
}

// One row of the output: the rows of its windows are folded to one, then its taps; both with vectors.
template <class Op>
void fold_row(const Window& s, Cell cell, const float* x, float* y) noexcept {
  size_t reach = (s.kernel[2] - 1) * s.dilation[2] + 1, stride = s.stride[2];
  if (reach > kRow / 2 || stride > kRow / 8) {
    for (size_t o = 0; o < s.out[2]; o++) {
      cell.axis[2] = taps_of(s, 2, o);
      float acc = Op::kStart;
      for_each_tap(s, cell, [&](size_t at) { acc = Op::step(acc, x[at]); });
      y[o] = acc;
    }
    return;
  }
  alignas(16) float r[kRow + 4 * (kRow / 8) + 16];  // vectors reach beyond the last output's windows
  size_t step = (kRow - reach) / stride + 1;
  for (size_t o = 0; o < s.out[2]; o += step) {
    size_t n = std::min(step, s.out[2] - o), columns = (n - 1) * stride + reach;
    ptrdiff_t first = static_cast<ptrdiff_t>(o * stride) - s.pad[2];
    std::fill_n(r + columns, 3 * stride + 8, 0.0f);
    if (fold_columns<typename Op::Quick>(s, cell, x, first, columns, r) && !std::is_same_v<Op, typename Op::Quick>) {
      fold_columns<Op>(s, cell, x, first, columns, r);
      pick_fold_taps<Op>(s, r, y + o, n);
    } else {
      pick_fold_taps<typename Op::Quick>(s, r, y + o, n);
    }
  }
}

// y[o] /= the taps that count for output column o, of `rows` rows.
void divide_row(const Window& s, size_t rows, bool padded, float* y) noexcept {
  if (rows == 0) return static_cast<void>(std::fill_n(y, s.out[2], 0.0f));
  Interior in = interior_columns(s);
  for (size_t o = 0; o < s.out[2]; o++) {
    if (o == in.begin && in.begin < in.end) {
      V count = splat(static_cast<float>(rows * s.kernel[2]));
      for (; o < in.end; o += 4) store_lanes(y + o, div(load(y + o), count), in.end - o);
      o = in.end;
      if (o >= s.out[2]) break;
    }
    size_t count = rows * (padded ? padded_taps(s, 2, o) : taps_of(s, 2, o).count());
    y[o] = count == 0 ? 0 : y[o] / static_cast<float>(count);
  }
}

// Calls row(cell without its columns, z, y, output row) for every row.
template <class F>
inline void for_each_row(const Window& s, float* y, F row) {
  Cell cell{};
  for (size_t z = 0; z < s.out[0]; z++) {
    cell.axis[0] = taps_of(s, 0, z);
    for (size_t r = 0; r < s.out[1]; r++, y += s.out[2]) {
      cell.axis[1] = taps_of(s, 1, r);
      row(cell, z, r, y);
    }
  }
}

}  // namespace

void max_pool_f32(const Window& s, const float* x, float* y) noexcept {
  if (max_window_f32(s, x, y)) return;
  for_each_row(s, y, [&](const Cell& cell, size_t, size_t, float* out) { fold_row<MaxOp>(s, cell, x, out); });
}

void average_pool_f32(const Window& s, const float* x, float* y, bool count_include_pad) noexcept {
  const bool summed = sum_window_f32(s, x, y);
  for_each_row(s, y, [&](const Cell& cell, size_t z, size_t r, float* out) {
    if (!summed) fold_row<SumOp>(s, cell, x, out);
    size_t rows =
        count_include_pad ? padded_taps(s, 0, z) * padded_taps(s, 1, r) : cell.axis[0].count() * cell.axis[1].count();
    divide_row(s, rows, count_include_pad, out);
  });
}

void lp_pool_f32(const Window& s, const float* x, float* y, int p) noexcept {
  for_each_row(s, y, [&](Cell cell, size_t, size_t, float* out) {
    for (size_t o = 0; o < s.out[2]; o++) {
      cell.axis[2] = taps_of(s, 2, o);
      double sum = 0;
      for_each_tap(s, cell, [&](size_t at) {
        double v = std::fabs(static_cast<double>(x[at]));
        sum += p == 1 ? v : p == 2 ? v * v : std::pow(v, p);
      });
      out[o] = static_cast<float>(p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1.0 / p));
    }
  });
}

}  // namespace sardonyx::kernels
