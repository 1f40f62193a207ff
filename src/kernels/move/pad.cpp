// ONNX Pad: constant, reflecting, edge and wrapping borders on any axes.
#include <algorithm>
#include <cstring>

#include "kernels/move/copy.h"

namespace sardonyx::kernels {
namespace {

struct Padding {
  const size_t* dims_x;
  const ptrdiff_t* begin;
  size_t dims_y[32], block_x[33], block_y[33];  // block: elements of one step of the axis before
  size_t rank, element_size;
  PadMode mode;
  const void* value;
};

// The element of an axis of size n that position i shows; -1 for the constant.
ptrdiff_t source(PadMode mode, ptrdiff_t i, ptrdiff_t n) noexcept {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case PadMode::kEdge:
      return i < 0 ? 0 : n - 1;
    case PadMode::kWrap:
      return ((i % n) + n) % n;
    case PadMode::kReflect: {
      if (n == 1) return 0;
      ptrdiff_t period = 2 * (n - 1), p = ((i % period) + period) % period;
      return p < n ? p : period - p;
    }
    default:
      return -1;
  }
}

// Axes from `axis` on: y is one block of the output, x one of the input.
void pad_axis(const Padding& p, size_t axis, const uint8_t* x, uint8_t* y) noexcept {
  size_t size = p.element_size;
  if (axis == p.rank) {
    std::memcpy(y, x, p.block_y[axis] * size);
    return;
  }
  auto n = static_cast<ptrdiff_t>(p.dims_x[axis]), out = static_cast<ptrdiff_t>(p.dims_y[axis]);
  size_t step = p.block_y[axis + 1] * size, step_x = p.block_x[axis + 1] * size;
  for (ptrdiff_t o = 0; o < out;) {
    ptrdiff_t i = o - p.begin[axis], from = source(p.mode, i, n);
    uint8_t* to = y + static_cast<size_t>(o) * step;
    if (axis + 1 == p.rank && from >= 0 && i == from) {  // the middle in one piece
      ptrdiff_t run = std::min(n - i, out - o);
      std::memcpy(to, x + static_cast<size_t>(from) * step_x, static_cast<size_t>(run) * step);
      o += run;
      continue;
    }
    if (from < 0)
      fill(to, p.value, p.block_y[axis + 1], size);
    else
      pad_axis(p, axis + 1, x + static_cast<size_t>(from) * step_x, to);
    o++;
  }
}

}  // namespace

void pad(const void* x, const size_t* dims_x, void* y, const ptrdiff_t* begin, const ptrdiff_t* end, size_t rank,
         size_t element_size, PadMode mode, const void* value) noexcept {
  Padding p{dims_x, begin, {}, {}, {}, rank, element_size, mode, value};
  for (size_t i = 0; i < rank; i++) {
    ptrdiff_t d = static_cast<ptrdiff_t>(dims_x[i]) + begin[i] + end[i];
    if (d <= 0) return;
    if (dims_x[i] == 0 && mode != PadMode::kConstant) return;
    p.dims_y[i] = static_cast<size_t>(d);
  }
  // Trailing axes without padding belong to the block.
  size_t block = 1;
  while (p.rank > 0 && begin[p.rank - 1] == 0 && end[p.rank - 1] == 0) block *= dims_x[--p.rank];
  p.block_x[p.rank] = p.block_y[p.rank] = block;
  for (size_t i = p.rank; i-- > 0;) {
    p.block_x[i] = p.block_x[i + 1] * dims_x[i];
    p.block_y[i] = p.block_y[i + 1] * p.dims_y[i];
  }
  if (block > 0) pad_axis(p, 0, static_cast<const uint8_t*>(x), static_cast<uint8_t*>(y));
}

}  // namespace sardonyx::kernels
