// Winograd with tiles of 6x6: vectors run across four tiles, tiles are numbered through the whole plane.
#include "kernels/conv/winograd.h"

#include <cmath>
#include <cstring>

#include "kernels/conv/padding.h"
#include "kernels/conv/winograd_tiles.h"
#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kBlockTiles = 32;
constexpr size_t kGroups = kBlockTiles / 4;  // groups of four tiles in a block

// The convolution with stride 1 that is computed: phases of the input are channels.
struct Grid {
  size_t stride, taps;   // of the kernel and of one of its phases, per axis
  size_t out;            // a tile's outputs per axis
  size_t rows, cols;     // of tiles
  size_t height, width;  // of a padded plane
  explicit Grid(const ConvShape& s)
      : stride(s.stride[2]),
        taps((s.kernel[2] + stride - 1) / stride),
        out(kTile + 1 - taps),
        rows((s.out[1] + out - 1) / out),
        cols((s.out[2] + out - 1) / out),
        height(rows * out + taps - 1),
        width(cols * out + taps - 1) {}
  size_t tiles() const { return rows * cols; }
  size_t plane() const { return height * width; }
  size_t phases() const { return stride * stride; }
};

TileGroup group_of(const ConvShape& s, const Grid& grid, size_t first) noexcept {
  TileGroup g;
  g.full = true;
  for (size_t i = 0; i < 4; i++) {
    bool real = first + i < grid.tiles();
    size_t tile = real ? first + i : grid.tiles() - 1;
    size_t y = tile / grid.cols * grid.out, x = tile % grid.cols * grid.out;
    g.in[i] = y * grid.width + x;
    g.out[i] = y * s.out[2] + x;
    g.rows[i] = real ? std::min(grid.out, s.out[1] - y) : 0;
    g.cols[i] = real ? std::min(grid.out, s.out[2] - x) : 0;
    g.full &= g.rows[i] == grid.out && g.cols[i] == grid.out;
  }
  return g;
}

// The products of one point: e [panels][rows][8] = u (packed) * d [panels][channels][8]; the last panel may be half
// full.
SARDONYX_NOINLINE void multiply_point(size_t m, size_t k, size_t groups, const float* u, const float* d,
                                      float* e) noexcept {
  const Epilogue none;
  size_t rows = padded_rows(m), full = groups & ~size_t{1};
  for (size_t row = 0, height; row < rows; row += height) {
    height = strip_height(m, row);
    for (size_t p = 0; p < full; p += 2) {
      gemm_strip<2>(height, k, u + row * k, d + p * 4 * k, kPanel, e + p * 4 * rows + row * kPanel, kPanel, nullptr,
                    nullptr, none);
    }
  }
  if (full == groups) return;
  d += full * 4 * k;
  e += full * 4 * rows;
  for (size_t row = 0, height; row < rows; row += height) {
    height = strip_height(m, row);
    if (strips_pair(rows, row, height)) {
      gemm_strip_pair(height, k, u + row * k, d, kPanel, e + row * kPanel, kPanel, nullptr, nullptr, none);
      height *= 2;
    } else {
      gemm_strip<1>(height, k, u + row * k, d, kPanel, e + row * kPanel, kPanel, nullptr, nullptr, none);
    }
  }
}

// G g G^T of one phase of a filter, g [taps][taps] in double; row i of G has the powers of point i over its norm.
void transform_filter(size_t taps, const double g[5][5], double out[kTile][kTile]) noexcept {
  const double a = std::sqrt(0.5), b = std::sqrt(2.0);
  const double point[5] = {0, a, -a, b, -b}, norm[5] = {1, -1.5, -1.5, 6, 6};
  double rows[kTile][5] = {}, half[kTile][5] = {};
  for (size_t i = 0; i < 5; i++) {
    double power = 1 / norm[i];
    for (size_t t = 0; t < taps; t++, power *= point[i]) rows[i][t] = power;
  }
  rows[5][taps - 1] = 1;
  for (size_t i = 0; i < kTile; i++)
    for (size_t x = 0; x < taps; x++)
      for (size_t t = 0; t < taps; t++) half[i][x] += rows[i][t] * g[t][x];
  for (size_t i = 0; i < kTile; i++)
    for (size_t j = 0; j < kTile; j++) {
      out[i][j] = 0;
      for (size_t t = 0; t < taps; t++) out[i][j] += half[i][t] * rows[j][t];
    }
}

// Phase (py, px) of a filter w [kernel][kernel]; taps beyond the kernel are 0.
void phase_of(const ConvShape& s, const Grid& grid, const float* w, size_t py, size_t px, double g[5][5]) noexcept {
  for (size_t y = 0; y < grid.taps; y++)
    for (size_t x = 0; x < grid.taps; x++) {
      size_t ky = y * grid.stride + py, kx = x * grid.stride + px;
      g[y][x] = ky < s.kernel[1] && kx < s.kernel[2] ? static_cast<double>(w[ky * s.kernel[2] + kx]) : 0.0;
    }
}

size_t depth(const ConvShape& s) noexcept { return s.channels * Grid(s).phases(); }
size_t point_floats(const ConvShape& s) noexcept { return padded_rows(s.out_channels) * depth(s); }

// The weights of output channel `row`, lane `lane` of a packed strip of `height`.
void pack_row(const ConvShape& s, const Grid& grid, const float* w, size_t height, float* out) noexcept {
  double g[5][5], u[kTile][kTile];
  size_t step = point_floats(s);
  for (size_t c = 0; c < s.channels; c++, w += s.taps()) {
    for (size_t phase = 0; phase < grid.phases(); phase++, out += height) {
      phase_of(s, grid, w, phase / grid.stride, phase % grid.stride, g);
      transform_filter(grid.taps, g, u);
      for (size_t p = 0; p < kPoints; p++) out[p * step] = static_cast<float>(u[p / kTile][p % kTile]);
    }
  }
}

// Every second element of a row that starts at `at` (before the row where negative): p [n], zeros outside x [size].
SARDONYX_NOINLINE void phase_row(const float* x, size_t size, ptrdiff_t at, float* p, size_t n) noexcept {
  size_t i = 0;
  for (; i < n && at < 0; i++, at += 2) p[i] = 0;
  size_t from = static_cast<size_t>(std::max<ptrdiff_t>(at, 0));
  size_t inside = from < size ? std::min(n, i + (size - from + 1) / 2) : i;
#pragma clang loop unroll(disable)
  for (; i + 4 <= inside; i += 4, from += 8) {
    store(p + i, wasm_i32x4_shuffle(load(x + from), load(x + from + 4), 0, 2, 4, 6));
  }
  for (; i < inside; i++, from += 2) p[i] = x[from];
  for (; i < n; i++) p[i] = 0;
}

void pad_phases(const ConvShape& s, const Grid& grid, const float* x, float* p) noexcept {
  for (size_t phase = 0; phase < grid.phases(); phase++) {
    for (size_t row = 0; row < grid.height; row++, p += grid.width) {
      ptrdiff_t y = static_cast<ptrdiff_t>(row * grid.stride + phase / grid.stride) - s.pad[1];
      if (y < 0 || y >= static_cast<ptrdiff_t>(s.in[1])) {
        std::memset(p, 0, grid.width * sizeof(float));
      } else {
        phase_row(x + static_cast<size_t>(y) * s.in[2], s.in[2], static_cast<ptrdiff_t>(phase % grid.stride) - s.pad[2],
                  p, grid.width);
      }
    }
  }
}

using OutputTiles = void (*)(const float*, size_t, const TileGroup&, float*, size_t, float, const Epilogue&) noexcept;
OutputTiles output_of(const Grid& grid) noexcept {
  return grid.out == 4 ? output_tiles<4> : grid.out == 3 ? output_tiles<3> : output_tiles<2>;
}

}  // namespace

bool winograd_applies(const ConvShape& s) noexcept {
  if (s.stride[1] != s.stride[2] || s.kernel[1] != s.kernel[2] || s.stride[2] > 2) return false;
  if (s.dilation[1] != 1 || s.dilation[2] != 1 || s.kernel[0] != 1 || s.in[0] != 1 || s.out[0] != 1 || s.pad[0] != 0) {
    return false;
  }
  size_t taps = Grid(s).taps;
  return taps >= 3 && taps <= 5;
}

double winograd_gain(const ConvShape& s) noexcept {
  if (!winograd_applies(s)) return 0;
  Grid grid(s);
  return static_cast<double>(s.taps() * grid.out * grid.out) / static_cast<double>(kPoints * grid.phases());
}

size_t winograd_weights_size(const ConvShape& s) noexcept { return kPoints * point_floats(s) + kPackSlack; }

void winograd_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept {
  Grid grid(s);
  size_t m = s.out_channels;
  std::fill_n(packed, winograd_weights_size(s), 0.0f);
  for (size_t row = 0, height; row < m; row += height) {
    height = strip_height(m, row);
    for (size_t i = 0; i < std::min(height, m - row); i++) {
      pack_row(s, grid, w + (row + i) * s.channels * s.taps(), height, packed + row * depth(s) + i);
    }
  }
}

size_t winograd_padded_size(const ConvShape& s) noexcept { return Grid(s).plane() * depth(s) + kPadSlack; }

void winograd_pad_f32(const ConvShape& s, const float* x, float* padded, size_t c0, size_t c1) noexcept {
  Grid grid(s);
  const size_t size[3] = {1, grid.height, grid.width};
  for (size_t c = c0; c < c1; c++) {
    float* to = padded + c * grid.phases() * grid.plane();
    if (grid.stride == 1) {
      pad_volume(s, size, x + c * s.in_size(), to);
    } else {
      pad_phases(s, grid, x + c * s.in_size(), to);
    }
  }
}

size_t winograd_blocks(const ConvShape& s) noexcept { return (Grid(s).tiles() + kBlockTiles - 1) / kBlockTiles; }

size_t winograd_scratch_size(const ConvShape& s) noexcept {
  return kPoints * kBlockTiles * (depth(s) + padded_rows(s.out_channels)) + kPackSlack;
}

void winograd_f32(const ConvShape& s, const float* packed_w, const float* padded, float* y, size_t b0, size_t b1,
                  float* scratch, const Epilogue& epilogue) noexcept {
  Grid grid(s);
  OutputTiles output = output_of(grid);
  size_t m = s.out_channels, k = depth(s), rows = padded_rows(m);
  for (size_t block = b0; block < b1; block++) {
    size_t first = block * kBlockTiles, tiles = std::min(kBlockTiles, grid.tiles() - first);
    size_t groups = (tiles + 3) / 4, width = (groups + 1) / 2 * kPanel;
    size_t in_point = k * width, out_point = rows * width;
    float *d = scratch, *e = scratch + kPoints * in_point;
    TileGroup group[kGroups];
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
        output(e + (g / 2 * rows + o) * kPanel + (g & 1) * 4, out_point, group[g], y + o * s.out_size(), s.out[2], bias,
               epilogue);
      }
    }
  }
}

}  // namespace sardonyx::kernels
