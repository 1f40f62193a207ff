// Integer products by the 16-bit relaxed dot of bytes: four of its results are added before they are widened, so that
// 64 multiply-adds are five multiplications and four additions.
#include "kernels/quant/short_quads_x8.h"

#include "kernels/quant/bytes.h"
#include "kernels/quant/dot_x8.h"
#include "kernels/quant/quads_x8.h"

#if SARDONYX_HAS_QUADS

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace sardonyx::kernels {
namespace {

#if defined(__wasm__)
using Dot = ShortDot;
#else
using Dot = EmulatedShortDot;
#endif

constexpr size_t kBlock = 64, kSteps = 16;
// 255 times it is the largest sum of one sign in 16 bits.
constexpr int kMostOfASign = 128;

size_t blocks_of(size_t k) { return (k + kSteps - 1) / kSteps; }
size_t align(size_t n) { return (n + 15) & ~size_t{15}; }

// Eight columns of B. shift: what is taken off a value so that it fits int8, as near to the zero point as can be.
struct Columns {
  LinesX8 b;
  size_t count, k;
  int32_t shift[kShortCols] = {};
  uint8_t bytes[16] = {};

  Columns(const MatrixX8& all, size_t first, size_t columns, size_t steps) : b(LinesX8::columns_of(all)), k(steps) {
    b.data += first * b.stride;
    if (b.zero && b.zero_per_line) b.zero += first;
    count = std::min(kShortCols, columns - first);
    if (b.is_signed && !b.zero) return;
    V low = wasm_i8x16_splat(127), high = wasm_i8x16_splat(-128);
    const V flip = wasm_i8x16_splat(b.is_signed ? 0 : -128);
    for (size_t i = 0; i < k; i++) {
      const V v = wasm_v128_xor(row(i), flip);
      low = wasm_i8x16_min(low, v), high = wasm_i8x16_max(high, v);
    }
    int8_t lows[16], highs[16];
    store(lows, low), store(highs, high);
    for (size_t j = 0; j < count; j++) {
      const int32_t middle = b.is_signed ? 0 : 128;
      shift[j] = std::max(highs[j] + middle - 127, std::min(lows[j] + middle + 128, b.zero_of(j)));
      bytes[j] = static_cast<uint8_t>(shift[j]);
    }
  }

  bool is_adjacent() const noexcept { return b.stride == 1 && count == kShortCols; }

  V row(size_t i) const noexcept {
    if (is_adjacent()) return wasm_v128_load64_zero(b.at(0, i));
    uint8_t some[16] = {};
    for (size_t j = 0; j < count; j++) some[j] = *b.at(j, i);
    return load(some);
  }

  // Steps 16 * block on: [4][8][4].
  void read(size_t block, uint8_t* out) const noexcept {
    const size_t first = block * kSteps;
    if (is_adjacent() && first + kSteps <= k) {
      quads_across(b.at(0, first), b.along, kSteps, load(bytes), out);
      return;
    }
    std::fill_n(out, 2 * kBlock, uint8_t{0});
    for (size_t i = 0; i < std::min(kSteps, k - first); i++)
      for (size_t j = 0; j < count; j++)
        out[(i / 4 * kShortCols + j) * 4 + i % 4] = static_cast<uint8_t>(*b.at(j, first + i) - bytes[j]);
  }
};

// Four columns of what read() has given.
struct Block {
  V quads[4];
  Block(const uint8_t* both, size_t half) {
    for (size_t q = 0; q < 4; q++) quads[q] = load(both + 32 * q + 16 * half);
  }

  // Of each column.
  V sums() const noexcept {
    V sum = splat_i32(0);
    for (const V& q : quads)
      sum = wasm_i32x4_add(sum, wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extadd_pairwise_i8x16(q)));
    return sum;
  }

  // One of `parts` near-equal parts, which add up to the whole.
  void part(size_t at, size_t parts, int8_t* out) const noexcept {
    for (size_t q = 0; q < 4; q++) store(out + 16 * q, quads[q]);
    for (size_t i = 0; parts > 1 && i < kBlock; i++) {
      const int whole = out[i], some = (std::abs(whole) + static_cast<int>(at)) / static_cast<int>(parts);
      out[i] = static_cast<int8_t>(whole < 0 ? -some : some);
    }
  }

  size_t parts() const noexcept {
    V positive = wasm_i16x8_splat(0), negative = positive;
    for (const V& q : quads) {
      const V none = wasm_i8x16_splat(0);
      positive = wasm_i16x8_add(positive, wasm_u16x8_extadd_pairwise_u8x16(wasm_i8x16_max(q, none)));
      negative =
          wasm_i16x8_add(negative, wasm_u16x8_extadd_pairwise_u8x16(wasm_i8x16_sub(none, wasm_i8x16_min(q, none))));
    }
    const V larger = wasm_i16x8_max(positive, negative);
    if (!wasm_v128_any_true(wasm_i16x8_gt(larger, wasm_i16x8_splat(kMostOfASign)))) return 1;
    int16_t sums[8];
    store(sums, larger);
    const int most = *std::max_element(sums, sums + 8);
    int n = 2;
    while ((most + 8 * (n - 1)) / n > kMostOfASign) n++;  // each of the eight may be rounded up
    return static_cast<size_t>(n);
  }
};

// Of a panel: sums and offsets of its columns, the numbers of parts of its halves; then for each half the places of
// the parts in a strip, and the parts.
struct PanelHead {
  int32_t sums[kShortCols], offsets[kShortCols];
  uint32_t parts[4];
};

template <class D, size_t ROWS>
SARDONYX_NOINLINE void tile(size_t k, const uint8_t* strip, const uint8_t* panel, int32_t* c, size_t ldc) noexcept {
  const auto* rows = reinterpret_cast<const int32_t*>(strip);
  const auto* head = reinterpret_cast<const PanelHead*>(panel);
  const uint8_t* a = strip + 2 * kShortRows * sizeof(int32_t);
  panel += sizeof(PanelHead);
  const V ones = constant_i32<0x00010001>();
  for (size_t half = 0; half < 2; half++, c += 4) {
    V acc[ROWS];
#pragma clang loop unroll(full)
    for (size_t i = 0; i < ROWS; i++) {
      const V da = splat_i32(rows[kShortRows + i]);
      const V sum = wasm_i32x4_add(splat_i32(rows[i]), wasm_i32x4_mul(da, splat_i32(static_cast<int32_t>(k))));
      acc[i] = wasm_i32x4_add(wasm_i32x4_mul(load(head->offsets + 4 * half), sum),
                              wasm_i32x4_mul(load(head->sums + 4 * half), da));
    }
    const size_t parts = head->parts[half];
    const auto* places = reinterpret_cast<const uint32_t*>(panel);
    const uint8_t* w = panel + align(parts * sizeof(uint32_t));
    panel = w + parts * kBlock;
#pragma clang loop unroll(disable)
    for (; w != panel; w += kBlock, places++) {
      const uint8_t* x = a + *places;
      const V w0 = load(w), w1 = load(w + 16), w2 = load(w + 32), w3 = load(w + 48);
#pragma clang loop unroll(full)
      for (size_t i = 0; i < ROWS; i++) {
        // Offsets of its own for each row would be an instruction each.
        const uint8_t* y = opaque(x + kSteps * i);
        V s = D::run(w0, wasm_v128_load32_splat(y));
        s = wasm_i16x8_add(s, D::run(w1, wasm_v128_load32_splat(y + 4)));
        s = wasm_i16x8_add(s, D::run(w2, wasm_v128_load32_splat(y + 8)));
        s = wasm_i16x8_add(s, D::run(w3, wasm_v128_load32_splat(y + 12)));
        acc[i] = wasm_i32x4_add(acc[i], wasm_i32x4_dot_i16x8(s, ones));
      }
    }
#pragma clang loop unroll(full)
    for (size_t i = 0; i < ROWS; i++) store(c + i * ldc, acc[i]);
  }
}

size_t table_size(size_t n) { return align((n + kShortCols - 1) / kShortCols * sizeof(uint32_t)); }

}  // namespace

bool has_short_quads() noexcept {
  static const bool exact = probe_short_dot<Dot>();
  return exact;
}

ShortBlocks short_blocks(size_t k, size_t n, const MatrixX8& b) noexcept {
  ShortBlocks found{};
  uint8_t both[2 * kBlock];
  for (size_t j = 0; j < n; j += kShortCols) {
    const Columns columns(b, j, n, k);
    for (size_t i = 0; i < blocks_of(k); i++) {
      columns.read(i, both);
      for (size_t half = 0; half < 2; half++) found.parts += Block(both, half).parts();
    }
    found.blocks += 2 * blocks_of(k);
  }
  return found;
}

size_t short_packed_b_size(size_t n, const ShortBlocks& blocks) noexcept {
  const size_t panels = (n + kShortCols - 1) / kShortCols;
  return table_size(n) + panels * (sizeof(PanelHead) + 2 * 15) + blocks.parts * (sizeof(uint32_t) + kBlock);
}

void short_pack_b(size_t k, size_t n, const MatrixX8& b, uint8_t* packed) noexcept {
  uint8_t both[2 * kBlock];
  uint8_t* panel = packed + table_size(n);
  for (size_t j = 0; j < n; j += kShortCols) {
    reinterpret_cast<uint32_t*>(packed)[j / kShortCols] = static_cast<uint32_t>(panel - packed);
    const Columns columns(b, j, n, k);
    PanelHead head{};
    for (size_t c = 0; c < columns.count; c++) head.offsets[c] = columns.shift[c] - columns.b.zero_of(c);
    V sums[2] = {splat_i32(0), splat_i32(0)};
    for (size_t i = 0; i < blocks_of(k); i++) {
      columns.read(i, both);
      for (size_t half = 0; half < 2; half++) {
        const Block block(both, half);
        head.parts[half] += static_cast<uint32_t>(block.parts());
        sums[half] = wasm_i32x4_add(sums[half], block.sums());
      }
    }
    store(head.sums, sums[0]), store(head.sums + 4, sums[1]);
    std::memcpy(panel, &head, sizeof(head));
    panel += sizeof(head);
    uint8_t* out[2];
    uint32_t* places[2];
    for (size_t half = 0; half < 2; half++) {
      places[half] = reinterpret_cast<uint32_t*>(panel);
      out[half] = panel + align(head.parts[half] * sizeof(uint32_t));
      panel = out[half] + head.parts[half] * kBlock;
    }
    for (size_t i = 0; i < blocks_of(k); i++) {
      columns.read(i, both);
      for (size_t half = 0; half < 2; half++) {
        const Block block(both, half);
        for (size_t p = 0, parts = block.parts(); p < parts; p++, out[half] += kBlock) {
          *places[half]++ = static_cast<uint32_t>(i * kSteps * kShortRows);
          block.part(p, parts, reinterpret_cast<int8_t*>(out[half]));
        }
      }
    }
  }
}

void short_pack_strip(size_t count, size_t k, const MatrixX8& a, uint8_t* strip) noexcept {
  const LinesX8 rows = LinesX8::rows_of(a);
  auto* sums = reinterpret_cast<int32_t*>(strip);
  uint8_t* out = strip + 2 * kShortRows * sizeof(int32_t);
  const uint8_t flip = a.is_signed ? 0x80 : 0;
  for (size_t l = 0; l < kShortRows; l++) {
    V sum = splat_i32(0);
    uint8_t* to = out + l * kSteps;
    for (size_t i = 0; i < k; i += kSteps, to += kSteps * kShortRows) {
      V v = splat_i32(0);
      if (l < count && rows.along == 1 && i + kSteps <= k) {
        v = wasm_v128_xor(load(rows.at(l, i)), wasm_i8x16_splat(static_cast<int8_t>(flip)));
      } else if (l < count) {
        uint8_t some[kSteps] = {};
        for (size_t t = 0; t < std::min(kSteps, k - i); t++) some[t] = *rows.at(l, i + t) ^ flip;
        v = load(some);
      }
      store(to, v);
      sum = wasm_i32x4_add(sum, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extadd_pairwise_u8x16(v)));
    }
    sums[l] = wasm_i32x4_extract_lane(sum, 0) + wasm_i32x4_extract_lane(sum, 1) + wasm_i32x4_extract_lane(sum, 2) +
              wasm_i32x4_extract_lane(sum, 3);
    sums[kShortRows + l] = l < count ? -(flip + rows.zero_of(l)) : 0;
  }
}

void short_tile(bool one_row, size_t k, const uint8_t* strip, const uint8_t* packed_b, size_t panel, int32_t* c,
                size_t ldc) noexcept {
  const uint8_t* at = packed_b + reinterpret_cast<const uint32_t*>(packed_b)[panel];
  (one_row ? tile<Dot, 1> : tile<Dot, kShortRows>)(k, strip, at, c, ldc);
}

}  // namespace sardonyx::kernels

#endif
