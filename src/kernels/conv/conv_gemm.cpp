// Implicit GEMM: panels of 8 output pixels are gathered from the padded input and multiplied by the packed weights.
#include "kernels/conv/conv_gemm.h"

#include <algorithm>

#include "kernels/conv/padding.h"
#include "kernels/gemm/tiles.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kBlockFloats = size_t{1} << 16;  // of gathered panels at once

// The source that pixels are gathered from: the padded copy or x itself.
struct Source {
  size_t size[3];
  size_t plane() const { return size[0] * size[1] * size[2]; }
};

bool needs_copy(const ConvShape& s) noexcept {
  for (int i = 0; i < 3; i++) {
    if (s.pad[i] != 0 || window_reach(s, i) > s.in[i]) return true;
  }
  return false;
}

Source source_of(const ConvShape& s) noexcept {
  bool copy = needs_copy(s);
  Source out;
  for (int i = 0; i < 3; i++) out.size[i] = copy ? window_reach(s, i) : s.in[i];
  return out;
}

// Eight output pixels: their offsets in a source plane. They form one or two runs of equal steps in almost all layers.
struct Panel {
  size_t offset[kPanel];
  size_t first_run;  // pixels in the first run
  bool two_runs;     // the rest is one run too
};

Panel panel_of(const ConvShape& s, const Source& src, size_t first, size_t count) noexcept {
  Panel p;
  const size_t row = first / s.out[2], step = s.stride[2];
  size_t x = first % s.out[2], y = row % s.out[1], z = row / s.out[1];
  size_t breaks = 0;
  p.first_run = kPanel;
  for (size_t j = 0; j < kPanel; j++) {
    p.offset[j] = ((z * s.stride[0]) * src.size[1] + y * s.stride[1]) * src.size[2] + x * step;
    if (j > 0 && p.offset[j] != p.offset[j - 1] + step && breaks++ == 0) p.first_run = j;
    if (j + 1 >= count || ++x < s.out[2]) continue;
    x = 0;
    if (++y == s.out[1]) y = 0, z++;
  }
  p.two_runs = breaks <= 1;
  return p;
}

// Four pixels of a run with step S.
template <size_t S>
inline V load_run(const float* p) {
  if constexpr (S == 1) return load(p);
  return wasm_i32x4_shuffle(load(p), load(p + 4), 0, 2, 4, 6);
}

// channels x taps of a panel that lies in one run (SPLIT: in two, the second begins at lane first_run).
template <size_t S, bool SPLIT>
SARDONYX_NOINLINE void gather_runs(const ConvShape& s, const Source& src, const Panel& p, const float* x,
                                   float* out) noexcept {
  alignas(16) static constexpr int32_t kMask[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  V m0 = load(kMask + 8 - p.first_run), m1 = load(kMask + 12 - p.first_run);
  // Lane first_run of the second load is its first pixel; the lanes before it read the slack and are masked away.
  ptrdiff_t second =
      SPLIT ? static_cast<ptrdiff_t>(p.offset[p.first_run] - p.offset[0]) - static_cast<ptrdiff_t>(p.first_run * S) : 0;
  x += p.offset[0];
  for (size_t c = 0; c < s.channels; c++, x += src.plane()) {
    for (size_t kz = 0; kz < s.kernel[0]; kz++) {
      for (size_t ky = 0; ky < s.kernel[1]; ky++) {
        const float* q = x + (kz * s.dilation[0] * src.size[1] + ky * s.dilation[1]) * src.size[2];
        for (size_t kx = 0; kx < s.kernel[2]; kx++, q += s.dilation[2], out += kPanel) {
          V a = load_run<S>(q), b = load_run<S>(q + 4 * S);
          if constexpr (SPLIT) {
            a = select(m0, a, load_run<S>(q + second));
            b = select(m1, b, load_run<S>(q + second + 4 * S));
          }
          store(out, a);
          store(out + 4, b);
        }
      }
    }
  }
}

// Kernels that are one row of at least 4 taps without dilation, any step between the pixels: their taps lie together.
SARDONYX_NOINLINE void gather_rows(const ConvShape& s, const Source& src, const Panel& p, const float* x,
                                   float* out) noexcept {
  const size_t taps = s.kernel[2];
  for (size_t c = 0; c < s.channels; c++, x += src.plane()) {
    const float* q[kPanel];
    for (size_t j = 0; j < kPanel; j++) q[j] = x + p.offset[j];
    size_t t = 0;
    for (; t + 4 <= taps; t += 4, out += 4 * kPanel) {
      for (size_t half = 0; half < 2; half++) {
        V a = load(q[4 * half] + t), b = load(q[4 * half + 1] + t), c0 = load(q[4 * half + 2] + t),
          d = load(q[4 * half + 3] + t);
        transpose4(a, b, c0, d);
        float* to = out + 4 * half;
        store(to, a);
        store(to + kPanel, b);
        store(to + 2 * kPanel, c0);
        store(to + 3 * kPanel, d);
      }
    }
    for (; t < taps; t++, out += kPanel)
      for (size_t j = 0; j < kPanel; j++) out[j] = q[j][t];
  }
}

SARDONYX_NOINLINE void gather_any(const ConvShape& s, const Source& src, const Panel& p, const float* x,
                                  float* out) noexcept {
  for (size_t c = 0; c < s.channels; c++, x += src.plane()) {
    for (size_t kz = 0; kz < s.kernel[0]; kz++) {
      for (size_t ky = 0; ky < s.kernel[1]; ky++) {
        const float* q = x + (kz * s.dilation[0] * src.size[1] + ky * s.dilation[1]) * src.size[2];
        for (size_t kx = 0; kx < s.kernel[2]; kx++, q += s.dilation[2], out += kPanel) {
          for (size_t j = 0; j < kPanel; j++) out[j] = q[p.offset[j]];
        }
      }
    }
  }
}

// The vector paths read whole runs of 8 steps, up to 15 floats beyond the last pixel that counts.
void gather(const ConvShape& s, const Source& src, size_t first, size_t count, const float* x, float* out) noexcept {
  Panel p = panel_of(s, src, first, count);
  size_t step = s.stride[2];
  if (step > 2 && s.kernel[0] == 1 && s.kernel[1] == 1 && s.kernel[2] >= 4 && s.dilation[2] == 1)
    return gather_rows(s, src, p, x, out);
  if (count < kPanel || step > 2 || !p.two_runs) return gather_any(s, src, p, x, out);
  if (p.first_run == kPanel) return (step == 1 ? gather_runs<1, false> : gather_runs<2, false>)(s, src, p, x, out);
  (step == 1 ? gather_runs<1, true> : gather_runs<2, true>)(s, src, p, x, out);
}

}  // namespace

bool conv_is_1x1(const ConvShape& s) noexcept {
  for (int i = 0; i < 3; i++) {
    if (s.kernel[i] != 1 || s.stride[i] != 1 || s.pad[i] != 0 || s.out[i] != s.in[i]) return false;
  }
  return true;
}

void conv1x1_f32(const ConvShape& s, const float* packed_w, const float* x, float* y, size_t n0, size_t n1,
                 float* scratch, const Epilogue& epilogue) noexcept {
  size_t n = s.in_size();
  Epilogue e = epilogue;
  e.col_bias = nullptr;
  gemm_f32_block(s.out_channels, s.channels, n, 0, s.out_channels, n0, n1, packed_w, {{x, n, 1}}, y, n, scratch, e);
}

size_t conv_padded_size(const ConvShape& s) noexcept {
  return needs_copy(s) ? source_of(s).plane() * s.channels + kPadSlack : 0;
}

void conv_pad_f32(const ConvShape& s, const float* x, float* padded, size_t c0, size_t c1) noexcept {
  Source src = source_of(s);
  for (size_t c = c0; c < c1; c++) pad_volume(s, src.size, x + c * s.in_size(), padded + c * src.plane());
}

size_t conv_panels(const ConvShape& s) noexcept { return (s.out_size() + kPanel - 1) / kPanel; }

size_t conv_block_panels(const ConvShape& s) noexcept {
  return std::max<size_t>(1, kBlockFloats / kPanel / std::max<size_t>(1, s.channels * s.taps()));
}

size_t conv_gemm_scratch_size(const ConvShape& s) noexcept {
  return std::min(conv_panels(s), conv_block_panels(s)) * kPanel * s.channels * s.taps() + kPackSlack;
}

void conv_gather_f32(const ConvShape& s, const float* source, size_t p0, size_t p1, float* panels) noexcept {
  const Source src = source_of(s);
  const size_t n = s.out_size(), size = kPanel * s.channels * s.taps();
  for (size_t p = p0; p < p1; p++, panels += size) {
    gather(s, src, p * kPanel, std::min(kPanel, n - p * kPanel), source, panels);
  }
}

void conv_gemm_f32(const ConvShape& s, const float* packed_w, const float* source, float* y, size_t p0, size_t p1,
                   float* scratch, const Epilogue& epilogue) noexcept {
  size_t n = s.out_size(), k = s.channels * s.taps(), step = conv_block_panels(s);
  Epilogue e = epilogue;
  e.col_bias = nullptr;
  for (size_t block = p0; block < p1; block += step) {
    size_t end = std::min(p1, block + step), first = block * kPanel;
    conv_gather_f32(s, source, block, end, scratch);
    gemm_f32(s.out_channels, k, std::min(n, end * kPanel) - first, packed_w, {{scratch, kPanel, 1}, true}, y + first, n,
             nullptr, e);
  }
}

}  // namespace sardonyx::kernels
