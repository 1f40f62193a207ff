// Pools of 3x3 (stride 1 and 2) and 2x2 (stride 2) windows in place: masked edges, vectors along the row.
#include "kernels/pool/pool_window.h"

#include <algorithm>
#include <limits>

#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kWidest = 480;  // columns of the input
constexpr size_t kSlack = 32;    // floats beyond them that are read

struct Max {
  static constexpr float kPad = -std::numeric_limits<float>::infinity();
  static constexpr bool kFindsNan = true;
  static V step(V a, V b) { return wasm_f32x4_pmax(a, b); }  // may lose NaN
};

struct Sum {
  static constexpr float kPad = 0;
  static constexpr bool kFindsNan = false;
  static V step(V a, V b) { return add(a, b); }
};

// Lanes of the first tap and of the last one that lie inside, for the first and the last vector of a row.
struct Edges {
  V left, right, pad;
};

// The K taps of four outputs of one row folded, r at the first tap. Every element that counts goes to `nan` once.
template <class Op, size_t K, size_t S, bool LEFT, bool RIGHT>
inline V fold_taps(const float* r, const Edges& e, V& nan) {
  const auto look = [&](V v) {
    if (Op::kFindsNan) nan = wasm_v128_or(nan, wasm_f32x4_ne(v, v));
  };
  V a, b, c = e.pad;
  if constexpr (S == 1) {
    a = load(r);
    b = load(r + 1);
    c = load(r + 2);
  } else {
    V p = load(r), q = load(r + 4);
    a = wasm_i32x4_shuffle(p, q, 0, 2, 4, 6);
    b = wasm_i32x4_shuffle(p, q, 1, 3, 5, 7);
    if (K == 3) c = wasm_i32x4_shuffle(load(r + 2), load(r + 6), 0, 2, 4, 6);
  }
  V& last = K == 3 ? c : b;
  if (LEFT) a = select(e.left, a, e.pad);
  if (RIGHT) last = select(e.right, last, e.pad);
  look(a);
  if (S == 2) look(b);
  if (RIGHT && K == 3) look(c);
  V ab = Op::step(a, b);
  return K == 3 ? Op::step(ab, c) : ab;
}

// Two output rows, four columns from x on.
template <class Op, size_t K, size_t S, bool LEFT, bool RIGHT>
inline void fold_four(const float* const* rows, size_t width, size_t x, const Edges& e, float* y, V& nan) {
  constexpr size_t kIn = S + K;
  V h[kIn];
  for (size_t r = 0; r < kIn; r++) h[r] = fold_taps<Op, K, S, LEFT, RIGHT>(rows[r] + S * x, e, nan);
  for (size_t o = 0; o < 2; o++) {
    V v = Op::step(h[o * S], h[o * S + 1]);
    store(y + o * width + x, K == 3 ? Op::step(v, h[o * S + 2]) : v);
  }
}

// Windows that hang over the sides by one column at most; y has at least 2 rows of 4 columns. The last vector and the
// last pair of rows overlap those before them.
template <class Op, size_t K, size_t S>
SARDONYX_NOINLINE bool pool_plane(const Window& s, const float* x, float* y) noexcept {
  const size_t height = s.in[1], width = s.in[2], out_h = s.out[1], out_w = s.out[2];
  const bool over = S * (out_w - 1) + K - 1 - static_cast<size_t>(s.pad[2]) >= width;
  const V all = splat_i32(-1);
  const Edges e{s.pad[2] ? wasm_i32x4_const(0, -1, -1, -1) : all, over ? wasm_i32x4_const(-1, -1, -1, 0) : all,
                splat(Op::kPad)};
  alignas(16) float outside[kWidest + kSlack];
  std::fill_n(outside, width + kSlack, Op::kPad);
  V nan = splat(0);
  for (size_t row = 0; row < out_h; row += 2) {
    const size_t oy = std::min(row, out_h - 2);
    const float* rows[S + K];
    for (size_t i = 0; i < S + K; i++) {
      const ptrdiff_t iy = static_cast<ptrdiff_t>(oy * S + i) - s.pad[1];
      const bool inside = iy >= 0 && iy < static_cast<ptrdiff_t>(height);
      rows[i] = inside ? x + static_cast<size_t>(iy) * width - s.pad[2] : outside;
    }
    float* to = y + oy * out_w;
    if (out_w == 4) {
      fold_four<Op, K, S, true, true>(rows, out_w, 0, e, to, nan);
      continue;
    }
    fold_four<Op, K, S, true, false>(rows, out_w, 0, e, to, nan);
#pragma clang loop unroll(disable)
    for (size_t i = 4; i + 4 < out_w; i += 4) fold_four<Op, K, S, false, false>(rows, out_w, i, e, to, nan);
    fold_four<Op, K, S, false, true>(rows, out_w, out_w - 4, e, to, nan);
  }
  return !wasm_v128_any_true(nan);
}

template <class Op>
bool pool_window(const Window& s, const float* x, float* y) noexcept {
  const size_t k = s.kernel[2], stride = s.stride[2];
  if (s.in[0] != 1 || s.out[0] != 1 || s.kernel[0] != 1 || s.pad[0] != 0) return false;
  if (s.kernel[1] != k || s.stride[1] != stride || s.dilation[1] != 1 || s.dilation[2] != 1) return false;
  if (s.out[1] < 2 || s.out[2] < 4 || s.in[2] > kWidest || s.pad[2] < 0 || s.pad[2] > 1) return false;
  if (stride * (s.out[2] - 1) + k - 1 > s.in[2] + static_cast<size_t>(s.pad[2])) return false;
  if (k == 3 && stride == 1) return pool_plane<Op, 3, 1>(s, x, y);
  if (k == 3 && stride == 2) return pool_plane<Op, 3, 2>(s, x, y);
  if (k == 2 && stride == 2) return pool_plane<Op, 2, 2>(s, x, y);
  return false;
}

}  // namespace

bool max_window_f32(const Window& s, const float* x, float* y) noexcept { return pool_window<Max>(s, x, y); }

bool sum_window_f32(const Window& s, const float* x, float* y) noexcept { return pool_window<Sum>(s, x, y); }

}  // namespace sardonyx::kernels
