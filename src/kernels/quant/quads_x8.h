// Products of 8-bit matrices by the relaxed dot: four steps of k in a lane. Internal to kernels/quant/: what callers
// use is matmul_x8.h. Not to be called where SARDONYX_HAS_QUADS is 0.
#pragma once

#include "kernels/quant/form_x8.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {

constexpr size_t kQuadRows = 6, kQuadCols = 8;

// Bytes of a strip of rows or a panel of columns: the sums of the stored elements of each line, what is to be added to
// each of them for its value, then [ceil(k / 4)][lines][4].
constexpr size_t quads_size(size_t k, size_t lines) { return 2 * lines * sizeof(int32_t) + (k + 3) / 4 * 4 * lines; }

// Lines 0..count of up to kQuadRows rows, or kQuadCols columns. weights: is this the operand of weights?
void quads_pack_strip(FormX8 form, bool weights, size_t count, size_t k, const MatrixX8& a, uint8_t* strip) noexcept;
void quads_pack_panel(FormX8 form, bool weights, size_t count, size_t k, const MatrixX8& b, uint8_t* panel) noexcept;

// Eight adjacent columns of bytes, rows `along` apart, less shifts [8]: whole fours of the k rows to [k / 4][8][4].
// Returns how many rows those are.
size_t quads_across(const uint8_t* x, size_t along, size_t k, V shifts, uint8_t* out) noexcept;

// c [rows][8 * panels] = strip by adjacent panels, 1 or quads_panels(rows).
size_t quads_panels(size_t rows) noexcept;
void quads_tile(FormX8 form, size_t rows, size_t panels, size_t k, const uint8_t* strip, const uint8_t* panel,
                int32_t* c, size_t ldc) noexcept;

// Likewise where the strip has the weights; bias [rows] or null is added.
void quads_tile_left(FormX8 form, size_t rows, size_t k, const uint8_t* strip, const uint8_t* panel,
                     const int32_t* bias, int32_t* c, size_t ldc) noexcept;

}  // namespace sardonyx::kernels
