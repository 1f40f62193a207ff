// How Winograd's algorithm cuts a convolution: tiles, blocks of tiles, pieces of output channels; internal to
// kernels/conv/.
#pragma once

#include <algorithm>

#include "kernels/conv/winograd.h"
#include "kernels/conv/winograd_tiles.h"
#include "kernels/gemm/tiles.h"
#include "kernels/window.h"

namespace sardonyx::kernels {

constexpr size_t kLineFloats = 16;  // of a cache line

// Steps between the points' arrays are an odd number of cache lines: transforms write all points side by side, and an
// even step would put them into a few sets of the caches.
inline size_t point_step(size_t floats) noexcept {
  return ((floats + kLineFloats - 1) / kLineFloats | 1) * kLineFloats;
}

// The convolutions with stride 1 and dilation 1 of planes that are computed. Phases of the input, and the kernel's
// planes along the depth, are channels. With dilation d an output plane is d x d planes apart: every d-th row and
// column.
struct Grid {
  size_t stride, dilation, taps;  // of the kernel, and of one of its phases, per axis
  size_t out;                     // a tile's outputs per axis
  size_t rows, cols;              // of tiles in a plane
  size_t width;                   // of a padded row
  explicit Grid(const ConvShape& s) noexcept
      : stride(s.stride[2]),
        dilation(s.dilation[2]),
        taps((s.kernel[2] + stride - 1) / stride),
        out(kTile + 1 - taps),
        rows(tiles_along(s.out[1])),
        cols(tiles_along(s.out[2])),
        width(cols * out + taps - 1) {}
  size_t tiles() const noexcept { return rows * cols; }
  size_t phases() const noexcept { return stride * stride; }
  size_t depth(const ConvShape& s) const noexcept { return s.channels * s.kernel[0] * phases(); }
  // Of an image.
  size_t planes(const ConvShape& s) const noexcept { return s.out[0] * dilation * dilation; }

 private:
  size_t tiles_along(size_t size) const noexcept { return ((size + dilation - 1) / dilation + out - 1) / out; }
};

// Plane i of all images: the image, the output's depth, and the first row and column of the output that are in it.
struct Plane {
  size_t image, z, row, col;
  Plane(const ConvShape& s, const Grid& grid, size_t i) noexcept
      : image(i / grid.planes(s)),
        z(i % grid.planes(s) / (grid.dilation * grid.dilation)),
        row(i / grid.dilation % grid.dilation),
        col(i % grid.dilation) {}
};

// Tiles of one block, numbered through all planes of all images.
struct Block {
  size_t first, tiles;
  size_t groups() const noexcept { return (tiles + 3) / 4; }
  size_t panels() const noexcept { return (tiles + kPanel - 1) / kPanel; }
};

// Walks through the tiles of a block: the input's tile rows lie one behind the other.
struct TileWalk {
  const ConvShape& s;
  const Grid& grid;
  const Images& images;
  size_t plane, row, col, padded_row = 0;
  size_t at = 0, height = 0, width = 0;  // of the plane in the output: its first element, its rows and columns
  TileWalk(const ConvShape& shape, const Grid& g, const Images& all, size_t tile) noexcept
      : s(shape), grid(g), images(all), plane(tile / g.tiles()), row(tile % g.tiles() / g.cols), col(tile % g.cols) {
    enter();
  }

  void enter() noexcept {
    const Plane p(s, grid, plane);
    at = p.image * images.y_step + (p.z * s.out[1] + p.row) * s.out[2] + p.col;
    height = p.row < s.out[1] ? (s.out[1] - p.row - 1) / grid.dilation + 1 : 0;
    width = p.col < s.out[2] ? (s.out[2] - p.col - 1) / grid.dilation + 1 : 0;
  }

  void next() noexcept {
    if (++col < grid.cols) return;
    col = 0;
    padded_row++;
    if (++row < grid.rows) return;
    row = 0;
    plane++;
    enter();
  }

  // Four tiles, of which `real` are in the block.
  TileGroup group(size_t real) noexcept {
    TileGroup g;
    g.full = real >= 4 && grid.dilation == 1;
    for (size_t i = 0; i < 4; i++) {
      if (i > 0 && i < real) next();
      size_t y = row * grid.out, x = col * grid.out;
      g.in[i] = padded_row * kTile * grid.width + x;
      g.out[i] = at + (y * s.out[2] + x) * grid.dilation;
      g.rows[i] = i < real && y < height ? std::min(grid.out, height - y) : 0;
      g.cols[i] = i < real && x < width ? std::min(grid.out, width - x) : 0;
      g.full &= g.rows[i] == grid.out && g.cols[i] == grid.out;
    }
    next();
    return g;
  }
};

SARDONYX_NOINLINE inline void groups_of(const ConvShape& s, const Grid& grid, const Images& images, const Block& block,
                                        TileGroup* groups) noexcept {
  TileWalk walk(s, grid, images, block.first);
  for (size_t g = 0; g < block.groups(); g++) groups[g] = walk.group(block.tiles - g * 4);
}

// Of every step-th element of a row of `size` from `at` on (before it where negative), n in all: [begin, end) lie in
// the row, the first of them at `from`; the others are padding.
struct RowPart {
  size_t begin, end, from;
};
inline RowPart part_of_row(size_t size, ptrdiff_t at, size_t n, size_t step) noexcept {
  const size_t before = at < 0 ? static_cast<size_t>(-at) : 0, begin = std::min(n, (before + step - 1) / step);
  const size_t from = static_cast<size_t>(at + static_cast<ptrdiff_t>(begin * step));
  // Padding alone may end before the row begins.
  const bool inside = begin < n && from < size;
  return {begin, inside ? std::min(n, begin + (size - from + step - 1) / step) : begin, from};
}

// The six padded rows of each row of tiles of a block, of one phase of one channel; kz: the kernel's plane. pad(row,
// size, at, p, n, step): p [n] = every step-th element of a row from `at` on, zeros outside.
template <class From, class To, class Pad>
void pad_tile_rows(const ConvShape& s, const Grid& grid, const Images& images, const Block& block, const From* x,
                   size_t kz, size_t phase, To* p, Pad&& pad) noexcept {
  const size_t first = block.first / grid.cols, end = (block.first + block.tiles - 1) / grid.cols + 1;
  const size_t step = grid.stride * grid.dilation;
  for (size_t r = first; r < end; r++) {
    const Plane plane(s, grid, r / grid.rows);
    const ptrdiff_t z = static_cast<ptrdiff_t>(plane.z * s.stride[0] + kz * s.dilation[0]) - s.pad[0];
    const ptrdiff_t at = static_cast<ptrdiff_t>(phase % grid.stride + plane.col) - s.pad[2];
    const From* image = x + plane.image * images.x_step;
    for (size_t i = 0; i < kTile; i++, p += grid.width) {
      const size_t row = (r % grid.rows * grid.out + i) * step + phase / grid.stride + plane.row;
      const ptrdiff_t y = static_cast<ptrdiff_t>(row) - s.pad[1];
      const bool inside =
          y >= 0 && y < static_cast<ptrdiff_t>(s.in[1]) && z >= 0 && z < static_cast<ptrdiff_t>(s.in[0]);
      const From* source = inside ? image + (static_cast<size_t>(z) * s.in[1] + static_cast<size_t>(y)) * s.in[2] : x;
      pad(source, inside ? s.in[2] : 0, at, p, grid.width, step);
    }
  }
}

// ---- weights: packed as they are (winograd_pack_weights), transformed in the run

// Floats of one transformed strip of `height` rows per point, whole vectors.
inline size_t strip_floats(size_t height, size_t depth) noexcept { return (height * depth + 3) & ~size_t{3}; }
// Where the strip that begins at `row` lies in the packed weights: a depth that is even makes whole vectors.
inline size_t packed_strip(const Grid& grid, size_t row, size_t depth) noexcept {
  return row * (depth + (depth & 1)) * grid.taps * grid.taps;
}
// Row r (0..5) of the transforms of one strip, n / 4 vectors; its point i (0..5) goes to u + i * step.
void transform_strip(size_t taps, const float* packed, size_t r, size_t n, float* u, size_t step) noexcept;

}  // namespace sardonyx::kernels
