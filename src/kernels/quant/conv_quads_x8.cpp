// Integer convolution by the relaxed 8-bit dot: panels of 8 pixels gathered in quads of k.
#include "kernels/quant/conv_quads_x8.h"

#include <algorithm>

#include "kernels/quant/dot_x8.h"
#include "kernels/quant/quads_x8.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kBlock = size_t{1} << 18;  // bytes of panels at once

size_t depth(const ConvShape& s) { return s.channels * s.taps(); }
size_t panel_count(const ConvShape& s) { return (s.out_size() + kQuadCols - 1) / kQuadCols; }
size_t table_bytes(const ConvShape& s) { return (depth(s) * sizeof(int32_t) + 63) / 64 * 64; }

// What of an axis the windows touch, padding included.
size_t span_of(const ConvShape& s, int i) {
  return s.out[i] == 0 ? 0 : (s.out[i] - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i] + 1;
}

}  // namespace

size_t conv_quads_weights_size(size_t out_channels, size_t k) noexcept {
  return (out_channels + kQuadRows - 1) / kQuadRows * quads_size(k, kQuadRows);
}

size_t conv_quads_plane(const ConvShape& s) noexcept { return span_of(s, 0) * span_of(s, 1) * span_of(s, 2); }

size_t conv_quads_block_panels(const ConvShape& s) noexcept {
  return std::max<size_t>(1, kBlock / quads_size(depth(s), kQuadCols));
}

size_t conv_quads_scratch_size(const ConvShape& s) noexcept {
  return table_bytes(s) + std::min(panel_count(s), conv_quads_block_panels(s)) * quads_size(depth(s), kQuadCols) + 64;
}

void conv_quads_pad(const ConvShape& s, const ImageX8& x, size_t c0, size_t c1, uint8_t* padded) noexcept {
  const size_t size[3] = {span_of(s, 0), span_of(s, 1), span_of(s, 2)};
  const uint8_t flip = x.is_signed ? 0 : 0x80, zero = static_cast<uint8_t>(x.zero) ^ flip;
  const V flips = wasm_i8x16_splat(static_cast<int8_t>(flip));
  // Columns [begin, end) of a padded row are those of the image from `from` on.
  const ptrdiff_t pad = s.pad[2], width = static_cast<ptrdiff_t>(s.in[2]), columns = static_cast<ptrdiff_t>(size[2]);
  const ptrdiff_t begin = std::clamp<ptrdiff_t>(pad, 0, columns);
  const ptrdiff_t end = std::clamp<ptrdiff_t>(pad + width, begin, columns), from = begin - pad;
  for (size_t c = c0; c < c1; c++) {
    const auto* plane = static_cast<const uint8_t*>(x.data) + c * s.in_size();
    uint8_t* to = padded + c * size[0] * size[1] * size[2];
    for (size_t row = 0; row < size[0] * size[1]; row++, to += size[2]) {
      const ptrdiff_t z = static_cast<ptrdiff_t>(row / size[1]) - s.pad[0];
      const ptrdiff_t r = static_cast<ptrdiff_t>(row % size[1]) - s.pad[1];
      if (z < 0 || z >= static_cast<ptrdiff_t>(s.in[0]) || r < 0 || r >= static_cast<ptrdiff_t>(s.in[1])) {
        std::fill_n(to, size[2], zero);
        continue;
      }
      const uint8_t* in = plane + (static_cast<size_t>(z) * s.in[1] + static_cast<size_t>(r)) * s.in[2] + from;
      std::fill_n(to, begin, zero);
      ptrdiff_t i = begin;
      for (; i + 16 <= end; i += 16) store(to + i, wasm_v128_xor(load(in + i - begin), flips));
      for (; i < end; i++) to[i] = in[i - begin] ^ flip;
      std::fill(to + end, to + columns, zero);
    }
  }
}

#if SARDONYX_HAS_QUADS

namespace {

#if defined(__wasm__)
using SumDot = EngineDot;
#else
using SumDot = EmulatedDot<FormX8::unsigned_quads>;
#endif

// Fills a panel: pixels(offset) gives the 8 elements at `offset` from where the windows of its pixels begin.
template <class F>
inline void fill_panel(size_t k, const int32_t* offsets, uint8_t* panel, F pixels) noexcept {
  const V ones = wasm_i8x16_splat(1);
  V low = splat_i32(0), high = low;
  uint8_t* out = panel + 2 * kQuadCols * sizeof(int32_t);
  auto four = [&](V r0, V r1, V r2, V r3) {
    const V a = wasm_i8x16_shuffle(r0, r1, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const V b = wasm_i8x16_shuffle(r2, r3, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const V first = wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    const V second = wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    store(out, first), store(out + 16, second);
    low = SumDot::run(first, ones, low), high = SumDot::run(second, ones, high);
    out += 32;
  };
  size_t i = 0;
#pragma clang loop unroll(disable)
  for (; i + 4 <= k; i += 4) {
    four(pixels(offsets[i]), pixels(offsets[i + 1]), pixels(offsets[i + 2]), pixels(offsets[i + 3]));
  }
  if (i < k) {
    V r[4];
    for (size_t t = 0; t < 4; t++) r[t] = i + t < k ? pixels(offsets[i + t]) : splat_i32(0);
    four(r[0], r[1], r[2], r[3]);
  }
  store(panel, low), store(panel + 16, high);
}

template <size_t STRIDE>
inline V eight(const uint8_t* p) {
  if (STRIDE == 1) return wasm_v128_load64_zero(p);
  const V v = load(p);
  return wasm_i8x16_shuffle(v, v, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
}

// All pixels in a row of the image.
template <size_t STRIDE>
SARDONYX_NOINLINE void fill_from_row(size_t k, const int32_t* offsets, const uint8_t* p, uint8_t* panel) noexcept {
  fill_panel(k, offsets, panel, [p](int32_t at) { return eight<STRIDE>(p + at); });
}

// The pixels from `split` on in the next row, the first of them at q.
template <size_t STRIDE>
SARDONYX_NOINLINE void fill_from_rows(size_t k, const int32_t* offsets, const uint8_t* p, const uint8_t* q,
                                      size_t split, uint8_t* panel) noexcept {
  uint8_t bytes[16] = {};
  std::fill_n(bytes, split, uint8_t{255});
  const V first = load(bytes);
  q -= split * STRIDE;
  fill_panel(k, offsets, panel,
             [=](int32_t at) { return select(first, eight<STRIDE>(p + at), eight<STRIDE>(q + at)); });
}

SARDONYX_NOINLINE void fill_by_pixels(size_t k, const int32_t* offsets, const uint8_t* base, const size_t* at,
                                      uint8_t* panel) noexcept {
  fill_panel(k, offsets, panel, [=](int32_t offset) {
    uint8_t v[16];
    for (size_t j = 0; j < kQuadCols; j++) v[j] = base[at[j] + static_cast<size_t>(offset)];
    return wasm_v128_load64_zero(v);
  });
}

// The panel of `count` pixels from `first` on.
void gather(const ConvShape& s, const int32_t* offsets, const uint8_t* padded, size_t first, size_t count,
            uint8_t* panel) noexcept {
  const size_t height = span_of(s, 1), width = span_of(s, 2), k = depth(s), step = s.stride[2];
  size_t at[kQuadCols], split = kQuadCols, runs = 1;
  for (size_t j = 0; j < kQuadCols; j++) {
    const size_t p = first + std::min(j, count - 1);
    const size_t z = p / s.out[2] / s.out[1], r = p / s.out[2] % s.out[1], c = p % s.out[2];
    at[j] = (z * s.stride[0] * height + r * s.stride[1]) * width + c * step;
    if (j > 0 && j < count && c == 0) {
      runs++;
      if (runs == 2) split = j;
    }
  }
  const uint8_t* p = padded + at[0];
  if (runs == 1 && step == 1) return fill_from_row<1>(k, offsets, p, panel);
  if (runs == 1 && step == 2) return fill_from_row<2>(k, offsets, p, panel);
  const bool within = runs == 2 && at[split] >= split * step;
  if (within && step == 1) return fill_from_rows<1>(k, offsets, p, padded + at[split], split, panel);
  if (within && step == 2) return fill_from_rows<2>(k, offsets, p, padded + at[split], split, panel);
  fill_by_pixels(k, offsets, padded, at, panel);
}

void find_offsets(const ConvShape& s, int32_t* offsets) noexcept {
  const size_t height = span_of(s, 1), width = span_of(s, 2), plane = conv_quads_plane(s);
  for (size_t c = 0; c < s.channels; c++)
    for (size_t z = 0; z < s.kernel[0]; z++)
      for (size_t r = 0; r < s.kernel[1]; r++)
        for (size_t q = 0; q < s.kernel[2]; q++) {
          const size_t row = z * s.dilation[0] * height + r * s.dilation[1];
          *offsets++ = static_cast<int32_t>(c * plane + row * width + q * s.dilation[2]);
        }
}

}  // namespace

void conv_quads_pack_weights(FormX8 form, size_t out_channels, size_t k, const MatrixX8& w, uint8_t* packed) noexcept {
  for (size_t i = 0; i < out_channels; i += kQuadRows, packed += quads_size(k, kQuadRows)) {
    MatrixX8 rows = w;
    rows.data = static_cast<const uint8_t*>(w.data) + i * w.row_stride;
    if (w.zero && w.zero_per_line) rows.zero = w.zero + i;
    quads_pack_strip(form, true, std::min(kQuadRows, out_channels - i), k, rows, packed);
  }
}

void conv_quads_i32(FormX8 form, const ConvShape& s, const uint8_t* packed_w, const uint8_t* padded, const ImageX8& x,
                    const int32_t* bias, int32_t* y, size_t p0, size_t p1, uint8_t* scratch) noexcept {
  auto* offsets = reinterpret_cast<int32_t*>(scratch);
  uint8_t* panels = scratch + table_bytes(s);
  const size_t n = s.out_size(), k = depth(s), size = quads_size(k, kQuadCols), step = conv_quads_block_panels(s);
  const int32_t offset = (x.is_signed ? 0 : 128) - x.zero;
  find_offsets(s, offsets);
  for (size_t block = p0; block < p1; block += step) {
    const size_t end = std::min(p1, block + step);
    for (size_t p = block; p < end; p++) {
      uint8_t* panel = panels + (p - block) * size;
      gather(s, offsets, padded, p * kQuadCols, std::min(kQuadCols, n - p * kQuadCols), panel);
      std::fill_n(reinterpret_cast<int32_t*>(panel) + kQuadCols, kQuadCols, offset);
    }
    for (size_t i = 0; i < s.out_channels; i += kQuadRows) {
      const uint8_t* strip = packed_w + i / kQuadRows * quads_size(k, kQuadRows);
      const size_t rows = std::min(kQuadRows, s.out_channels - i);
      for (size_t p = block; p < end; p++) {
        const size_t column = p * kQuadCols, cols = std::min(kQuadCols, n - column);
        int32_t out[kQuadRows * kQuadCols], *to = y + i * n + column;
        quads_tile_left(form, rows, k, strip, panels + (p - block) * size, bias ? bias + i : nullptr,
                        cols < kQuadCols ? out : to, cols < kQuadCols ? kQuadCols : n);
        for (size_t r = 0; cols < kQuadCols && r < rows; r++) std::copy_n(out + r * kQuadCols, cols, to + r * n);
      }
    }
  }
}

#else

void conv_quads_pack_weights(FormX8, size_t, size_t, const MatrixX8&, uint8_t*) noexcept { __builtin_unreachable(); }
void conv_quads_i32(FormX8, const ConvShape&, const uint8_t*, const uint8_t*, const ImageX8&, const int32_t*, int32_t*,
                    size_t, size_t, uint8_t*) noexcept {
  __builtin_unreachable();
}

#endif

}  // namespace sardonyx::kernels
