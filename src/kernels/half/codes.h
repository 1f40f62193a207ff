// Weights in 16 bits: float16 of the weights times a power of two, by which hardly any is a denormal (which processors
// are slow with), and none infinite or NaN; so four instructions widen four of them exactly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/epilogue.h"

namespace sardonyx::kernels {

// A code is the float whose sign, exponent and mantissa have its bits, times unit.
struct HalfCodes {
  const uint16_t* data = nullptr;  // or none
  float unit = 0;
};

// A matrix of float16, element (i, j) at data[i * row_stride + j * column_stride].
struct MatrixF16 {
  const uint16_t* data;
  size_t row_stride;
  size_t column_stride;
};

// The panels of gemm_pack_b_f32() in float16: b is k x n, packed has gemm_packed_b_size(k, n) elements.
void half_pack_b(size_t k, size_t n, const MatrixF16& b, uint16_t* packed) noexcept;

// The strips of gemm_pack_a_f32() likewise: a is row-major m x k, packed has gemm_packed_a_size(m, k) elements.
void half_pack_a(size_t m, size_t k, const uint16_t* a, uint16_t* packed) noexcept;

// Makes codes of n float16 where they lie; their unit, or 0 where one is infinite or NaN: nothing is done then. n is
// rounded up to a multiple of 8.
float half_to_codes(uint16_t* x, size_t n) noexcept;

// y = the first n codes in float32; n is rounded up to a multiple of 8.
void half_widen_f32(const HalfCodes& codes, float* y, size_t n) noexcept;

// y[n] = x b with the panels of b as codes; x[k] is written over.
void half_row_f32(size_t k, size_t n, float* x, const HalfCodes& panels, float* y, const Epilogue& e = {}) noexcept;

}  // namespace sardonyx::kernels
