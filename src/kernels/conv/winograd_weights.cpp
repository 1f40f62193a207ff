// Winograd's weights: packed in a basis from which the run makes the transforms with few additions.
#include <cmath>

#include "kernels/conv/winograd.h"
#include "kernels/conv/winograd_grid.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kMostTaps = 5;

// One axis of a filter g [taps] in the basis of the even and odd parts at the points a and b, each over the point's
// norm: Ea, Oa, Eb, then Ob from 4 taps on, then g4. 3 taps have Ob = -Oa / 2.
void to_basis(size_t taps, const double* g, size_t stride, double* out) noexcept {
  const double a = std::sqrt(0.5), b = std::sqrt(2.0);
  double t[kMostTaps] = {};
  for (size_t i = 0; i < taps; i++) t[i] = g[i * stride];
  out[0] = (t[0] + t[2] / 2 + t[4] / 4) / -1.5;
  out[1] = a * (t[1] + t[3] / 2) / -1.5;
  out[2] = (t[0] + t[2] * 2 + t[4] * 4) / 6;
  if (taps > 3) out[3] = b * (t[1] + t[3] * 2) / 6;
  if (taps > 4) out[4] = t[4];
}

// The six points of one axis from that basis.
template <size_t TAPS>
inline void to_points(const V* c, V* o) {
  o[1] = add(c[0], c[1]);
  o[2] = sub(c[0], c[1]);
  if constexpr (TAPS == 3) {
    o[3] = fnmadd(splat(.5f), c[1], c[2]);
    o[4] = fmadd(splat(.5f), c[1], c[2]);
    o[5] = fmadd(splat(4), c[2], c[0]);
  } else {
    o[3] = add(c[2], c[3]);
    o[4] = sub(c[2], c[3]);
    o[5] = TAPS == 5 ? c[TAPS - 1] : mul(splat(kB), fmadd(splat(2), c[3], c[1]));
  }
  o[0] = mul(splat(-2), add(c[0], c[2]));
  if constexpr (TAPS == 5) o[0] = add(o[0], c[4]);
}

// Row r of the points is one sum of two elements of the basis, and of the last one with 5 taps.
struct RowOfPoints {
  size_t i, j;
  float a, b, last;
};
RowOfPoints row_of_points(size_t taps, size_t r) noexcept {
  switch (r) {
    case 0:
      return {0, 2, -2, -2, 1};
    case 1:
      return {0, 1, 1, 1, 0};
    case 2:
      return {0, 1, 1, -1, 0};
    case 3:
      return taps == 3 ? RowOfPoints{2, 1, 1, -.5f, 0} : RowOfPoints{2, 3, 1, 1, 0};
    case 4:
      return taps == 3 ? RowOfPoints{2, 1, 1, .5f, 0} : RowOfPoints{2, 3, 1, -1, 0};
    default:
      return taps == 3   ? RowOfPoints{0, 2, 1, 4, 0}
             : taps == 4 ? RowOfPoints{1, 3, kB, 2 * kB, 0}
                         : RowOfPoints{0, 0, 0, 0, 1};
  }
}

template <size_t TAPS>
SARDONYX_NOINLINE void transform(const float* w, size_t r, size_t n, float* u, size_t step) noexcept {
  const RowOfPoints row = row_of_points(TAPS, r);
  const V a = splat(row.a), b = splat(row.b), last = splat(row.last);
  const float *wi = w + row.i * TAPS * 4, *wj = w + row.j * TAPS * 4, *wl = w + (TAPS - 1) * TAPS * 4;
#pragma clang loop unroll(disable)
  for (size_t at = 0; at < n; at += 4, u += 4) {
    V c[TAPS], o[kTile];
    for (size_t x = 0; x < TAPS; x++) {
      c[x] = fmadd(a, load(wi + at * TAPS * TAPS + x * 4), mul(b, load(wj + at * TAPS * TAPS + x * 4)));
      if (TAPS == 5) c[x] = fmadd(last, load(wl + at * TAPS * TAPS + x * 4), c[x]);
    }
    to_points<TAPS>(c, o);
    for (size_t p = 0; p < kTile; p++) store(u + p * step, o[p]);
  }
}

// Phase (py, px) of a filter w [kernel][kernel] in the basis of both axes; taps beyond the kernel are 0.
void phase_basis(const ConvShape& s, const Grid& grid, const float* w, size_t py, size_t px, double* out) noexcept {
  double g[kMostTaps * kMostTaps] = {}, half[kMostTaps * kMostTaps];
  const size_t taps = grid.taps;
  for (size_t y = 0; y < taps; y++) {
    for (size_t x = 0; x < taps; x++) {
      size_t ky = y * grid.stride + py, kx = x * grid.stride + px;
      if (ky < s.kernel[1] && kx < s.kernel[2]) g[y * taps + x] = static_cast<double>(w[ky * s.kernel[2] + kx]);
    }
  }
  for (size_t y = 0; y < taps; y++) to_basis(taps, g + y * taps, 1, half + y * taps);
  for (size_t x = 0; x < taps; x++) {
    double column[kMostTaps];
    to_basis(taps, half + x, taps, column);
    for (size_t y = 0; y < taps; y++) out[y * taps + x] = column[y];
  }
}

// Output channel `lane` of a strip of `height`: coefficient t of element i lies at [i / 4][t][i % 4].
void pack_row(const ConvShape& s, const Grid& grid, const float* w, size_t height, size_t lane, float* strip) noexcept {
  const size_t coefficients = grid.taps * grid.taps;
  size_t at = lane;
  for (size_t c = 0; c < s.channels * s.kernel[0]; c++, w += s.kernel[1] * s.kernel[2]) {
    for (size_t phase = 0; phase < grid.phases(); phase++, at += height) {
      double basis[kMostTaps * kMostTaps];
      phase_basis(s, grid, w, phase / grid.stride, phase % grid.stride, basis);
      float* out = strip + at / 4 * 4 * coefficients + at % 4;
      for (size_t t = 0; t < coefficients; t++) out[t * 4] = flush_denormal(static_cast<float>(basis[t]));
    }
  }
}

}  // namespace

void transform_strip(size_t taps, const float* packed, size_t r, size_t n, float* u, size_t step) noexcept {
  (taps == 3 ? transform<3> : taps == 4 ? transform<4> : transform<5>)(packed, r, n, u, step);
}

size_t winograd_weights_size(const ConvShape& s) noexcept {
  Grid grid(s);
  return packed_strip(grid, (s.out_channels + 3) & ~size_t{3}, grid.depth(s)) + kPackSlack;
}

void winograd_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept {
  Grid grid(s);
  size_t m = s.out_channels;
  std::fill_n(packed, winograd_weights_size(s), 0.0f);
  for (size_t row = 0, height; row < m; row += height) {
    height = strip_height(m, row);
    for (size_t i = 0; i < std::min(height, m - row); i++) {
      pack_row(s, grid, w + (row + i) * s.channels * s.taps(), height, i,
               packed + packed_strip(grid, row, grid.depth(s)));
    }
  }
}

}  // namespace sardonyx::kernels
