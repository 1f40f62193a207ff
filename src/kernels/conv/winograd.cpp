// Winograd F(4x4, 3x3): vectors run across four tiles, tiles are numbered through the whole plane.
#include "kernels/conv/winograd.h"

#include <algorithm>
#include <cmath>

#include "kernels/conv/padding.h"
#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kOut = 4, kTile = 6, kPoints = kTile * kTile;
constexpr size_t kBlockTiles = 32;
constexpr size_t kGroups = kBlockTiles / 4;  // groups of four tiles in a block
constexpr float kA = 0.70710678118654752f, kB = 1.41421356237309505f;

struct Grid {
  size_t rows, cols;     // of tiles
  size_t height, width;  // of the padded plane
  explicit Grid(const ConvShape& s)
      : rows((s.out[1] + kOut - 1) / kOut),
        cols((s.out[2] + kOut - 1) / kOut),
        height(rows * kOut + 2),
        width(cols * kOut + 2) {}
  size_t tiles() const { return rows * cols; }
  size_t plane() const { return height * width; }
};

// Four tiles whose transforms share vectors. Lanes past the last tile repeat it and write nothing (rows = 0).
struct Group {
  size_t in[4];             // offset in the padded plane
  size_t out[4];            // offset in the output plane
  size_t rows[4], cols[4];  // elements that lie in the output
  bool full;
};

Group group_of(const ConvShape& s, const Grid& grid, size_t first) noexcept {
  Group g;
  g.full = true;
  for (size_t i = 0; i < 4; i++) {
    bool real = first + i < grid.tiles();
    size_t tile = real ? first + i : grid.tiles() - 1;
    size_t y = tile / grid.cols * kOut, x = tile % grid.cols * kOut;
    g.in[i] = y * grid.width + x;
    g.out[i] = y * s.out[2] + x;
    g.rows[i] = real ? std::min(kOut, s.out[1] - y) : 0;
    g.cols[i] = real ? std::min(kOut, s.out[2] - x) : 0;
    g.full &= g.rows[i] == kOut && g.cols[i] == kOut;
  }
  return g;
}

// B^T d
inline void transform_input(const V* d, V* o) {
  V t1 = fnmadd(splat(2), d[2], d[4]), u1 = mul(splat(kA), fnmadd(splat(2), d[1], d[3]));
  V t2 = fnmadd(splat(.5f), d[2], d[4]), u2 = mul(splat(kB), fnmadd(splat(.5f), d[1], d[3]));
  o[0] = add(fnmadd(splat(2.5f), d[2], d[0]), d[4]);
  o[1] = add(t1, u1);
  o[2] = sub(t1, u1);
  o[3] = add(t2, u2);
  o[4] = sub(t2, u2);
  o[5] = add(fnmadd(splat(2.5f), d[3], d[1]), d[5]);
}

// A^T e
inline void transform_output(const V* e, V* o) {
  V p = add(e[1], e[2]), q = sub(e[1], e[2]), r = add(e[3], e[4]), s = sub(e[3], e[4]);
  o[0] = add(add(e[0], p), r);
  o[1] = fmadd(splat(kB), s, mul(splat(kA), q));
  o[2] = fmadd(splat(2), r, mul(splat(.5f), p));
  o[3] = add(fmadd(splat(2 * kB), s, mul(splat(.5f * kA), q)), e[5]);
}

// One channel of four tiles: point i goes to d + i * stride.
SARDONYX_NOINLINE void input_tiles(const float* p, size_t width, const size_t* offset, float* d,
                                   size_t stride) noexcept {
  V tmp[kTile][kTile];
#pragma clang loop unroll(disable)
  for (size_t r = 0; r < kTile; r++, p += width) {
    V x[kTile];
    for (int i = 0; i < 4; i++) x[i] = load(p + offset[i]);
    transpose4(x[0], x[1], x[2], x[3]);
    V e = wasm_v128_load64_lane(p + offset[1] + 4, wasm_v128_load64_zero(p + offset[0] + 4), 1);
    V f = wasm_v128_load64_lane(p + offset[3] + 4, wasm_v128_load64_zero(p + offset[2] + 4), 1);
    x[4] = wasm_i32x4_shuffle(e, f, 0, 2, 4, 6);
    x[5] = wasm_i32x4_shuffle(e, f, 1, 3, 5, 7);
    transform_input(x, tmp[r]);
  }
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < kTile; c++) {
    V x[kTile], o[kTile];
    for (size_t r = 0; r < kTile; r++) x[r] = tmp[r][c];
    transform_input(x, o);
    for (size_t r = 0; r < kTile; r++) store(d + (r * kTile + c) * stride, o[r]);
  }
}

// A row of the four tiles that may hang over the output's edge.
inline void store_clipped(const Group& g, size_t r, const V* o, float* y, size_t width, const Epilogue& e) {
  for (size_t i = 0; i < 4; i++) {
    if (r >= g.rows[i]) continue;
    float* out = y + g.out[i] + r * width;
    V v = e.accumulate ? add(o[i], load(out)) : o[i];
    store_lanes(out, clamp(v, splat(e.lo), splat(e.hi)), g.cols[i]);
  }
}

// One output channel of four tiles; point i comes from p + i * stride.
SARDONYX_NOINLINE void output_tiles(const float* p, size_t stride, const Group& g, float* y, size_t width, float bias,
                                    const Epilogue& e) noexcept {
  V tmp[kOut][kTile];
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < kTile; c++) {
    V x[kTile], o[kOut];
    for (size_t r = 0; r < kTile; r++) x[r] = load(p + (r * kTile + c) * stride);
    transform_output(x, o);
    for (size_t r = 0; r < kOut; r++) tmp[r][c] = o[r];
  }
  V b = splat(bias), lo = splat(e.lo), hi = splat(e.hi);
#pragma clang loop unroll(disable)
  for (size_t r = 0; r < kOut; r++) {
    V o[kOut];
    transform_output(tmp[r], o);
    for (size_t i = 0; i < kOut; i++) o[i] = add(o[i], b);
    transpose4(o[0], o[1], o[2], o[3]);
    if (!g.full) {
      store_clipped(g, r, o, y, width, e);
      continue;
    }
    for (size_t i = 0; i < 4; i++) {
      float* out = y + g.out[i] + r * width;
      V v = e.accumulate ? add(o[i], load(out)) : o[i];
      store(out, clamp(v, lo, hi));
    }
  }
}

// The products of one point: e [panels][rows][8] = u (packed) * d [panels][channels][8]; the last panel may be half
// full.
SARDONYX_NOINLINE void multiply_point(size_t m, size_t k, size_t groups, const float* u, const float* d,
                                      float* e) noexcept {
  const Epilogue none;
  size_t rows = padded_rows(m);
  for (size_t row = 0, height; row < rows; row += height) {
    height = strip_height(m, row);
    for (size_t p = 0; p < groups; p += 2) {
      auto* strip = p + 2 <= groups ? gemm_strip<2> : gemm_strip<1>;
      strip(height, k, u + row * k, d + p * 4 * k, kPanel, e + p * 4 * rows + row * kPanel, kPanel, nullptr, nullptr,
            none);
    }
  }
}

// G g G^T of one filter, in double.
void transform_filter(const float* w, double out[kTile][kTile]) noexcept {
  const double a = std::sqrt(0.5), b = std::sqrt(2.0);
  const double point[5] = {0, a, -a, b, -b}, norm[5] = {1, -1.5, -1.5, 6, 6};
  double g[kTile][3] = {}, half[kTile][3];
  for (int i = 0; i < 5; i++) {
    g[i][0] = 1 / norm[i];
    g[i][1] = point[i] / norm[i];
    g[i][2] = point[i] * point[i] / norm[i];
  }
  g[5][2] = 1;
  for (size_t i = 0; i < kTile; i++)
    for (int x = 0; x < 3; x++) half[i][x] = g[i][0] * w[x] + g[i][1] * w[3 + x] + g[i][2] * w[6 + x];
  for (size_t i = 0; i < kTile; i++)
    for (size_t j = 0; j < kTile; j++) out[i][j] = half[i][0] * g[j][0] + half[i][1] * g[j][1] + half[i][2] * g[j][2];
}

size_t point_floats(const ConvShape& s) noexcept { return padded_rows(s.out_channels) * s.channels; }

}  // namespace

bool winograd_applies(const ConvShape& s) noexcept {
  for (int i = 0; i < 3; i++) {
    if (s.stride[i] != 1 || s.dilation[i] != 1 || s.kernel[i] != (i == 0 ? 1u : 3u)) return false;
  }
  return s.in[0] == 1 && s.out[0] == 1 && s.pad[0] == 0;
}

size_t winograd_weights_size(const ConvShape& s) noexcept { return kPoints * point_floats(s) + kPackSlack; }

void winograd_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept {
  size_t m = s.out_channels, k = s.channels;
  std::fill_n(packed, winograd_weights_size(s), 0.0f);
  for (size_t row = 0, height; row < m; row += height) {
    height = strip_height(m, row);
    for (size_t i = 0; i < std::min(height, m - row); i++) {
      for (size_t c = 0; c < k; c++) {
        double u[kTile][kTile];
        transform_filter(w + ((row + i) * k + c) * 9, u);
        float* out = packed + row * k + c * height + i;
        for (size_t p = 0; p < kPoints; p++) out[p * point_floats(s)] = static_cast<float>(u[p / kTile][p % kTile]);
      }
    }
  }
}

size_t winograd_padded_size(const ConvShape& s) noexcept { return Grid(s).plane() * s.channels + kPadSlack; }

void winograd_pad_f32(const ConvShape& s, const float* x, float* padded, size_t c0, size_t c1) noexcept {
  Grid grid(s);
  const size_t size[3] = {1, grid.height, grid.width};
  for (size_t c = c0; c < c1; c++) pad_volume(s, size, x + c * s.in_size(), padded + c * grid.plane());
}

size_t winograd_blocks(const ConvShape& s) noexcept { return (Grid(s).tiles() + kBlockTiles - 1) / kBlockTiles; }

size_t winograd_scratch_size(const ConvShape& s) noexcept {
  return kPoints * kBlockTiles * (s.channels + padded_rows(s.out_channels)) + kPackSlack;
}

void winograd_f32(const ConvShape& s, const float* packed_w, const float* padded, float* y, size_t b0, size_t b1,
                  float* scratch, const Epilogue& epilogue) noexcept {
  Grid grid(s);
  size_t m = s.out_channels, k = s.channels, rows = padded_rows(m);
  for (size_t block = b0; block < b1; block++) {
    size_t first = block * kBlockTiles, tiles = std::min(kBlockTiles, grid.tiles() - first);
    size_t groups = (tiles + 3) / 4, width = (groups + 1) / 2 * kPanel;
    size_t in_point = k * width, out_point = rows * width;
    float *d = scratch, *e = scratch + kPoints * in_point;
    Group group[kGroups];
    for (size_t g = 0; g < groups; g++) group[g] = group_of(s, grid, first + g * 4);
    for (size_t c = 0; c < k; c++) {
      for (size_t g = 0; g < groups; g++) {
        input_tiles(padded + c * grid.plane(), grid.width, group[g].in, d + (g / 2 * k + c) * kPanel + (g & 1) * 4,
                    in_point);
      }
    }
    for (size_t p = 0; p < kPoints; p++) {
      multiply_point(m, k, groups, packed_w + p * point_floats(s), d + p * in_point, e + p * out_point);
    }
    for (size_t o = 0; o < m; o++) {
      float bias = epilogue.row_bias ? epilogue.row_bias[o] : 0;
      for (size_t g = 0; g < groups; g++) {
        output_tiles(e + (g / 2 * rows + o) * kPanel + (g & 1) * 4, out_point, group[g], y + o * s.out_size(), s.out[2],
                     bias, epilogue);
      }
    }
  }
}

}  // namespace sardonyx::kernels
