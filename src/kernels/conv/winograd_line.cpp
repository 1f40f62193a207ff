// Winograd's F(4,3) along one axis: vectors run across four tiles, which are neighbours in a row (kernels 3x1) or any
// four that follow each other (1x3).
#include "kernels/conv/winograd_line.h"

#include <cmath>

#include "kernels/conv/winograd_grid.h"
#include "kernels/gemm/gemm_f32.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kOut = kTile - 2;                                 // outputs of a tile
constexpr size_t kBlockFloats = size_t{1} << 16;                   // of a block's transformed input
constexpr size_t kMostGroups = 64, kLeastGroups = 8, kBlocks = 8;  // groups of a block; blocks, about

// A column of 1-wide planes is a row.
ConvShape as_row(ConvShape s) noexcept {
  if (s.kernel[1] == 1 || s.in[2] != 1 || s.out[2] != 1 || s.pad[2] != 0) return s;
  std::swap(s.in[1], s.in[2]);
  std::swap(s.out[1], s.out[2]);
  std::swap(s.kernel[1], s.kernel[2]);
  std::swap(s.pad[1], s.pad[2]);
  return s;
}

// How the output is cut: tiles of 4 outputs down (kernel 3x1) or along the row, in groups of four, blocks of groups.
struct Lines {
  bool down;
  size_t cols;    // groups (down) or tiles of a row
  size_t groups;  // in all
  size_t step;    // groups of a block, an even number
  size_t blocks;
  explicit Lines(const ConvShape& s) noexcept : down(s.kernel[1] == 3) {
    cols = (s.out[2] + 3) / 4;
    groups = down ? (s.out[1] + kOut - 1) / kOut * cols : (s.out[1] * cols + 3) / 4;
    const size_t most =
        std::clamp<size_t>(kBlockFloats / (kTile * 4 * std::max<size_t>(1, s.channels)), 16, kMostGroups);
    step = (std::clamp<size_t>((groups + kBlocks - 1) / kBlocks, kLeastGroups, most) + 1) & ~size_t{1};
    blocks = (groups + step - 1) / step;
  }
};

// Four tiles: where their elements lie in a plane, which of them exist, and where the outputs go.
struct LineGroup {
  ptrdiff_t in[kTile];      // down: of each row's four elements; else of each tile's first one (four of them)
  int32_t mask[kTile][4];   // of element i of the four tiles
  bool inside;              // all exist
  size_t out[4], count[4];  // down: of each output row, elements in it; else of each tile
};

// Element `at` of an axis.
bool exists(ptrdiff_t at, size_t size) noexcept { return at >= 0 && at < static_cast<ptrdiff_t>(size); }

// Where a vector that begins at column x of a row is read: what lies outside wholly is not.
ptrdiff_t offset_of(const ConvShape& s, ptrdiff_t row, ptrdiff_t x, ptrdiff_t length) noexcept {
  if (!exists(row, s.in[1]) || x + length <= 0 || x >= static_cast<ptrdiff_t>(s.in[2])) return 0;
  return row * static_cast<ptrdiff_t>(s.in[2]) + x;
}

SARDONYX_NOINLINE LineGroup group_down(const ConvShape& s, const Lines& lines, size_t index) noexcept {
  LineGroup g;
  const size_t y = index / lines.cols * kOut, x = index % lines.cols * 4;
  const ptrdiff_t first = static_cast<ptrdiff_t>(x) - s.pad[2];
  for (size_t i = 0; i < kTile; i++) {
    const ptrdiff_t row = static_cast<ptrdiff_t>(y + i) - s.pad[1];
    g.in[i] = offset_of(s, row, first, 4);
    for (int lane = 0; lane < 4; lane++) {
      g.mask[i][lane] = exists(row, s.in[1]) && exists(first + lane, s.in[2]) ? -1 : 0;
    }
  }
  for (size_t i = 0; i < 4; i++) {
    g.out[i] = (y + i) * s.out[2] + x;
    g.count[i] = y + i < s.out[1] ? std::min<size_t>(4, s.out[2] - x) : 0;
  }
  return g;
}

SARDONYX_NOINLINE LineGroup group_along(const ConvShape& s, const Lines& lines, size_t index) noexcept {
  LineGroup g{};
  for (size_t lane = 0; lane < 4; lane++) {
    const size_t y = (index * 4 + lane) / lines.cols, x = (index * 4 + lane) % lines.cols * kOut;
    if (y >= s.out[1]) continue;
    const ptrdiff_t row = static_cast<ptrdiff_t>(y) - s.pad[1], first = static_cast<ptrdiff_t>(x) - s.pad[2];
    g.in[lane] = offset_of(s, row, first, kTile);
    for (size_t i = 0; i < kTile; i++) {
      g.mask[i][lane] = exists(row, s.in[1]) && exists(first + static_cast<ptrdiff_t>(i), s.in[2]) ? -1 : 0;
    }
    g.out[lane] = y * s.out[2] + x;
    g.count[lane] = std::min<size_t>(kOut, s.out[2] - x);
  }
  return g;
}

LineGroup group_of(const ConvShape& s, const Lines& lines, size_t index) noexcept {
  LineGroup g{};
  if (index >= lines.groups) return g;
  g = lines.down ? group_down(s, lines, index) : group_along(s, lines, index);
  g.inside = true;
  for (const auto& row : g.mask) {
    for (int32_t lane : row) g.inside = g.inside && lane;
  }
  return g;
}

// One channel of a group: point i goes to d + i * step. Reads up to 5 floats before and behind what exists.
inline void input_line(const float* x, bool down, const LineGroup& g, float* d, size_t step) {
  V v[kTile], o[kTile];
  if (down) {
    for (size_t i = 0; i < kTile; i++) v[i] = load(x + g.in[i]);
  } else {
    for (size_t i = 0; i < 4; i++) v[i] = load(x + g.in[i]);
    transpose4(v[0], v[1], v[2], v[3]);
    V e = wasm_v128_load64_lane(x + g.in[1] + 4, wasm_v128_load64_zero(x + g.in[0] + 4), 1);
    V f = wasm_v128_load64_lane(x + g.in[3] + 4, wasm_v128_load64_zero(x + g.in[2] + 4), 1);
    v[4] = wasm_i32x4_shuffle(e, f, 0, 2, 4, 6);
    v[5] = wasm_i32x4_shuffle(e, f, 1, 3, 5, 7);
  }
  if (!g.inside) {
    for (size_t i = 0; i < kTile; i++) v[i] = wasm_v128_and(v[i], load(g.mask[i]));
  }
  transform_input(v, o);
  for (size_t i = 0; i < kTile; i++) store(d + i * step, o[i]);
}

// The groups of a block, all channels: d [point][panel][channel][8].
SARDONYX_NOINLINE void input_block(const ConvShape& s, bool down, const LineGroup* groups, size_t count, const float* x,
                                   float* d, size_t step) noexcept {
  for (size_t c = 0; c < s.channels; c++, x += s.in_size()) {
    for (size_t g = 0; g < count; g++) {
      input_line(x, down, groups[g], d + (g / 2 * s.channels + c) * kPanel + (g & 1) * 4, step);
    }
  }
}

// One output channel of a group from its points.
inline void output_line(const float* p, size_t step, bool down, const LineGroup& g, V bias, float* y,
                        const Epilogue& e) {
  V v[kTile], o[4];
  for (size_t i = 0; i < kTile; i++) v[i] = load(p + i * step);
  transform_output<kOut>(v, o);
  for (size_t i = 0; i < 4; i++) o[i] = add(o[i], bias);
  if (!down) transpose4(o[0], o[1], o[2], o[3]);
  for (size_t i = 0; i < 4; i++) {
    if (g.count[i] > 0) o[i] = finish(o[i], y + g.out[i], e);
  }
  if (e.activation) {  // of 16 elements at once
    alignas(16) float lanes[16];
    for (size_t i = 0; i < 4; i++) store(lanes + i * 4, o[i]);
    e.activation(lanes, lanes, 16, e.alpha, e.beta);
    for (size_t i = 0; i < 4; i++) o[i] = load(lanes + i * 4);
  }
  for (size_t i = 0; i < 4; i++) {
    if (g.count[i] > 0) store_lanes(y + g.out[i], o[i], g.count[i]);
  }
}

SARDONYX_NOINLINE void output_block(bool down, const LineGroup* groups, size_t count, const float* p, size_t step,
                                    float bias, float* y, const Epilogue& e) noexcept {
  const V b = splat(bias);
  for (size_t g = 0; g < count; g++) output_line(p + g * 4, step, down, groups[g], b, y, e);
}

size_t input_step(const ConvShape& s, const Lines& lines) noexcept { return point_step(lines.step * 4 * s.channels); }
size_t product_step(const Lines& lines) noexcept { return point_step(kLineRows * lines.step * 4); }

// The six points of a filter.
void points_of(const float* w, double* u) noexcept {
  const double g0 = static_cast<double>(w[0]), g1 = static_cast<double>(w[1]), g2 = static_cast<double>(w[2]);
  const double a = std::sqrt(0.5) * g1 / -1.5, even_a = (g0 + g2 / 2) / -1.5, even_b = (g0 + g2 * 2) / 6;
  u[0] = g0;
  u[1] = even_a + a;
  u[2] = even_a - a;
  u[3] = even_b - a / 2;
  u[4] = even_b + a / 2;
  u[5] = g2;
}

}  // namespace

bool winograd_line_applies(const ConvShape& s) noexcept {
  if (s.in[0] != 1 || s.out[0] != 1 || s.kernel[0] != 1 || s.pad[0] != 0 || s.kernel[1] * s.kernel[2] != 3)
    return false;
  return s.stride[1] == 1 && s.stride[2] == 1 && s.dilation[1] == 1 && s.dilation[2] == 1;
}

size_t winograd_line_weights_size(const ConvShape& s) noexcept {
  return kTile * gemm_packed_a_size(s.out_channels, s.channels);
}

void winograd_line_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept {
  const size_t m = s.out_channels, k = s.channels, size = gemm_packed_a_size(m, k);
  std::fill_n(packed, kTile * size, 0.0f);
  for (size_t row = 0, height; row < m; row += height) {
    height = strip_height(m, row);
    for (size_t i = 0; i < std::min(height, m - row); i++) {
      for (size_t c = 0; c < k; c++, w += 3) {
        double u[kTile];
        points_of(w, u);
        for (size_t p = 0; p < kTile; p++) packed[p * size + row * k + c * height + i] = static_cast<float>(u[p]);
      }
    }
  }
}

size_t winograd_line_blocks(const ConvShape& s) noexcept { return Lines(as_row(s)).blocks; }

size_t winograd_line_scratch_size(const ConvShape& s) noexcept {
  const Lines lines(as_row(s));
  return kTile * (input_step(s, lines) + product_step(lines)) + kPackSlack;
}

void winograd_line_f32(const ConvShape& shape, const float* packed_w, const float* x, float* y, size_t block, size_t m0,
                       size_t m1, float* scratch, const Epilogue& epilogue) noexcept {
  const ConvShape s = as_row(shape);
  const Lines lines(s);
  const size_t m = s.out_channels, k = s.channels, size = gemm_packed_a_size(m, k);
  const size_t d_step = input_step(s, lines), e_step = product_step(lines), ldc = lines.step * 4;
  float *d = scratch, *e = scratch + kTile * d_step;
  const Epilogue none;
  LineGroup groups[kMostGroups];
  const size_t count = std::min(lines.step, lines.groups - block * lines.step), whole = (count + 1) & ~size_t{1};
  for (size_t g = 0; g < whole; g++) groups[g] = group_of(s, lines, block * lines.step + g);
  input_block(s, lines.down, groups, whole, x, d, d_step);
  for (size_t piece = m0; piece < m1; piece += kLineRows) {
    const size_t end = std::min(m1, piece + kLineRows), padded = end == m ? padded_rows(m) : end;
    for (size_t p = 0; p < kTile; p++) {
      for (size_t row = piece; row < padded; row += strip_height(m, row)) {
        for (size_t n = 0; n < whole * 4; n += kPanel) {
          gemm_strip<2>(strip_height(m, row), k, packed_w + p * size + row * k, d + p * d_step + n * k, kPanel,
                        e + p * e_step + (row - piece) * ldc + n, ldc, nullptr, nullptr, none);
        }
      }
    }
    for (size_t o = piece; o < end; o++) {
      output_block(lines.down, groups, count, e + (o - piece) * ldc, e_step,
                   epilogue.row_bias ? epilogue.row_bias[o] : 0, y + o * s.out_size(), epilogue);
    }
  }
}

}  // namespace sardonyx::kernels
