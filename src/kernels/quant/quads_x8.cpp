// Integer products by the relaxed 8-bit dot.
#include "kernels/quant/quads_x8.h"

#include "kernels/quant/bytes.h"
#include "kernels/quant/dot_x8.h"

#if SARDONYX_HAS_QUADS

#include <algorithm>

namespace sardonyx::kernels {
namespace {

// What is taken off the value of an element so that it fits the operand.
int32_t shift_of(FormX8 form, bool weights, const LinesX8& m, size_t line, size_t k) noexcept {
  if (!weights || form == FormX8::signed_quads) return m.is_signed ? 0 : 128;
  if (form == FormX8::unsigned_quads) return m.is_signed ? -128 : 0;
  int32_t low = k > 0 ? m.value(line, 0) : 0;
  for (size_t i = 1; i < k; i++) low = std::min(low, m.value(line, i));
  return low;
}

// Adjacent k: sixteen steps of one line at a time.
template <size_t LINES>
SARDONYX_NOINLINE size_t pack_along(const uint8_t* x, size_t k, uint8_t shift, uint8_t* out) noexcept {
  const V s = wasm_i8x16_splat(static_cast<int8_t>(shift));
  size_t i = 0;
  for (; i + 16 <= k; i += 16, out += 16 * LINES) {
    const V v = wasm_i8x16_sub(load(x + i), s);
    wasm_v128_store32_lane(out, v, 0);
    wasm_v128_store32_lane(out + 4 * LINES, v, 1);
    wasm_v128_store32_lane(out + 8 * LINES, v, 2);
    wasm_v128_store32_lane(out + 12 * LINES, v, 3);
  }
  return i;
}

// The sums of every line's stored elements, by dots that are exact in every form. LINES: 6 or 8.
template <size_t LINES, class D>
void sum_lines(bool weights, size_t steps, const uint8_t* p, int32_t* sums) noexcept {
  const V ones = wasm_i8x16_splat(1);
  constexpr size_t kSecond = LINES - 4;
  V low = splat_i32(0), high = low;
  for (; steps > 0; steps--, p += 4 * LINES) {
    const V a = load(p), b = load(p + 4 * kSecond);
    low = weights ? D::run(ones, a, low) : D::run(a, ones, low);
    high = weights ? D::run(ones, b, high) : D::run(b, ones, high);
  }
  store(sums, low);
  store(sums + kSecond, high);
}

template <size_t LINES>
void pack(FormX8 form, bool weights, size_t count, size_t k, const LinesX8& m, uint8_t* p) noexcept {
  auto* sums = reinterpret_cast<int32_t*>(p);
  int32_t* offsets = sums + LINES;
  uint8_t* out = p + 2 * LINES * sizeof(int32_t);
  const size_t steps = (k + 3) / 4;
  std::fill_n(offsets, LINES, 0);
  uint8_t shifts[16] = {};
  for (size_t l = 0; l < count; l++) {
    const int32_t shift = shift_of(form, weights, m, l, k);
    shifts[l] = static_cast<uint8_t>(shift);
    offsets[l] = shift - m.zero_of(l);
  }
  size_t done = 0;
  if (LINES == kQuadCols && m.stride == 1 && m.along != 1 && count == LINES) {
    done = quads_across(m.data, m.along, k, load(shifts), out);
  } else if (m.along == 1) {
    for (size_t l = 0; l < count; l++) done = pack_along<LINES>(m.data + l * m.stride, k, shifts[l], out + 4 * l);
  }
  if (count < LINES || done < k) {
    for (size_t i = 0; i < steps; i++) {
      for (size_t l = i * 4 < done ? count : 0; l < LINES; l++) {
        for (size_t t = 0; t < 4; t++) {
          const size_t q = 4 * i + t;
          out[(i * LINES + l) * 4 + t] =
              l < count && q < k ? static_cast<uint8_t>(m.data[l * m.stride + q * m.along] - shifts[l]) : uint8_t{0};
        }
      }
    }
  }
#if defined(__wasm__)
  sum_lines<LINES, EngineDot>(weights, steps, out, sums);
#else
  if (form == FormX8::signed_quads)
    return sum_lines<LINES, EmulatedDot<FormX8::signed_quads> >(weights, steps, out, sums);
  sum_lines<LINES, EmulatedDot<FormX8::unsigned_quads> >(weights, steps, out, sums);
#endif
}

// sum (a + da) (b + db) = sum a b + db (sum a + k da) + da sum b. LEFT: the strip has the weights.
template <class D, size_t ROWS, size_t PANELS, bool LEFT = false>
SARDONYX_NOINLINE void tile(size_t k, const uint8_t* a, const uint8_t* b, int32_t* c, size_t ldc,
                            const int32_t* bias = nullptr) noexcept {
  constexpr size_t kHead = 2 * kQuadCols * sizeof(int32_t);
  const size_t panel = quads_size(k, kQuadCols);
  const auto* head = reinterpret_cast<const int32_t*>(a);
  V acc[ROWS][2 * PANELS];
#pragma clang loop unroll(full)
  for (size_t i = 0; i < ROWS; i++) {
    const V da = splat_i32(head[kQuadRows + i]);
    const V sum = wasm_i32x4_add(splat_i32(head[i]), wasm_i32x4_mul(da, splat_i32(static_cast<int32_t>(k))));
#pragma clang loop unroll(full)
    for (size_t j = 0; j < 2 * PANELS; j++) {
      const uint8_t* bh = b + j / 2 * panel + j % 2 * 16;
      acc[i][j] = wasm_i32x4_add(wasm_i32x4_mul(load(bh + 32), sum), wasm_i32x4_mul(load(bh), da));
      if (LEFT && bias) acc[i][j] = wasm_i32x4_add(acc[i][j], splat_i32(bias[i]));
    }
  }
  a += 2 * kQuadRows * sizeof(int32_t);
  b += kHead;
#pragma clang loop unroll(disable)
  for (size_t steps = (k + 3) / 4; steps > 0; steps--, a += 4 * kQuadRows, b += 4 * kQuadCols) {
    V bv[2 * PANELS];
#pragma clang loop unroll(full)
    for (size_t j = 0; j < 2 * PANELS; j++) bv[j] = load(b + j / 2 * panel + j % 2 * 16);
#pragma clang loop unroll(full)
    for (size_t i = 0; i < ROWS; i++) {
      const V av = wasm_v128_load32_splat(a + 4 * i);
#pragma clang loop unroll(full)
      for (size_t j = 0; j < 2 * PANELS; j++)
        acc[i][j] = LEFT ? D::run(bv[j], av, acc[i][j]) : D::run(av, bv[j], acc[i][j]);
    }
  }
#pragma clang loop unroll(full)
  for (size_t i = 0; i < ROWS; i++)
#pragma clang loop unroll(full)
    for (size_t j = 0; j < 2 * PANELS; j++) store(c + i * ldc + 4 * j, acc[i][j]);
}

template <class D>
void tile_of(size_t rows, size_t panels, size_t k, const uint8_t* a, const uint8_t* b, int32_t* c,
             size_t ldc) noexcept {
  switch (rows) {
    case 1:
      return (panels == 1 ? tile<D, 1, 1> : tile<D, 1, 4>)(k, a, b, c, ldc, nullptr);
    case 2:
      return (panels == 1 ? tile<D, 2, 1> : tile<D, 2, 2>)(k, a, b, c, ldc, nullptr);
    case 3:
      return tile<D, 3, 1>(k, a, b, c, ldc, nullptr);
    case 4:
      return tile<D, 4, 1>(k, a, b, c, ldc, nullptr);
    case 5:
      return tile<D, 5, 1>(k, a, b, c, ldc, nullptr);
    default:
      return tile<D, 6, 1>(k, a, b, c, ldc, nullptr);
  }
}

template <class D>
void tile_left_of(size_t rows, size_t k, const uint8_t* a, const uint8_t* b, const int32_t* bias, int32_t* c,
                  size_t ldc) noexcept {
  constexpr decltype(&tile<D, 1, 1, true>) kTiles[] = {tile<D, 1, 1, true>, tile<D, 2, 1, true>, tile<D, 3, 1, true>,
                                                       tile<D, 4, 1, true>, tile<D, 5, 1, true>, tile<D, 6, 1, true>};
  kTiles[rows - 1](k, a, b, c, ldc, bias);
}

// Calls f with the dot that the form is of.
template <class F>
inline void with_dot([[maybe_unused]] FormX8 form, F f) noexcept {
#if defined(__wasm__)
  f(EngineDot());
#else
  if (form == FormX8::unsigned_quads)
    f(EmulatedDot<FormX8::unsigned_quads>());
  else if (form == FormX8::signed_quads)
    f(EmulatedDot<FormX8::signed_quads>());
  else
    f(EmulatedDot<FormX8::seven_bit_quads>());
#endif
}

}  // namespace

size_t quads_across(const uint8_t* x, size_t along, size_t k, V shifts, uint8_t* out) noexcept {
  size_t i = 0;
  for (; i + 4 <= k; i += 4, x += 4 * along, out += 32) {
    V r[4];
    for (size_t t = 0; t < 4; t++) r[t] = wasm_i8x16_sub(wasm_v128_load64_zero(x + t * along), shifts);
    const V a = wasm_i8x16_shuffle(r[0], r[1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const V b = wasm_i8x16_shuffle(r[2], r[3], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    store(out, wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
    store(out + 16, wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
  }
  return i;
}

void quads_pack_strip(FormX8 form, bool weights, size_t count, size_t k, const MatrixX8& a, uint8_t* strip) noexcept {
  pack<kQuadRows>(form, weights, count, k, LinesX8::rows_of(a), strip);
}

void quads_pack_panel(FormX8 form, bool weights, size_t count, size_t k, const MatrixX8& b, uint8_t* panel) noexcept {
  pack<kQuadCols>(form, weights, count, k, LinesX8::columns_of(b), panel);
}

size_t quads_panels(size_t rows) noexcept { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

void quads_tile(FormX8 form, size_t rows, size_t panels, size_t k, const uint8_t* strip, const uint8_t* panel,
                int32_t* c, size_t ldc) noexcept {
#if defined(__wasm__)
  // The tiles that time is spent in, and no others: each is half a kilobyte.
  if (form == FormX8::seven_bit_quads && rows == kQuadRows)
    return tile<SevenBitDot, kQuadRows, 1>(k, strip, panel, c, ldc);
#endif
  with_dot(form, [&]<class D>(D) { tile_of<D>(rows, panels, k, strip, panel, c, ldc); });
}

void quads_tile_left(FormX8 form, size_t rows, size_t k, const uint8_t* strip, const uint8_t* panel,
                     const int32_t* bias, int32_t* c, size_t ldc) noexcept {
#if defined(__wasm__)
  if (form == FormX8::seven_bit_quads && rows == kQuadRows)
    return tile<SevenBitDot, kQuadRows, 1, true>(k, strip, panel, c, ldc, bias);
#endif
  with_dot(form, [&]<class D>(D) { tile_left_of<D>(rows, k, strip, panel, bias, c, ldc); });
}

}  // namespace sardonyx::kernels

#endif
