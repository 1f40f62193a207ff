// Which taps of a window lie inside the input; internal to kernels/.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/window.h"

namespace sardonyx::kernels {

// Taps [begin, end) of one output position along one axis are elements of x, the first of them at index first.
struct Taps {
  size_t begin, end, first;
  size_t count() const { return end - begin; }
};

inline Taps taps_of(const Window& s, int axis, size_t out) noexcept {
  ptrdiff_t start = static_cast<ptrdiff_t>(out * s.stride[axis]) - s.pad[axis];
  auto d = static_cast<ptrdiff_t>(s.dilation[axis]), in = static_cast<ptrdiff_t>(s.in[axis]);
  auto k = static_cast<ptrdiff_t>(s.kernel[axis]);
  ptrdiff_t begin = start < 0 ? (-start + d - 1) / d : 0;
  ptrdiff_t end = in - start <= 0 ? 0 : std::min(k, (in - start + d - 1) / d);
  begin = std::min(begin, k);
  end = std::max(begin, end);
  return {static_cast<size_t>(begin), static_cast<size_t>(end),
          static_cast<size_t>(std::max<ptrdiff_t>(0, start + begin * d))};
}

// Taps that count for an average including padding: those before the end of the padded input.
inline size_t padded_taps(const Window& s, int axis, size_t out) noexcept {
  ptrdiff_t start = static_cast<ptrdiff_t>(out * s.stride[axis]);
  auto d = static_cast<ptrdiff_t>(s.dilation[axis]);
  ptrdiff_t size = static_cast<ptrdiff_t>(s.in[axis]) + s.pad[axis] + s.pad_end[axis];
  if (size <= start) return 0;
  return static_cast<size_t>(std::min(static_cast<ptrdiff_t>(s.kernel[axis]), (size - start + d - 1) / d));
}

// The taps of one output element on all three axes.
struct Cell {
  Taps axis[3];
  size_t count() const { return axis[0].count() * axis[1].count() * axis[2].count(); }
};

// Calls f(offset) for every tap of the cell that lies in x, in row-major order.
template <class F>
inline void for_each_tap(const Window& s, const Cell& c, F f) {
  for (size_t kz = 0; kz < c.axis[0].count(); kz++) {
    for (size_t ky = 0; ky < c.axis[1].count(); ky++) {
      size_t row = (c.axis[0].first + kz * s.dilation[0]) * s.in[1] + c.axis[1].first + ky * s.dilation[1];
      size_t at = row * s.in[2] + c.axis[2].first;
      for (size_t kx = 0; kx < c.axis[2].count(); kx++, at += s.dilation[2]) f(at);
    }
  }
}

// The output columns [begin, end) of a row whose windows lie wholly inside it.
struct Interior {
  size_t begin, end;
};

inline Interior interior_columns(const Window& s) noexcept {
  size_t reach = (s.kernel[2] - 1) * s.dilation[2];
  size_t begin = s.pad[2] > 0 ? (static_cast<size_t>(s.pad[2]) + s.stride[2] - 1) / s.stride[2] : 0;
  ptrdiff_t last = static_cast<ptrdiff_t>(s.in[2]) - 1 - static_cast<ptrdiff_t>(reach) + s.pad[2];
  size_t end = last < 0 ? 0 : std::min(s.out[2], static_cast<size_t>(last) / s.stride[2] + 1);
  begin = std::min(begin, s.out[2]);
  return {begin, std::max(begin, end)};
}

}  // namespace sardonyx::kernels
