// Transposed convolution: columns = W^T x per chunk of output channels, added where each tap falls.
#include "kernels/conv/conv_transpose.h"

#include <algorithm>

#include "kernels/gemm/gemm_f32.h"
#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kChunkRows = 64;                 // rows (channel, tap) of one product
constexpr size_t kBlockFloats = size_t{1} << 16;  // of columns at once

size_t chunk_channels(const ConvShape& s) noexcept {
  return std::min(std::max<size_t>(1, s.out_channels), std::max<size_t>(1, kChunkRows / std::max<size_t>(1, s.taps())));
}

size_t chunk_floats(const ConvShape& s) noexcept {
  return gemm_packed_a_size(chunk_channels(s) * s.taps(), s.channels);
}

size_t block_pixels(const ConvShape& s) noexcept {
  size_t rows = std::max<size_t>(1, chunk_channels(s) * s.taps());
  return std::min(s.in_size(), std::max<size_t>(64, kBlockFloats / rows & ~(kPanel - 1)));
}

// i * stride + shift in [0, out): the range of i in [begin, end), empty as {begin, begin}.
struct Range {
  size_t begin, end;
};

Range valid(size_t begin, size_t end, size_t stride, ptrdiff_t shift, size_t out) noexcept {
  ptrdiff_t s = static_cast<ptrdiff_t>(stride), last = static_cast<ptrdiff_t>(out) - 1 - shift;
  if (last < 0) return {begin, begin};
  size_t lo = shift < 0 ? static_cast<size_t>((-shift + s - 1) / s) : 0;
  lo = std::max(begin, lo);
  size_t hi = std::min(end, static_cast<size_t>(last / s) + 1);
  return {lo, std::max(lo, hi)};
}

SARDONYX_NOINLINE void add_run(const float* col, float* y, size_t n, size_t stride) noexcept {
  size_t i = 0;
  if (stride == 1) {
    for (; i + 4 <= n; i += 4) store(y + i, add(load(y + i), load(col + i)));
  }
  for (; i < n; i++) y[i * stride] += col[i];
}

ptrdiff_t tap_shift(const ConvShape& s, int axis, size_t tap) noexcept {
  return static_cast<ptrdiff_t>(tap * s.dilation[axis]) - s.pad[axis];
}

// Adds one row of columns (pixels [n0, n1) of the input, one tap) into the plane y.
void scatter_row(const ConvShape& s, const size_t tap[3], const float* col, size_t n0, size_t n1, float* y) noexcept {
  ptrdiff_t shift[3] = {tap_shift(s, 0, tap[0]), tap_shift(s, 1, tap[1]), tap_shift(s, 2, tap[2])};
  for (size_t n = n0; n < n1;) {
    size_t row = n / s.in[2], x0 = n % s.in[2], x1 = std::min(s.in[2], x0 + (n1 - n));
    ptrdiff_t oz = static_cast<ptrdiff_t>(row / s.in[1] * s.stride[0]) + shift[0];
    ptrdiff_t oy = static_cast<ptrdiff_t>(row % s.in[1] * s.stride[1]) + shift[1];
    if (oz >= 0 && oz < static_cast<ptrdiff_t>(s.out[0]) && oy >= 0 && oy < static_cast<ptrdiff_t>(s.out[1])) {
      Range r = valid(x0, x1, s.stride[2], shift[2], s.out[2]);
      size_t line = (static_cast<size_t>(oz) * s.out[1] + static_cast<size_t>(oy)) * s.out[2];
      if (r.begin < r.end) {
        size_t ox = static_cast<size_t>(static_cast<ptrdiff_t>(r.begin * s.stride[2]) + shift[2]);
        add_run(col + (n - n0) + (r.begin - x0), y + line + ox, r.end - r.begin, s.stride[2]);
      }
    }
    n += x1 - x0;
  }
}

void scatter(const ConvShape& s, size_t count, const float* cols, size_t n0, size_t n1, float* y) noexcept {
  for (size_t m = 0; m < count; m++, y += s.out_size()) {
    for (size_t t = 0; t < s.taps(); t++, cols += n1 - n0) {
      size_t tap[3] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
      scatter_row(s, tap, cols, n0, n1, y);
    }
  }
}

SARDONYX_NOINLINE void clamp_span(float* y, size_t n, float lo, float hi) noexcept {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) store(y + i, clamp(load(y + i), splat(lo), splat(hi)));
  for (; i < n; i++) {
    float v = y[i] < lo ? lo : y[i];
    y[i] = v > hi ? hi : v;
  }
}

}  // namespace

size_t conv_transpose_chunks(const ConvShape& s) noexcept {
  return (s.out_channels + chunk_channels(s) - 1) / chunk_channels(s);
}

size_t conv_transpose_weights_size(const ConvShape& s) noexcept { return conv_transpose_chunks(s) * chunk_floats(s); }

void conv_transpose_pack_weights(const ConvShape& s, const float* w, float* packed) noexcept {
  size_t per = chunk_channels(s), taps = s.taps(), stride = s.out_channels * taps;
  for (size_t m = 0; m < s.out_channels; m += per, packed += chunk_floats(s)) {
    size_t rows = std::min(per, s.out_channels - m) * taps;
    gemm_pack_a_f32(rows, s.channels, {w + m * taps, 1, stride}, 1, packed);
  }
}

size_t conv_transpose_scratch_size(const ConvShape& s) noexcept {
  size_t n = block_pixels(s);
  return chunk_channels(s) * s.taps() * n + kPackSlack + gemm_scratch_size(s.channels, n);
}

void conv_transpose_f32(const ConvShape& s, const float* packed_w, const float* x, float* y, size_t q0, size_t q1,
                        float* scratch, const Epilogue& e) noexcept {
  size_t per = chunk_channels(s), taps = s.taps(), n = s.in_size(), step = block_pixels(s);
  float* gemm_scratch = scratch + per * taps * step + kPackSlack;
  for (size_t q = q0; q < q1; q++) {
    size_t m = q * per, count = std::min(per, s.out_channels - m);
    float* planes = y + m * s.out_size();
    for (size_t i = 0; i < count && !(e.accumulate && !e.row_bias); i++) {
      float bias = e.row_bias ? e.row_bias[m + i] : 0;
      float* plane = planes + i * s.out_size();
      for (size_t j = 0; j < s.out_size(); j++) plane[j] = (e.accumulate ? plane[j] : 0) + bias;
    }
    for (size_t n0 = 0; n0 < n; n0 += step) {
      size_t n1 = std::min(n, n0 + step);
      gemm_f32(count * taps, s.channels, n1 - n0, packed_w + q * chunk_floats(s), {{x + n0, n, 1}}, scratch, n1 - n0,
               gemm_scratch);
      scatter(s, count, scratch, n0, n1, planes);
    }
    if (e.lo > -std::numeric_limits<float>::infinity() || e.hi < std::numeric_limits<float>::infinity()) {
      clamp_span(planes, count * s.out_size(), e.lo, e.hi);
    }
  }
}

}  // namespace sardonyx::kernels
