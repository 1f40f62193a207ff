// Permuting the axes of dense tensors of any element size.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

constexpr size_t kMaxTransposeRank = 32;

// y = x with axes permuted: y's axis i is x's axis perm[i]; dims are x's, rank <= kMaxTransposeRank.
// element_size: 1, 2, 4, 8 or 16 bytes. perm must be a permutation of 0..rank-1. x and y do not overlap.
void transpose(const void* x, void* y, const size_t* dims, const size_t* perm, size_t rank,
               size_t element_size) noexcept;

// y [cols][rows] = x [rows][cols], 4-byte elements; row strides in elements.
void transpose_2d_32(const void* x, size_t x_stride, void* y, size_t y_stride, size_t rows, size_t cols) noexcept;

}  // namespace sardonyx::kernels
