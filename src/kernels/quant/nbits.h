// Products with weights of 2, 4 or 8 bits in blocks along k, each block with a scale and a zero point (MatMulNBits).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quant/form_x8.h"

namespace sardonyx::kernels {

// W [n][k] = (element - zero) * scale. Elements of a block lie in block * bits / 8 bytes, low bits first.
struct NBits {
  size_t bits, block, k;     // block is a power of two, 16 or more
  const uint8_t* data;       // [n][blocks][block * bits / 8]
  const float* scales;       // [n][blocks]
  const uint8_t* zeros;      // packed as the data is, each row from a byte on; or null
  const float* float_zeros;  // [n][blocks], or null; neither: 2^(bits - 1)
  const int32_t* block_of;   // [k]: the block whose scale an element has; null: its own
  FormX8 form;  // of a row that is multiplied with them: pairs, seven_bit_quads or short_quads, where exact

  size_t blocks() const noexcept { return (k + block - 1) / block; }
  size_t row_bytes() const noexcept { return blocks() * (block * bits / 8); }
  size_t zero_bytes() const noexcept { return (blocks() * bits + 7) / 8; }
};

// Rows [n0, n1) of W as float32, y [n1 - n0][k].
void nbits_unpack_f32(const NBits& w, size_t n0, size_t n1, float* y) noexcept;

// One row times W, for 4 bits, blocks of 32 or more without block_of: the row as integers of 23 bits, whose products
// with the 4 bits are exact.
bool nbits_has_gemv(const NBits& w) noexcept;
// The fastest form of a row that is exact in this build and engine.
FormX8 nbits_best_form() noexcept;
// int32 elements of a prepared row.
size_t nbits_row_size(const NBits& w) noexcept;
void nbits_prepare_row(const NBits& w, const float* x, int32_t* prepared) noexcept;
// y[n0..n1) = x W^T (+ bias).
void nbits_gemv_f32(const NBits& w, size_t n0, size_t n1, const int32_t* prepared, const float* bias,
                    float* y) noexcept;

// Weights [n][k] in one row after another: table[index] * largest[i / block] for element i of all, two indices of 4
// bits in a byte, the high bits first; block a power of two, 16 or more (bitsandbytes' form).
struct Table4 {
  const uint8_t* data;
  const float* largest;
  size_t block;
  const float* table;  // 16
};
// Elements [first, end) as float32.
void table4_unpack_f32(const Table4& w, size_t first, size_t end, float* y) noexcept;

}  // namespace sardonyx::kernels
