// Integer product with B in 8 bits: the form, and the loops around its tiles.
#include "kernels/quant/matmul_x8.h"

#include <algorithm>

#include "kernels/quant/bytes.h"
#include "kernels/quant/dot_x8.h"
#include "kernels/quant/pairs_x8.h"
#include "kernels/quant/quads_x8.h"
#include "kernels/quant/short_quads_x8.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kCols = 8, kSlack = 64;
static_assert(kCols == kQuadCols && kCols == kShortCols && kCols == kPairCols);
constexpr size_t kMostRows = std::max({kPairRows, kQuadRows, kShortRows});

// In bytes.
size_t strip_size(FormX8 form, size_t k) {
  if (form == FormX8::short_quads) return short_strip_size(k);
  return form == FormX8::pairs ? pairs_strip_size(k) : quads_size(k, kQuadRows);
}
size_t panel_size(FormX8 form, size_t k) {
  return form == FormX8::pairs ? pairs_panel_size(k) : quads_size(k, kQuadCols);
}

#if SARDONYX_HAS_QUADS
FormX8 engine_form() noexcept {
#if defined(__wasm__)
  static const FormX8 form = [] {
    const FormX8 found = probe_dot_x8<EngineDot>();
    const bool wrong = found == FormX8::seven_bit_quads && probe_dot_x8<SevenBitDot>() == FormX8::pairs;
    return wrong ? FormX8::pairs : found;
  }();
  return form;
#else
  return FormX8::unsigned_quads;  // emulated: native builds are for tests
#endif
}

// Do the elements of every column span at most 7 bits?
bool spans_seven_bits(size_t k, size_t n, const MatrixX8& b) noexcept {
  const LinesX8 columns = LinesX8::columns_of(b);
  for (size_t j = 0; j < n; j++) {
    int32_t low = 255, high = -255;
    for (size_t i = 0; i < k; i++) {
      const int32_t v = columns.value(j, i);
      low = std::min(low, v), high = std::max(high, v);
    }
    if (high - low > 127) return false;
  }
  return true;
}
#endif

void tiles(FormX8 form, size_t k, size_t m0, size_t m1, size_t n0, size_t n1, const uint8_t* packed_a,
           const uint8_t* packed_b, int32_t* c, size_t ldc) noexcept {
  const size_t block = std::max(kCols, (size_t{1} << 17) / std::max<size_t>(1, k) & ~(kCols - 1));
  const size_t height = matmul_x8_strip(form);
  for (size_t j0 = n0; j0 < n1; j0 += block) {
    const size_t j1 = std::min(n1, j0 + block);
    for (size_t i = m0; i < m1; i += height) {
      const uint8_t* a = packed_a + i / height * strip_size(form, k);
      const size_t rows = std::min(height, m1 - i);
      for (size_t j = j0, step; j < j1; j += step) {
        const size_t panel = j / kCols;
        step = kCols;
        const size_t cols = std::min(kCols, j1 - j);
        int32_t out[kMostRows * kCols], *to = c + i * ldc + j;
        const bool edge = cols < kCols || (form == FormX8::pairs && rows == 3) ||
                          (form == FormX8::short_quads && rows > 1 && rows < kShortRows);
        const size_t ld = edge ? kCols : ldc;
#if SARDONYX_HAS_QUADS
        if (form == FormX8::short_quads) {
          short_tile(rows == 1, k, a, packed_b, panel, edge ? out : to, ld);
        } else if (form != FormX8::pairs) {
          const size_t panels = j + kCols * quads_panels(rows) <= j1 ? quads_panels(rows) : 1;
          step = kCols * panels;
          quads_tile(form, rows, panels, k, a, packed_b + panel * quads_size(k, kQuadCols), edge ? out : to, ld);
        } else
#endif
          pairs_tile(rows, k, a, packed_b + panel * pairs_panel_size(k), edge ? out : to, ld);
        for (size_t r = 0; edge && r < rows; r++) std::copy_n(out + r * kCols, cols, to + r * ldc);
      }
    }
  }
}

}  // namespace

bool is_exact_x8(FormX8 form) noexcept {
  if (form == FormX8::pairs) return true;
#if !SARDONYX_HAS_QUADS
  return false;
#elif defined(__wasm__)
  if (form == FormX8::short_quads) return has_short_quads();
  return form == engine_form() || (form == FormX8::seven_bit_quads && engine_form() != FormX8::pairs);
#else
  return true;  // emulated
#endif
}

bool has_fast_dot_x8() noexcept {
#if SARDONYX_HAS_QUADS && defined(__wasm__)
  return engine_form() == FormX8::unsigned_quads || engine_form() == FormX8::signed_quads;
#else
  return false;
#endif
}

FormX8 best_form_x8(size_t k, size_t n, const MatrixX8& b) noexcept {
#if SARDONYX_HAS_QUADS
  const FormX8 form = engine_form();
  return form == FormX8::seven_bit_quads && !spans_seven_bits(k, n, b) ? FormX8::pairs : form;
#else
  static_cast<void>(k), static_cast<void>(n), static_cast<void>(b);
  return FormX8::pairs;
#endif
}

size_t matmul_x8_packed_b_size(FormX8 form, size_t k, size_t n, const MatrixX8& b) noexcept {
#if SARDONYX_HAS_QUADS
  if (form == FormX8::short_quads) return short_packed_b_size(n, short_blocks(k, n, b)) + kSlack;
#endif
  static_cast<void>(b);
  return (n + kCols - 1) / kCols * panel_size(form, k) + kSlack;
}

PlanX8 matmul_x8_plan(size_t k, size_t n, const MatrixX8& b) noexcept {
#if SARDONYX_HAS_QUADS
  if (!has_fast_dot_x8() && has_short_quads()) {
    // As measured: a part takes 0.87 of what 64 multiply-adds take in quads of 7 bits, and 0.71 of it in pairs.
    const ShortBlocks blocks = short_blocks(k, n, b);
    const auto is_within = [&](size_t percent) { return blocks.parts * 100 <= blocks.blocks * percent; };
    if (is_within(115) || (is_within(140) && best_form_x8(k, n, b) == FormX8::pairs))
      return {FormX8::short_quads, short_packed_b_size(n, blocks) + kSlack};
  }
#endif
  const FormX8 form = best_form_x8(k, n, b);
  return {form, matmul_x8_packed_b_size(form, k, n, b)};
}

size_t matmul_x8_strip(FormX8 form) noexcept {
  return form == FormX8::pairs ? kPairRows : form == FormX8::short_quads ? kShortRows : kQuadRows;
}

size_t matmul_x8_packed_a_size(FormX8 form, size_t m, size_t k) noexcept {
  const size_t rows = matmul_x8_strip(form);
  return (m + rows - 1) / rows * strip_size(form, k) + kSlack;
}

void matmul_x8_pack_b(FormX8 form, size_t k, size_t n, const MatrixX8& b, uint8_t* packed) noexcept {
#if SARDONYX_HAS_QUADS
  if (form == FormX8::short_quads) return short_pack_b(k, n, b, packed);
#endif
  for (size_t j = 0; j < n; j += kCols, packed += panel_size(form, k)) {
    MatrixX8 columns = b;
    columns.data = static_cast<const uint8_t*>(b.data) + j * b.col_stride;
    if (b.zero && b.zero_per_line) columns.zero = b.zero + j;
    const size_t count = std::min(kCols, n - j);
#if SARDONYX_HAS_QUADS
    if (form != FormX8::pairs) {
      quads_pack_panel(form, true, count, k, columns, packed);
      continue;
    }
#endif
    pairs_pack_panel(count, k, columns, packed);
  }
}

void matmul_x8_pack_a(FormX8 form, size_t m0, size_t m1, size_t k, const MatrixX8& a, uint8_t* packed) noexcept {
  const size_t height = matmul_x8_strip(form);
  for (size_t i = m0; i < m1; i += height) {
    uint8_t* strip = packed + i / height * strip_size(form, k);
    MatrixX8 rows = a;
    rows.data = static_cast<const uint8_t*>(a.data) + i * a.row_stride;
    if (a.zero && a.zero_per_line) rows.zero = a.zero + i;
    const size_t count = std::min(height, m1 - i);
#if SARDONYX_HAS_QUADS
    if (form == FormX8::short_quads) {
      short_pack_strip(count, k, rows, strip);
      continue;
    }
    if (form != FormX8::pairs) {
      quads_pack_strip(form, false, count, k, rows, strip);
      continue;
    }
#endif
    pairs_pack_strip(count, k, rows, strip);
  }
}

void matmul_x8_i32(FormX8 form, size_t k, size_t m0, size_t m1, size_t n0, size_t n1, const uint8_t* packed_a,
                   const uint8_t* packed_b, int32_t* c, size_t ldc) noexcept {
  constexpr size_t kManyRows = 16;
  if (form != FormX8::pairs || m1 - m0 < kManyRows) return tiles(form, k, m0, m1, n0, n1, packed_a, packed_b, c, ldc);
  const size_t m = m1 - (m1 - m0) % kPairRows, n = n1 - (n1 - n0) % kPairCols;
  pairs_block(k, m0, m, n0, n, packed_a, packed_b, c, ldc);
  tiles(form, k, m0, m, n, n1, packed_a, packed_b, c, ldc);
  tiles(form, k, m, m1, n0, n1, packed_a, packed_b, c, ldc);
}

void scale_sums_f32(size_t rows, size_t cols, const int32_t* x, float scale, const float* column_scale,
                    const float* bias, float* y, size_t ld) noexcept {
  const V one = splat(scale);
  for (size_t i = 0; i < rows; i++, x += ld, y += ld) {
    for (size_t j = 0; j < cols; j += 4) {
      V s = column_scale ? mul(one, load(column_scale + j)) : one;
      V v = mul(wasm_f32x4_convert_i32x4(load(x + j)), s);
      store_lanes(y + j, bias ? add(v, load(bias + j)) : v, cols - j);
    }
  }
}

void scale_clamp_sums_f32(const int32_t* x, float* y, size_t n, float factor, float scale, float shift, float lo,
                          float hi) noexcept {
  const V f = splat(factor), s = splat(scale), b = splat(shift), low = splat(lo), high = splat(hi);
  auto four = [=](size_t i) { return clamp(add(mul(mul(wasm_f32x4_convert_i32x4(load(x + i)), f), s), b), low, high); };
  size_t i = 0;
  for (; i + 4 <= n; i += 4) store(y + i, four(i));
  if (i < n) store_lanes(y + i, four(i), n - i);
}

}  // namespace sardonyx::kernels
