// Products of 8-bit matrices as pairs of int16, one dot instruction for eight multiply-adds: the form that every engine
// has. Internal to kernels/quant/: what callers use is matmul_x8.h.
#pragma once

#include "kernels/quant/form_x8.h"

namespace sardonyx::kernels {

constexpr size_t kPairRows = 4, kPairCols = 8;

// Bytes of a strip of rows: their sums, then [ceil(k / 2)][rows][2] as int16, zero points taken off. Of a panel of
// columns: their zero points, then [ceil(k / 2)][columns][2] as int8.
constexpr size_t pairs_strip_size(size_t k) {
  return kPairRows * sizeof(int32_t) + (k + 1) / 2 * 2 * kPairRows * sizeof(int16_t);
}
constexpr size_t pairs_panel_size(size_t k) { return kPairCols * sizeof(int32_t) + (k + 1) / 2 * 2 * kPairCols; }

// Lines 0..count of a strip or a panel.
void pairs_pack_strip(size_t count, size_t k, const MatrixX8& a, uint8_t* strip) noexcept;
void pairs_pack_panel(size_t count, size_t k, const MatrixX8& b, uint8_t* panel) noexcept;

// c [rows][8] = strip by panel; 4 rows are written for 3.
void pairs_tile(size_t rows, size_t k, const uint8_t* strip, const uint8_t* panel, int32_t* c, size_t ldc) noexcept;

// Many rows and columns, whole strips and panels: the same with each panel widened once for all of them.
void pairs_block(size_t k, size_t m0, size_t m1, size_t n0, size_t n1, const uint8_t* packed_a, const uint8_t* packed_b,
                 int32_t* c, size_t ldc) noexcept;

}  // namespace sardonyx::kernels
