// Winograd with tiles of 6x6: vectors run across four tiles, tiles are numbered through all planes of all images.
#include "kernels/conv/winograd.h"

#include "kernels/conv/winograd_grid.h"

namespace sardonyx::kernels {
namespace {

// A block's tiles: many, so that the weights' transforms are shared; few, so that the input's stay in the caches.
constexpr size_t kBlockFloats = size_t{1} << 14;  // of one point of the input
constexpr size_t kMostTiles = 256, kLeastTiles = 16;
constexpr size_t kMostDilation = 6;  // planes become so small that their tiles are mostly edge
constexpr size_t kPieceRows = 12;    // output channels of a piece: strips of 4 and of 6 both end there

// How the tiles of all planes are cut into blocks of almost equal size.
struct Cut {
  size_t total, step, blocks;  // step: tiles of a block but the last, a multiple of 4
  Cut(const ConvShape& s, const Grid& grid, size_t images) noexcept : total(grid.tiles() * grid.planes(s) * images) {
    const size_t depth = std::max<size_t>(1, grid.depth(s));
    const size_t most = std::clamp<size_t>(kBlockFloats / depth & ~size_t{7}, kLeastTiles, kMostTiles);
    blocks = std::max<size_t>(1, (total + most - 1) / most);
    step = std::max<size_t>(4, ((total + blocks - 1) / blocks + 3) & ~size_t{3});
    blocks = (total + step - 1) / step;
  }
  Block block(size_t i) const noexcept { return {i * step, std::min(step, total - i * step)}; }
};

// Rows of tiles that a block touches at most.
size_t tile_rows(const Grid& grid, const Cut& cut) noexcept { return (cut.step + grid.cols - 2) / grid.cols + 1; }

// p [n] = every step-th element of a row x [size] from `at` on (before the row where negative), zeros outside. Writes
// up to 3 elements more. STEP: step if it is 1 or 2, else 0.
template <size_t STEP>
SARDONYX_NOINLINE void pad_row(const float* x, size_t size, ptrdiff_t at, float* p, size_t n, size_t step) noexcept {
  if (STEP) step = STEP;
  auto [i, inside, from] = part_of_row(size, at, n, step);
  std::fill_n(p, i, 0.0f);
#pragma clang loop unroll(disable)
  for (; STEP && i < inside; i += 4, from += 4 * STEP) {
    store(p + i, STEP == 1 ? load(x + from) : wasm_i32x4_shuffle(load(x + from), load(x + from + 4), 0, 2, 4, 6));
  }
  for (; i < inside; i++, from += step) p[i] = x[from];
  for (i = inside; i < n; i++) p[i] = 0;
}

// The products of one point: e [panels][rows][8] = u (strips of rows [m0, m1)) * d [panels][channels][8]; the last
// panel may be half full.
SARDONYX_NOINLINE void multiply_point(size_t m, size_t m0, size_t m1, size_t k, size_t groups, const float* u,
                                      const float* d, float* e) noexcept {
  const Epilogue none;
  const size_t rows = m1 - m0, full = groups & ~size_t{1};
  for (size_t row = m0, height; row < m1; row += height) {
    height = strip_height(m, row);
    for (size_t p = 0; p < full; p += 2) {
      gemm_strip<2>(height, k, u + (row - m0) * k, d + p * 4 * k, kPanel, e + p * 4 * rows + (row - m0) * kPanel,
                    kPanel, nullptr, nullptr, none);
    }
  }
  if (full == groups) return;
  d += full * 4 * k;
  e += full * 4 * rows;
  for (size_t row = m0, height; row < m1; row += height) {
    height = strip_height(m, row);
    const float* a = u + (row - m0) * k;
    float* c = e + (row - m0) * kPanel;
    if (row + 2 * height <= m1 && strips_pair(padded_rows(m), row, height)) {
      gemm_strip_pair(height, k, a, d, kPanel, c, kPanel, nullptr, nullptr, none);
      height *= 2;
    } else {
      gemm_strip<1>(height, k, a, d, kPanel, c, kPanel, nullptr, nullptr, none);
    }
  }
}

using OutputTiles = void (*)(const float*, size_t, const TileGroup&, float*, size_t, size_t, float,
                             const Epilogue&) noexcept;
OutputTiles output_of(const Grid& grid) noexcept {
  return grid.out == 4 ? output_tiles<4> : grid.out == 3 ? output_tiles<3> : output_tiles<2>;
}

size_t input_step(const Block& block, size_t depth) noexcept { return point_step(block.panels() * kPanel * depth); }

}  // namespace

bool winograd_applies(const ConvShape& s) noexcept {
  if (s.stride[1] != s.stride[2] || s.kernel[1] != s.kernel[2] || s.stride[2] > 2) return false;
  if (s.dilation[1] != s.dilation[2] || s.dilation[2] > (s.stride[2] == 1 ? kMostDilation : 1)) return false;
  size_t taps = Grid(s).taps;
  return taps >= 3 && taps <= 5;
}

double winograd_gain(const ConvShape& s) noexcept {
  if (!winograd_applies(s)) return 0;
  Grid grid(s);
  return static_cast<double>(s.kernel[1] * s.kernel[2] * grid.out * grid.out) /
         static_cast<double>(kPoints * grid.phases());
}

WinogradWork winograd_work(const ConvShape& s, size_t images) noexcept {
  const Grid grid(s);
  const Cut cut(s, grid, images);
  const size_t depth = grid.depth(s), panels = Block{0, cut.step}.panels() * kPanel;
  const size_t padded = 2 * tile_rows(grid, cut) * kTile * grid.width;
  const size_t piece = kTile * point_step(kPieceRows * depth) + kPoints * point_step(kPieceRows * panels);
  return {cut.blocks, (depth + 1) / 2, (s.out_channels + kPieceRows - 1) / kPieceRows,
          kPoints * point_step(panels * depth) + kPackSlack, std::max(padded, piece) + kPackSlack};
}

void winograd_input_f32(const ConvShape& s, const Images& images, const float* x, size_t block_index, size_t u0,
                        size_t u1, float* input, float* scratch) noexcept {
  const Grid grid(s);
  const Cut cut(s, grid, images.count);
  const Block block = cut.block(block_index);
  const size_t depth = grid.depth(s), step = input_step(block, depth), groups = block.groups();
  const size_t plane = tile_rows(grid, cut) * kTile * grid.width;
  const size_t apart = grid.stride * grid.dilation;
  const auto pad = apart == 1 ? pad_row<1> : apart == 2 ? pad_row<2> : pad_row<0>;
  TileGroup group[kMostTiles / 4];
  groups_of(s, grid, images, block, group);
  for (size_t c = 2 * u0; c < std::min(depth, 2 * u1); c += 2) {
    const size_t count = std::min<size_t>(2, depth - c);
    for (size_t i = 0; i < count; i++) {
      const size_t channel = (c + i) / grid.phases();
      pad_tile_rows(s, grid, images, block, x + channel / s.kernel[0] * s.in_size(), channel % s.kernel[0],
                    (c + i) % grid.phases(), scratch + i * plane, pad);
    }
    for (size_t g = 0; g < groups; g += 2) {
      for (size_t i = 0; i < count; i++) {
        float* to = input + (g / 2 * depth + c + i) * kPanel;
        input_tiles(scratch + i * plane, grid.width, group[g].in, to, step);
        if (g + 1 < groups) input_tiles(scratch + i * plane, grid.width, group[g + 1].in, to + 4, step);
      }
    }
  }
}

void winograd_output_f32(const ConvShape& s, const Images& images, const float* packed_w, const float* input, float* y,
                         size_t block_index, size_t p0, size_t p1, float* scratch, const Epilogue& epilogue) noexcept {
  const Grid grid(s);
  const Cut cut(s, grid, images.count);
  const Block block = cut.block(block_index);
  const OutputTiles output = output_of(grid);
  const size_t m = s.out_channels, depth = grid.depth(s), groups = block.groups(), step = input_step(block, depth);
  TileGroup group[kMostTiles / 4];
  groups_of(s, grid, images, block, group);
  for (size_t m0 = p0 * kPieceRows; m0 < std::min(m, p1 * kPieceRows); m0 += kPieceRows) {
    const size_t m1 = std::min(padded_rows(m), m0 + kPieceRows), rows = m1 - m0;
    const size_t u_step = point_step(rows * depth), e_step = point_step(rows * block.panels() * kPanel);
    float *u = scratch, *e = scratch + kTile * u_step;
    for (size_t r = 0; r < kTile; r++) {
      for (size_t row = m0, height; row < m1; row += height) {
        height = strip_height(m, row);
        transform_strip(grid.taps, packed_w + packed_strip(grid, row, depth), r, strip_floats(height, depth),
                        u + (row - m0) * depth, u_step);
      }
      for (size_t i = 0; i < kTile; i++) {
        const size_t p = r * kTile + i;
        multiply_point(m, m0, m1, depth, groups, u + i * u_step, input + p * step, e + p * e_step);
      }
    }
    for (size_t o = m0; o < std::min(m, m1); o++) {
      float bias = epilogue.row_bias ? epilogue.row_bias[o] : 0;
      for (size_t g = 0; g < groups; g++) {
        output(e + (g / 2 * rows + o - m0) * kPanel + (g & 1) * 4, e_step, group[g], y + o * s.out_size(),
               s.out[2] * grid.dilation, grid.dilation, bias, epilogue);
      }
    }
  }
}

}  // namespace sardonyx::kernels
