// Overlap of axis-parallel boxes: intersection over union.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

constexpr size_t kBoxFields = 5;  // x0, y0, x1, y1, area

// Is the overlap of `box` [kBoxFields] with one of the first `count` others above the threshold? Boxes whose area is
// not above 0 overlap nothing. others[f] is field f of all of them, readable up to a multiple of 4; what lies behind
// the last box has area 0.
bool overlaps_any_f32(const float* box, const float* const* others, size_t count, float threshold) noexcept;

}  // namespace sardonyx::kernels
