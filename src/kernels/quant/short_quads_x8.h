// Products of 8-bit matrices by dots that are summed in 16 bits: quads where the engine has no dot of four steps.
// Internal to kernels/quant/: what callers use is matmul_x8.h. Not to be called where SARDONYX_HAS_QUADS is 0.
#pragma once

#include "kernels/quant/form_x8.h"

namespace sardonyx::kernels {

constexpr size_t kShortRows = 8, kShortCols = 8;

// Is the 16-bit dot exact in this engine for a second operand of 8 bits, wherever its sums fit?
bool has_short_quads() noexcept;

// B as int8 in blocks of 16 steps by 4 columns, each once, or in as many parts as it takes for the sums of its eight
// weights of a lane to fit int16, whatever A is.
struct ShortBlocks {
  size_t blocks, parts;
};
ShortBlocks short_blocks(size_t k, size_t n, const MatrixX8& b) noexcept;

// In bytes.
size_t short_packed_b_size(size_t n, const ShortBlocks& blocks) noexcept;
void short_pack_b(size_t k, size_t n, const MatrixX8& b, uint8_t* packed) noexcept;

// A strip of rows: the sums of the stored elements of each, what is to be added to each of them for its value, then
// [ceil(k / 16)][rows][16].
constexpr size_t short_strip_size(size_t k) {
  return 2 * kShortRows * sizeof(int32_t) + (k + 15) / 16 * 16 * kShortRows;
}
void short_pack_strip(size_t count, size_t k, const MatrixX8& a, uint8_t* strip) noexcept;

// c [1 or kShortRows][8] = strip by panel `panel`.
void short_tile(bool one_row, size_t k, const uint8_t* strip, const uint8_t* packed_b, size_t panel, int32_t* c,
                size_t ldc) noexcept;

}  // namespace sardonyx::kernels
