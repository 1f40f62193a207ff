// Max and average pools of float32 planes: vectors along the row where whole windows lie inside it, scalars at its
// ends.
#include <cmath>
#include <limits>

#include "kernels/pool/pool.h"
#include "kernels/simd.h"
#include "kernels/taps.h"

namespace sardonyx::kernels {
namespace {

struct MaxOp {
  static constexpr float kStart = -std::numeric_limits<float>::infinity();
  static V step(V a, V b) { return wasm_f32x4_max(a, b); }
  static float step(float a, float b) { return b > a || std::isnan(b) ? b : a; }
};

struct SumOp {
  static constexpr float kStart = 0;
  static V step(V a, V b) { return add(a, b); }
  static float step(float a, float b) { return a + b; }
};

// Four outputs with the same tap: elements 0, STRIDE, 2 STRIDE, 3 STRIDE.
template <int STRIDE>
inline V load_step(const float* p) {
  if constexpr (STRIDE == 1) return load(p);
  return wasm_i32x4_shuffle(load(p), load(p + 4), 0, 2, 4, 6);
}

// Output columns [begin, end), all inside: y[x] = fold over rows and K (0: s.kernel[2]) taps. rows: of the first tap's
// plane and row.
template <class Op, int K, int STRIDE>
SARDONYX_NOINLINE void inside_row(const Window& s, const Cell& cell, const float* x, float* y, Interior in) noexcept {
  const size_t k = K ? K : s.kernel[2], dx = K ? 1 : s.dilation[2];
  const float* base = x + (cell.axis[0].first * s.in[1] + cell.axis[1].first) * s.in[2] - s.pad[2];
  for (size_t o = in.begin; o < in.end; o += 4) {
    V acc = splat(Op::kStart);
    for (size_t kz = 0; kz < cell.axis[0].count(); kz++) {
      for (size_t ky = 0; ky < cell.axis[1].count(); ky++) {
        const float* row = base + (kz * s.dilation[0] * s.in[1] + ky * s.dilation[1]) * s.in[2] + o * STRIDE;
        for (size_t kx = 0; kx < k; kx++) acc = Op::step(acc, load_step<STRIDE>(row + kx * dx));
      }
    }
    store_lanes(y + o, acc, in.end - o);
  }
}

template <class Op>
void pick_inside_row(const Window& s, const Cell& cell, const float* x, float* y, Interior in) noexcept {
  bool one = s.stride[2] == 1;
  size_t k = s.dilation[2] == 1 ? s.kernel[2] : 0;
  if (k == 2) return (one ? inside_row<Op, 2, 1> : inside_row<Op, 2, 2>)(s, cell, x, y, in);
  if (k == 3) return (one ? inside_row<Op, 3, 1> : inside_row<Op, 3, 2>)(s, cell, x, y, in);
  (one ? inside_row<Op, 0, 1> : inside_row<Op, 0, 2>)(s, cell, x, y, in);
}

template <class Op>
void fold_row(const Window& s, Cell cell, const float* x, float* y) noexcept {
  Interior in = s.stride[2] <= 2 ? interior_columns(s) : Interior{0, 0};
  if (in.begin < in.end) pick_inside_row<Op>(s, cell, x, y, in);
  for (size_t o = 0; o < s.out[2]; o++) {
    if (o == in.begin && in.begin < in.end) o = in.end;
    if (o >= s.out[2]) break;
    cell.axis[2] = taps_of(s, 2, o);
    float acc = Op::kStart;
    for_each_tap(s, cell, [&](size_t at) { acc = Op::step(acc, x[at]); });
    y[o] = acc;
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
  for_each_row(s, y, [&](const Cell& cell, size_t, size_t, float* out) { fold_row<MaxOp>(s, cell, x, out); });
}

void average_pool_f32(const Window& s, const float* x, float* y, bool count_include_pad) noexcept {
  for_each_row(s, y, [&](const Cell& cell, size_t z, size_t r, float* out) {
    fold_row<SumOp>(s, cell, x, out);
    size_t rows =
        count_include_pad ? padded_taps(s, 0, z) * padded_taps(s, 1, r) : cell.axis[0].count() * cell.axis[1].count();
    for (size_t o = 0; o < s.out[2]; o++) {
      size_t count = rows * (count_include_pad ? padded_taps(s, 2, o) : taps_of(s, 2, o).count());
      out[o] = count == 0 ? 0 : out[o] / static_cast<float>(count);
    }
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
