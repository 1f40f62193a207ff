// C = alpha * A * B with bias, residual and clamp in float32; packed or plain operands, any sizes, any leading
// dimensions.
#pragma once

#include <cstddef>

#include "kernels/epilogue.h"
#include "kernels/half/codes.h"

namespace sardonyx::kernels {

// A is [m][k] and B is [k][n] in the sense of the product; element (i, j) lies at data[i * row_stride + j *
// col_stride], so a transposed operand is one with its strides exchanged.
struct MatrixF32 {
  const float* data;
  size_t row_stride;
  size_t col_stride;
};

// ---- A packed: strips of kStripRows (4 or 6) rows, the last ones of 4, rows padded with zeros to a multiple of 4.
// Denormal elements become 0.
// Floats of the packed A, including the slack that kernels may read.
size_t gemm_packed_a_size(size_t m, size_t k) noexcept;
void gemm_pack_a_f32(size_t m, size_t k, const MatrixF32& a, float alpha, float* packed) noexcept;
// The same where A lies: a row-major m x k, m a multiple of 4; memory behind it may be read. scratch:
// gemm_pack_scratch_size(k) floats.
void gemm_pack_a_in_place_f32(size_t m, size_t k, float* a, float* scratch) noexcept;
size_t gemm_pack_scratch_size(size_t k) noexcept;

// ---- B packed: panels of 8 columns, the last padded with zeros.
size_t gemm_packed_b_size(size_t k, size_t n) noexcept;
void gemm_pack_b_f32(size_t k, size_t n, const MatrixF32& b, float* packed) noexcept;
// The same where B lies transposed: b row-major n x k, n a multiple of 8; else as for A, denormal elements too.
void gemm_pack_b_in_place_f32(size_t k, size_t n, float* b, float* scratch) noexcept;

// Denormal elements of x become 0: for constant operands.
void flush_denormals_f32(float* x, size_t n) noexcept;

// B as the product reads it: rows in place (col_stride 1), any strides (packed into scratch blockwise), or packed
// before, in float32 or as codes (half_pack_b(), widened into scratch blockwise).
struct GemmB {
  MatrixF32 matrix;  // packed: only data is used; codes: nothing
  bool packed = false;
  HalfCodes codes = {};
};

// Floats of scratch for gemm_f32 and gemm_f32_block (one per thread).
size_t gemm_scratch_size(size_t k, size_t n) noexcept;

// Columns of C that one block covers (a multiple of 8): the unit to split work by.
size_t gemm_block_columns(size_t k) noexcept;

// The largest start of a packed strip that is <= row, or m if row >= m: the rows that work may be split at.
size_t gemm_strip_floor(size_t m, size_t row) noexcept;

// C[0..m)[0..n) from a packed A. c: row-major, row stride ldc >= n. k = 0 gives clamp(bias).
void gemm_f32(size_t m, size_t k, size_t n, const float* packed_a, const GemmB& b, float* c, size_t ldc, float* scratch,
              const Epilogue& epilogue = {}) noexcept;

// The part of gemm_f32 with rows [m0, m1) and columns [n0, n1) of the whole C (all pointers are those of the whole).
// m0 and m1 are strip starts or m; n0 is a multiple of 8, n1 a multiple of 8 or n. Any split gives the same bits.
void gemm_f32_block(size_t m, size_t k, size_t n, size_t m0, size_t m1, size_t n0, size_t n1, const float* packed_a,
                    const GemmB& b, float* c, size_t ldc, float* scratch, const Epilogue& epilogue = {}) noexcept;

// The same product with an A that is not packed (an activation): blocks of its rows are packed into scratch.
size_t gemm_dynamic_scratch_size(size_t m, size_t k, size_t n) noexcept;
void gemm_dynamic_f32(size_t m, size_t k, size_t n, const MatrixF32& a, float alpha, const GemmB& b, float* c,
                      size_t ldc, float* scratch, const Epilogue& epilogue = {}) noexcept;

// y[m] = A x with A row-major as stored (row stride lda): fully connected layers with one input row. No scratch.
// accumulate adds to y, row_bias is added, col_bias ignored.
void gemv_f32(size_t m, size_t k, const float* a, size_t lda, const float* x, float* y,
              const Epilogue& epilogue = {}) noexcept;

// y[n] = x B with B row-major (row stride ldb): one row times a matrix. col_bias is added, row_bias[0] too.
void gevm_f32(size_t k, size_t n, const float* x, const float* b, size_t ldb, float* y,
              const Epilogue& epilogue = {}) noexcept;

}  // namespace sardonyx::kernels
