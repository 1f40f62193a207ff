// Max, average and lp pools over planes of 1 to 3 spatial dimensions; one plane per call is the unit to split work by.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/window.h"

namespace sardonyx::kernels {

// y [out] = the largest x [in] under the window, padding never wins; NaN is propagated. Fast for 2x2 and 3x3 in 2-D.
// A window that covers only padding gives the lowest value of the type (-inf).
void max_pool_f32(const Window& s, const float* x, float* y) noexcept;

// The same for any element type, with the positions of the maxima: indices [out] or null receives base + the offset of
// the first maximum in the plane, row-major, or column-major (storage_order = 1) if asked.
// T: float, double, int8_t, uint8_t.
template <class T>
void max_pool(const Window& s, const T* x, T* y, int64_t* indices, int64_t base, bool column_major) noexcept;
extern template void max_pool(const Window&, const float*, float*, int64_t*, int64_t, bool) noexcept;
extern template void max_pool(const Window&, const double*, double*, int64_t*, int64_t, bool) noexcept;
extern template void max_pool(const Window&, const int8_t*, int8_t*, int64_t*, int64_t, bool) noexcept;
extern template void max_pool(const Window&, const uint8_t*, uint8_t*, int64_t*, int64_t, bool) noexcept;

// The mean of x under the window. count_include_pad: the divisor also counts padding, but never what ceil_mode lets the
// window reach beyond in + pad + pad_end. Otherwise it counts elements of x (0 elements give 0).
void average_pool_f32(const Window& s, const float* x, float* y, bool count_include_pad) noexcept;
void average_pool_f64(const Window& s, const double* x, double* y, bool count_include_pad) noexcept;

// (sum |x|^p)^(1/p) under the window, padding counts as 0.
void lp_pool_f32(const Window& s, const float* x, float* y, int p) noexcept;

}  // namespace sardonyx::kernels
