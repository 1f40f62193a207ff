// Pools of any element type, with the positions of the maxima; plain loops.
#include <limits>
#include <type_traits>

#include "kernels/pool/pool.h"
#include "kernels/taps.h"

namespace sardonyx::kernels {
namespace {

template <class F>
inline void for_each_cell(const Window& s, F f) {
  Cell cell{};
  size_t at = 0;
  for (size_t z = 0; z < s.out[0]; z++) {
    cell.axis[0] = taps_of(s, 0, z);
    for (size_t y = 0; y < s.out[1]; y++) {
      cell.axis[1] = taps_of(s, 1, y);
      for (size_t x = 0; x < s.out[2]; x++) {
        cell.axis[2] = taps_of(s, 2, x);
        f(cell, at++, z, y, x);
      }
    }
  }
}

// The offset in a plane whose first axis varies fastest.
size_t column_major_offset(const Window& s, size_t at) noexcept {
  size_t x = at % s.in[2], y = at / s.in[2] % s.in[1], z = at / s.in[2] / s.in[1];
  return z + s.in[0] * (y + s.in[1] * x);
}

template <class T>
T lowest() noexcept {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

}  // namespace

template <class T>
void max_pool(const Window& s, const T* x, T* y, int64_t* indices, int64_t base, bool column_major) noexcept {
  for_each_cell(s, [&](const Cell& cell, size_t out, size_t, size_t, size_t) {
    T best = lowest<T>();
    size_t where = 0;
    bool any = false;
    for_each_tap(s, cell, [&](size_t at) {
      bool wins = x[at] > best || !any;
      if constexpr (std::is_floating_point_v<T>) wins |= x[at] != x[at] && best == best;
      if (wins) best = x[at], where = at, any = true;
    });
    y[out] = best;
    if (indices) indices[out] = base + static_cast<int64_t>(column_major ? column_major_offset(s, where) : where);
  });
}

template void max_pool(const Window&, const float*, float*, int64_t*, int64_t, bool) noexcept;
template void max_pool(const Window&, const double*, double*, int64_t*, int64_t, bool) noexcept;
template void max_pool(const Window&, const int8_t*, int8_t*, int64_t*, int64_t, bool) noexcept;
template void max_pool(const Window&, const uint8_t*, uint8_t*, int64_t*, int64_t, bool) noexcept;

void average_pool_f64(const Window& s, const double* x, double* y, bool count_include_pad) noexcept {
  for_each_cell(s, [&](const Cell& cell, size_t out, size_t oz, size_t oy, size_t ox) {
    double sum = 0;
    for_each_tap(s, cell, [&](size_t at) { sum += x[at]; });
    size_t count =
        count_include_pad ? padded_taps(s, 0, oz) * padded_taps(s, 1, oy) * padded_taps(s, 2, ox) : cell.count();
    y[out] = count == 0 ? 0 : sum / static_cast<double>(count);
  });
}

}  // namespace sardonyx::kernels
