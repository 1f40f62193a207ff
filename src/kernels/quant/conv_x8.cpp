// Integer convolution of 8-bit images: panels of 8 pixels gathered as int16 pairs, zero points taken off on the way.
#include "kernels/quant/conv_x8.h"

#include <algorithm>

#include "kernels/quant/bytes.h"
#include "kernels/taps.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kPixels = 8;
constexpr size_t kBlock = size_t{1} << 16;  // int16 elements of panels at once

// Where the 8 pixels of a panel find one tap: offsets in a channel's plane, -1 for padding.
struct TapOffsets {
  int32_t at[kPixels];
  int32_t run;  // 1: all inside and adjacent
};
constexpr size_t kTapElements = sizeof(TapOffsets) / sizeof(int16_t);

struct Image {
  const uint8_t* x;
  size_t plane;
  bool is_signed;
  int32_t zero;
};

size_t padded_k(const ConvShape& s) noexcept { return (s.channels * s.taps() + 1) / 2 * 2; }

void find_taps(const ConvShape& s, size_t first, size_t count, TapOffsets* table) noexcept {
  for (size_t t = 0; t < s.taps(); t++) {
    size_t k[3] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
    bool run = count == kPixels;
    for (size_t j = 0; j < kPixels; j++) {
      size_t p = first + std::min(j, count - 1);
      size_t o[3] = {p / s.out[2] / s.out[1], p / s.out[2] % s.out[1], p % s.out[2]};
      ptrdiff_t at = 0;
      bool inside = j < count;
      for (int i = 0; i < 3; i++) {
        ptrdiff_t q = static_cast<ptrdiff_t>(o[i] * s.stride[i] + k[i] * s.dilation[i]) - s.pad[i];
        inside &= q >= 0 && q < static_cast<ptrdiff_t>(s.in[i]);
        at = at * static_cast<ptrdiff_t>(s.in[i]) + q;
      }
      table[t].at[j] = inside ? static_cast<int32_t>(at) : -1;
      run &= inside && (j == 0 || table[t].at[j] == table[t].at[j - 1] + 1);
    }
    table[t].run = run;
  }
}

inline V load_tap(const Image& im, const TapOffsets& tap, size_t channel) {
  const uint8_t* x = im.x + channel * im.plane;
  if (tap.run)
    return wasm_i16x8_sub(load_bytes(x + tap.at[0], im.is_signed), wasm_i16x8_splat(static_cast<int16_t>(im.zero)));
  int16_t v[kPixels];
  for (size_t j = 0; j < kPixels; j++) {
    v[j] = tap.at[j] < 0 ? int16_t{0} : static_cast<int16_t>(byte_value(x + tap.at[j], im.is_signed) - im.zero);
  }
  return load(v);
}

SARDONYX_NOINLINE void gather(const ConvShape& s, const Image& im, const TapOffsets* table, int16_t* out) noexcept {
  size_t taps = s.taps(), k = s.channels * taps, channel = 0, tap = 0;
  auto next = [&] {
    V v = load_tap(im, table[tap], channel);
    if (++tap == taps) tap = 0, channel++;
    return v;
  };
  for (size_t i = 0; i < k; i += 2, out += 2 * kPixels) {
    V a = next();
    store_pairs(out, a, i + 1 < k ? next() : splat_i32(0));
  }
}

// One output row of a depthwise plane: scalars at its ends, 8 outputs at a time where whole windows lie inside it.
struct Row {
  const ConvShape& s;
  const Image& im;
  const int16_t* w;
  int32_t bias;
  Cell cell;

  int32_t one(size_t o) {
    cell.axis[2] = taps_of(s, 2, o);
    int32_t sum = bias;
    for (size_t kz = cell.axis[0].begin; kz < cell.axis[0].end; kz++) {
      for (size_t ky = cell.axis[1].begin; ky < cell.axis[1].end; ky++) {
        const uint8_t* row = im.x + row_offset(kz, ky);
        for (size_t kx = cell.axis[2].begin; kx < cell.axis[2].end; kx++) {
          const uint8_t* p = row + cell.axis[2].first + (kx - cell.axis[2].begin) * s.dilation[2];
          sum += (byte_value(p, im.is_signed) - im.zero) * w[(kz * s.kernel[1] + ky) * s.kernel[2] + kx];
        }
      }
    }
    return sum;
  }

  void eight(size_t o, int32_t* y) {
    V lo = splat_i32(bias), hi = lo, zero = wasm_i16x8_splat(static_cast<int16_t>(im.zero));
    for (size_t kz = cell.axis[0].begin; kz < cell.axis[0].end; kz++) {
      for (size_t ky = cell.axis[1].begin; ky < cell.axis[1].end; ky++) {
        const uint8_t* row = im.x + row_offset(kz, ky) + (static_cast<ptrdiff_t>(o * s.stride[2]) - s.pad[2]);
        const int16_t* k = w + (kz * s.kernel[1] + ky) * s.kernel[2];
        for (size_t kx = 0; kx < s.kernel[2]; kx++, row += s.dilation[2]) {
          V v = s.stride[2] == 1 ? load_bytes(row, im.is_signed) : load_even_bytes(row, im.is_signed);
          v = wasm_i16x8_sub(v, zero);
          V kv = wasm_i16x8_splat(k[kx]);
          lo = wasm_i32x4_add(lo, wasm_i32x4_extmul_low_i16x8(v, kv));
          hi = wasm_i32x4_add(hi, wasm_i32x4_extmul_high_i16x8(v, kv));
        }
      }
    }
    store(y + o, lo);
    store(y + o + 4, hi);
  }

  size_t row_offset(size_t kz, size_t ky) const {
    size_t z = cell.axis[0].first + (kz - cell.axis[0].begin) * s.dilation[0];
    size_t r = cell.axis[1].first + (ky - cell.axis[1].begin) * s.dilation[1];
    return (z * s.in[1] + r) * s.in[2];
  }
};

SARDONYX_NOINLINE void depthwise_row(Row& row, int32_t* y) noexcept {
  const ConvShape& s = row.s;
  Interior in = s.stride[2] <= 2 ? interior_columns(s) : Interior{0, 0};
  size_t o = 0;
  for (; o < std::min(in.begin, s.out[2]); o++) y[o] = row.one(o);
  for (; o + 8 <= in.end; o += 8) row.eight(o, y);
  for (; o < s.out[2]; o++) y[o] = row.one(o);
}

}  // namespace

size_t conv_x8_block_panels(const ConvShape& s) noexcept {
  return std::max<size_t>(1, kBlock / kPixels / std::max<size_t>(1, padded_k(s)));
}

size_t conv_x8_scratch_size(const ConvShape& s) noexcept {
  size_t panels = std::min((s.out_size() + kPixels - 1) / kPixels, conv_x8_block_panels(s));
  return (s.taps() * kTapElements + 7) / 8 * 8 + panels * kPixels * padded_k(s) + 32;
}

void conv_x8_i32(const ConvShape& s, const int16_t* packed_w, const void* x, bool x_signed, int32_t x_zero,
                 const int32_t* bias, int32_t* y, size_t p0, size_t p1, int16_t* scratch) noexcept {
  Image im{static_cast<const uint8_t*>(x), s.in_size(), x_signed, x_zero};
  auto* table = reinterpret_cast<TapOffsets*>(scratch);
  int16_t* panels = scratch + (s.taps() * kTapElements + 7) / 8 * 8;
  size_t n = s.out_size(), k = s.channels * s.taps(), step = conv_x8_block_panels(s);
  for (size_t block = p0; block < p1; block += step) {
    size_t end = std::min(p1, block + step), first = block * kPixels;
    for (size_t p = block; p < end; p++) {
      find_taps(s, p * kPixels, std::min(kPixels, n - p * kPixels), table);
      gather(s, im, table, panels + (p - block) * kPixels * padded_k(s));
    }
    size_t cols = std::min(n, end * kPixels) - first;
    gemm_x8_i32(s.out_channels, k, cols, 0, s.out_channels, 0, cols, packed_w, panels, bias, y + first, n);
  }
}

void depthwise_x8_i32(const ConvShape& s, const void* x, bool x_signed, int32_t x_zero, const int16_t* w, int32_t bias,
                      int32_t* y) noexcept {
  Image im{static_cast<const uint8_t*>(x), s.in_size(), x_signed, x_zero};
  Row row{s, im, w, bias, {}};
  for (size_t z = 0; z < s.out[0]; z++) {
    row.cell.axis[0] = taps_of(s, 0, z);
    for (size_t r = 0; r < s.out[1]; r++, y += s.out[2]) {
      row.cell.axis[1] = taps_of(s, 1, r);
      depthwise_row(row, y);
    }
  }
}

}  // namespace sardonyx::kernels
