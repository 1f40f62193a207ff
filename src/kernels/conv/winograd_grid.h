// How Winograd's algorithm cuts a convolution: tiles, blocks of tiles, pieces of output channels; internal to
// kernels/conv/.
#pragma once

#include <algorithm>

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
