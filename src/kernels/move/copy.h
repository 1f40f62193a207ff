// Strided copies, fills and borders for elements of 1, 2, 4, 8 or 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sardonyx::kernels {

// y[i0][i1]... = x[offset], an N-d gather of regular strides: dims [rank] are those of the copied box, strides are in
// elements and may be 0 (broadcast) or negative (reversed slices). Inner dense runs are copied whole. No overlap.
void copy_strided(const void* x, const ptrdiff_t* x_strides, void* y, const ptrdiff_t* y_strides, const size_t* dims,
                  size_t rank, size_t element_size) noexcept;

// Fills n elements with *value.
void fill(void* y, const void* value, size_t n, size_t element_size) noexcept;

enum class PadMode : uint8_t { kConstant, kReflect, kEdge, kWrap };

// ONNX Pad: y [dims_y] with dims_y[i] = begin[i] + dims_x[i] + end[i] (negative begin or end crops). value: one element
// (constant mode). Reflect needs begin, end < dims_x of that axis; edge, wrap and reflect need dims_x > 0 where dims_y
// > 0. rank <= 32.
void pad(const void* x, const size_t* dims_x, void* y, const ptrdiff_t* begin, const ptrdiff_t* end, size_t rank,
         size_t element_size, PadMode mode, const void* value) noexcept;

}  // namespace sardonyx::kernels
