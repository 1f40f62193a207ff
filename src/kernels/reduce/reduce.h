// Reductions over the middle axis of [outer][axis][inner] into [outer][inner]; other axis sets are merged by the
// caller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

enum class ReduceKind : uint8_t { kSum, kMean, kMax, kMin, kProd, kL1, kL2, kSumSquare, kLogSum, kLogSumExp };

// float32; sums are pairwise or in double, so the error does not grow with the length. Max and min propagate NaN.
// axis = 0 gives the neutral element (sum 0, prod 1, max -inf, min inf, mean NaN, log sum -inf).
// Work may be split over outer by moving the pointers.
void reduce_f32(ReduceKind kind, const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept;

// The same for T: double, int32_t, int64_t, uint32_t, uint64_t, int8_t, uint8_t. Integer sums and products wrap; mean
// of integers divides and truncates; l2, log sum and log sum exp of integers go through double. max and min of an empty
// axis give the type's bounds.
template <class T>
void reduce(ReduceKind kind, const T* x, T* y, size_t outer, size_t axis, size_t inner) noexcept;
extern template void reduce(ReduceKind, const double*, double*, size_t, size_t, size_t) noexcept;
extern template void reduce(ReduceKind, const int32_t*, int32_t*, size_t, size_t, size_t) noexcept;
extern template void reduce(ReduceKind, const int64_t*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void reduce(ReduceKind, const uint32_t*, uint32_t*, size_t, size_t, size_t) noexcept;
extern template void reduce(ReduceKind, const uint64_t*, uint64_t*, size_t, size_t, size_t) noexcept;
extern template void reduce(ReduceKind, const int8_t*, int8_t*, size_t, size_t, size_t) noexcept;
extern template void reduce(ReduceKind, const uint8_t*, uint8_t*, size_t, size_t, size_t) noexcept;

// Position of the largest (or smallest) element along axis; the first one or, with last, the last one of equals. A NaN
// wins, as in numpy. T: those of reduce, and float.
template <class T>
void arg_reduce(bool max, bool last, const T* x, int64_t* y, size_t outer, size_t axis, size_t inner) noexcept;
extern template void arg_reduce(bool, bool, const float*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void arg_reduce(bool, bool, const double*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void arg_reduce(bool, bool, const int32_t*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void arg_reduce(bool, bool, const int64_t*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void arg_reduce(bool, bool, const uint32_t*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void arg_reduce(bool, bool, const uint64_t*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void arg_reduce(bool, bool, const int8_t*, int64_t*, size_t, size_t, size_t) noexcept;
extern template void arg_reduce(bool, bool, const uint8_t*, int64_t*, size_t, size_t, size_t) noexcept;

}  // namespace sardonyx::kernels
