// Winograd in integers: int16 transforms of eight tiles side by side, products of pairs, int32 transforms of four.
#include "kernels/quant/winograd_x8.h"

#include <algorithm>

#include "kernels/conv/winograd_grid.h"
#include "kernels/quant/bytes.h"
#include "kernels/quant/gemm_x8.h"
#include "kernels/quant/winograd_tiles_x8.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kLanes = 8;  // tiles of a panel
constexpr size_t kRows = 4;   // of a strip of weights
constexpr size_t kTaps = 9;
constexpr size_t kBlockElements = size_t{1} << 15;  // of one point of the input
constexpr size_t kMostTiles = 128, kLeastTiles = 32;
constexpr size_t kMostDilation = 8;
constexpr size_t kPieceRows = 8;  // output channels of a piece
constexpr size_t kSlack = 64;     // elements of scratch: rows are read by eight

size_t steps_of(size_t channels) noexcept { return (channels + 1) / 2; }
size_t strip_bytes(size_t channels) noexcept { return (2 + steps_of(channels) * kTaps) * kLanes; }

// Blocks of whole rows of tiles where rows are short and lie one below the other.
struct Cut {
  size_t total, step, blocks;
  bool whole_rows;
  Cut(const ConvShape& s, const Grid& grid) noexcept : total(grid.tiles() * grid.planes(s)) {
    const size_t most =
        std::clamp<size_t>(kBlockElements / std::max<size_t>(1, s.channels) & ~(kLanes - 1), kLeastTiles, kMostTiles);
    whole_rows = grid.dilation == 1 && grid.cols <= kMostTiles;
    step = whole_rows ? std::max<size_t>(1, most / grid.cols) * grid.cols : most;
    step = std::min(step, std::max<size_t>(1, total));
    blocks = (total + step - 1) / step;
  }
  Block block(size_t i) const noexcept { return {i * step, std::min(step, total - i * step)}; }
};

// Rows of tiles that a block touches at most.
size_t tile_rows(const Grid& grid, const Cut& cut) noexcept { return (cut.step + grid.cols - 2) / grid.cols + 1; }
size_t input_step(size_t panels, size_t steps) noexcept { return 2 * point_step(panels * kLanes * steps); }
size_t weights_step(size_t rows, size_t steps) noexcept { return 2 * point_step(rows * steps); }
size_t padded_strip(size_t rows) noexcept { return (rows + kRows - 1) / kRows * kRows; }

template <size_t STEP>
SARDONYX_NOINLINE void pad_row(const uint8_t* x, size_t size, ptrdiff_t at, int16_t* p, size_t n, size_t step,
                               bool is_signed, int32_t zero) noexcept {
  auto [i, inside, from] = part_of_row(size, at, n, step);
  std::fill_n(p, i, int16_t{0});
  const V z = wasm_i16x8_splat(static_cast<int16_t>(zero));
  for (; STEP == 1 && i + kLanes <= inside; i += kLanes, from += kLanes) {
    store(p + i, wasm_i16x8_sub(load_bytes(x + from, is_signed), z));
  }
#pragma clang loop unroll(disable) vectorize(disable)
  for (; i < inside; i++, from += step) p[i] = static_cast<int16_t>(byte_value(x + from, is_signed) - zero);
  std::fill_n(p + inside, n - inside, int16_t{0});
}

// Tiles of a block by eight: two groups of four.
void groups_of(const ConvShape& s, const Grid& grid, const Block& block, TileGroup* groups) noexcept {
  groups_of(s, grid, Images{}, block, groups);
  if (block.groups() % 2 == 1) {
    groups[block.groups()] = groups[block.groups() - 1];
    std::fill_n(groups[block.groups()].rows, 4, size_t{0});
    groups[block.groups()].full = false;
  }
}

}  // namespace

bool winograd_x8_applies(const ConvShape& s) noexcept {
  return s.kernel[0] == 1 && s.kernel[1] == 3 && s.kernel[2] == 3 && s.stride[0] == 1 && s.stride[1] == 1 &&
         s.stride[2] == 1 && s.dilation[1] == s.dilation[2] && s.dilation[2] <= kMostDilation && s.in[0] == 1 &&
         s.out[0] == 1;
}

bool winograd_x8_is_exact(size_t out_channels, size_t k, const MatrixX8& w) noexcept {
  constexpr int64_t kLimit = (int64_t{1} << 25) / 255;
  const LinesX8 lines = LinesX8::rows_of(w);
  for (size_t m = 0; m < out_channels; m++) {
    // An image's values span 255 and have 0 among them: the largest sum is 255 times the greater of the two.
    int64_t positive = 0, negative = 0;
#pragma clang loop unroll(disable)
    for (size_t i = 0; i < k; i++) {
      const int64_t v = lines.value(m, i) - lines.zero_of(m);
      v > 0 ? positive += v : negative -= v;
    }
    if (std::max(positive, negative) >= kLimit) return false;
  }
  return true;
}

size_t winograd_x8_weights_size(size_t out_channels, size_t channels) noexcept {
  return (out_channels + kRows - 1) / kRows * strip_bytes(channels);
}

// Strips: the zero points of 4 rows, twice each, as int16; then [pairs of channels][taps][4 rows][2] as uint8.
void winograd_x8_pack_weights(size_t out_channels, size_t channels, const MatrixX8& w, uint8_t* packed) noexcept {
  const LinesX8 lines = LinesX8::rows_of(w);
  const int32_t shift = w.is_signed ? 128 : 0;
  for (size_t m = 0; m < out_channels; m += kRows, packed += strip_bytes(channels)) {
    int16_t zero[kLanes] = {};
    for (size_t lane = 0; lane < kLanes; lane++) {
      const size_t row = m + lane / 2;
      if (row < out_channels) zero[lane] = static_cast<int16_t>(lines.zero_of(row) + shift);
      uint8_t* to = packed + 2 * kLanes + lane;
#pragma clang loop unroll(disable)
      for (size_t i = 0; i < steps_of(channels) * kTaps; i++, to += kLanes) {
        const size_t c = i / kTaps * 2 + lane % 2;
        const bool real = row < out_channels && c < channels;
        *to = static_cast<uint8_t>(real ? lines.value(row, c * kTaps + i % kTaps) + shift : zero[lane]);
      }
    }
    store(packed, load(zero));
  }
}

WinogradWork winograd_x8_work(const ConvShape& s) noexcept {
  const Grid grid(s);
  const Cut cut(s, grid);
  const size_t panels = Block{0, cut.step}.panels(), steps = steps_of(s.channels);
  const size_t padded = 2 * tile_rows(grid, cut) * kTile * grid.width;
  const size_t piece = kPoints * (weights_step(kPieceRows, steps) + 2 * point_step(kPieceRows * panels * kLanes));
  return {cut.blocks, steps, (s.out_channels + kPieceRows - 1) / kPieceRows, kPoints * input_step(panels, steps),
          std::max(padded, piece) + kSlack};
}

PlanePart winograd_x8_part(const ConvShape& s, size_t i) noexcept {
  const Grid grid(s);
  const Cut cut(s, grid);
  if (!cut.whole_rows) return {0, 0};
  const Block block = cut.block(i);
  const size_t end = (block.first + block.tiles) / grid.cols * grid.out;
  return {block.first / grid.cols * grid.out * s.out[2], std::min(s.out[1], end) * s.out[2]};
}

PlanePart winograd_x8_channels(const ConvShape& s, size_t piece) noexcept {
  return {piece * kPieceRows, std::min(s.out_channels, (piece + 1) * kPieceRows)};
}

void winograd_x8_input(const ConvShape& s, const ImageX8& x, size_t block_index, size_t u0, size_t u1, int16_t* input,
                       int16_t* scratch) noexcept {
  const Grid grid(s);
  const Cut cut(s, grid);
  const Block block = cut.block(block_index);
  const size_t steps = steps_of(s.channels), step = input_step(block.panels(), steps);
  const size_t plane = tile_rows(grid, cut) * kTile * grid.width;
  TileGroup group[kMostTiles / 4 + 1];
  groups_of(s, grid, block, group);
  const auto pad = [&x, rows = grid.dilation == 1 ? pad_row<1> : pad_row<0>](
                       const uint8_t* row, size_t size, ptrdiff_t at, int16_t* p, size_t n, size_t apart) {
    rows(row, size, at, p, n, apart, x.is_signed, x.zero);
  };
  for (size_t u = u0; u < u1; u++) {
    const size_t count = std::min<size_t>(2, s.channels - 2 * u);
    for (size_t i = 0; i < count; i++) {
      const uint8_t* channel = static_cast<const uint8_t*>(x.data) + (2 * u + i) * s.in_size();
      pad_tile_rows(s, grid, Images{}, block, channel, 0, 0, scratch + i * plane, pad);
    }
    if (count == 1) std::fill_n(scratch + plane, plane, int16_t{0});
    for (size_t p = 0; p < block.panels(); p++) {
      input_tiles_x8(scratch, plane, grid.width, group + 2 * p, input + (p * steps + u) * 2 * kLanes, step);
    }
  }
}

void winograd_x8_output(const ConvShape& s, const uint8_t* packed_w, const int16_t* input, const int32_t* bias,
                        int32_t* y, size_t block_index, size_t p0, size_t p1, int16_t* scratch) noexcept {
  const Grid grid(s);
  const Cut cut(s, grid);
  const Block block = cut.block(block_index);
  const size_t steps = steps_of(s.channels), step = input_step(block.panels(), steps), tiles = block.panels() * kLanes;
  const size_t u_step = weights_step(kPieceRows, steps), e_step = point_step(kPieceRows * tiles);
  int16_t* u = scratch;
  int32_t* e = reinterpret_cast<int32_t*>(scratch + kPoints * u_step);
  TileGroup group[kMostTiles / 4 + 1];
  groups_of(s, grid, block, group);
  for (size_t piece = p0; piece < p1; piece++) {
    const auto [m0, m1] = winograd_x8_channels(s, piece);
    const size_t rows = padded_strip(m1 - m0);
    for (size_t row = 0; row < rows; row += kRows) {
      const uint8_t* strip = packed_w + (m0 + row) / kRows * strip_bytes(s.channels);
      weights_x8(strip + 2 * kLanes, load(strip), steps, u + row * 2 * steps, u_step);
    }
    for (size_t p = 0; p < kPoints; p++) {
      gemm_x8_i32(rows, 2 * steps, tiles, 0, rows, 0, tiles, u + p * u_step, input + p * step, nullptr, e + p * e_step,
                  tiles);
    }
    for (size_t o = m0; o < m1; o++) {
      for (size_t g = 0; g < block.groups(); g++) {
        output_tiles_x8(e + (o - m0) * tiles + g * 4, e_step, group[g], y + o * s.out_size(), s.out[2] * grid.dilation,
                        grid.dilation, bias ? bias[o] : 0);
      }
    }
  }
}

}  // namespace sardonyx::kernels
