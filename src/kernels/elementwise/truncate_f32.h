// From float32 to int32, for every value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

// y[i] = x[i] without its fraction; beyond the range of int32 its nearest end, 0 for NaN.
void truncate_i32_f32(const float* x, int32_t* y, size_t n) noexcept;

}  // namespace sardonyx::kernels
