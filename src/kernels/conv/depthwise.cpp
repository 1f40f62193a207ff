// Depthwise convolution of one plane: 3x3 in place with masked edges, 5x5 over padded columns, all others over a padded
// copy.
#include "kernels/conv/depthwise.h"

#include <algorithm>

#include "kernels/conv/padding.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

constexpr size_t kFrontSlack = 16;  // floats before the zero row or the padded copy that may be read

// What a plane's rows end with.
struct Finish {
  V bias, lo, hi;
  const Epilogue& e;
  explicit Finish(const Epilogue& epilogue)
      : bias(splat(epilogue.row_bias ? *epilogue.row_bias : 0)),
        lo(splat(epilogue.lo)),
        hi(splat(epilogue.hi)),
        e(epilogue) {}
  V operator()(V v, const float* y) const { return clamp(e.accumulate ? add(v, load(addend_of(e, y))) : v, lo, hi); }
};

// ---- 3x3, stride 1 or 2 down (SY) and along the row (SX), vectors along the row
// --------------------------------------

// Taps 0, 1, 2 of four outputs; r points at the column of the first tap.
template <size_t S>
inline void taps3(const float* r, V& a, V& b, V& c) {
  if constexpr (S == 1) {
    a = load(r);
    b = load(r + 1);
    c = load(r + 2);
  } else {
    V p = load(r), q = load(r + 4);
    a = wasm_i32x4_shuffle(p, q, 0, 2, 4, 6);
    b = wasm_i32x4_shuffle(p, q, 1, 3, 5, 7);
    c = wasm_i32x4_shuffle(load(r + 2), load(r + 6), 0, 2, 4, 6);
  }
}

// ROWS output rows share the input rows that they load. rows: the input rows, already moved left by the padding.
// The masks clear the padded column in the first lane of the first vector and in the last lane of the last one.
template <size_t SY, size_t SX, size_t ROWS>
inline void rows3x3(const float* const* rows, size_t width, V left, V right, const V* k, float* y, const Finish& f) {
  constexpr size_t kIn = (ROWS - 1) * SY + 3;
  auto four = [&](size_t x, auto mask) __attribute__((always_inline)) {
    V acc[ROWS];
    for (size_t o = 0; o < ROWS; o++) acc[o] = f.bias;
    for (size_t r = 0; r < kIn; r++) {
      V a, b, c;
      taps3<SX>(rows[r] + SX * x, a, b, c);
      mask(a, c);
      for (size_t o = 0; o < ROWS; o++) {
        if (r < o * SY || r - o * SY >= 3) continue;
        const V* kr = k + (r - o * SY) * 3;
        acc[o] = fmadd(c, kr[2], fmadd(b, kr[1], fmadd(a, kr[0], acc[o])));
      }
    }
    for (size_t o = 0; o < ROWS; o++) store(y + o * width + x, clamp(acc[o], f.lo, f.hi));
  };
  auto mask_left = [&](V& a, V&) { a = wasm_v128_and(a, left); };
  auto mask_right = [&](V&, V& c) { c = wasm_v128_and(c, right); };
  auto mask_both = [&](V& a, V& c) {
    mask_left(a, c);
    mask_right(a, c);
  };
  if (width == 4) return four(0, mask_both);
  four(0, mask_left);
#pragma clang loop unroll(disable)
  for (size_t x = 4; x + 4 < width; x += 4) four(x, [](V&, V&) {});
  four(width - 4, mask_right);
}

// y has at least 4 columns and 2 rows; the last vector and the last pair of rows overlap those before them.
template <size_t SY, size_t SX>
SARDONYX_NOINLINE void plane3x3(const ConvShape& s, const float* x, const float* w, float* y, const float* zero,
                                const Finish& f) noexcept {
  size_t height = s.in[1], width = s.in[2], out_h = s.out[1], out_w = s.out[2];
  const V all = splat_i32(-1);
  V left = s.pad[2] ? wasm_i32x4_const(0, -1, -1, -1) : all;
  bool over = SX * (out_w - 1) + 2 - static_cast<size_t>(s.pad[2]) >= width;
  V right = over ? wasm_i32x4_const(-1, -1, -1, 0) : all;
  V k[9];
  for (size_t i = 0; i < 9; i++) k[i] = load_splat(w + i);
  constexpr size_t kIn = SY + 3;
  for (size_t row = 0; row < out_h; row += 2) {
    size_t oy = std::min(row, out_h - 2);
    const float* rows[kIn];
    for (size_t i = 0; i < kIn; i++) {
      ptrdiff_t iy = static_cast<ptrdiff_t>(oy * SY + i) - s.pad[1];
      bool inside = iy >= 0 && iy < static_cast<ptrdiff_t>(height);
      rows[i] = (inside ? x + static_cast<size_t>(iy) * width : zero) - s.pad[2];
    }
    rows3x3<SY, SX, 2>(rows, out_w, left, right, k, y + oy * out_w, f);
  }
}

// Two dimensions, no dilation, strides (1, 1), (2, 2) or (2, 1).
bool is_flat(const ConvShape& s) noexcept {
  return s.in[0] == 1 && s.kernel[0] == 1 && s.out[0] == 1 && s.pad[0] == 0 && s.dilation[1] == 1 &&
         s.dilation[2] == 1 && s.stride[2] >= 1 && s.stride[2] <= s.stride[1] && s.stride[1] <= 2;
}

// One padded column at most on either side.
bool is_masked3x3(const ConvShape& s) noexcept {
  if (!is_flat(s) || s.kernel[1] != 3 || s.kernel[2] != 3 || s.out[1] < 2 || s.out[2] < 4) return false;
  if (s.pad[2] < 0 || s.pad[2] > 1) return false;
  return s.stride[2] * (s.out[2] - 1) + 2 <= s.in[2] + static_cast<size_t>(s.pad[2]);
}

// ---- K x K over a copy with padded columns --------------------------------------------------------------------------

// Input rows as a plane reads them: `first` is the one before the first padded row was added, pitch floats apart.
struct Rows {
  const float* first;
  size_t pitch, height;
};

// K x K: ROWS (1 or 2) rows of 4 * NV outputs, which share the elements that they load. Of the rows of input that they
// reach, those from `begin` to `end` exist; p is where the first of all would lie. The loops stay loops: unrolled,
// their sums do not fit into the registers.
template <size_t K, size_t SY, size_t SX, size_t ROWS, size_t NV>
inline void block_kxk(const float* p, size_t pitch, size_t begin, size_t end, size_t width, size_t x, const float* w,
                      float* y, const Finish& f) {
  V acc[ROWS][NV];
  for (size_t o = 0; o < ROWS; o++)
    for (size_t j = 0; j < NV; j++) acc[o][j] = f.bias;
  // Rows of input [from, to), which outputs [FIRST, LAST] take.
  auto rows = [&]<size_t FIRST, size_t LAST>(size_t from, size_t to) __attribute__((always_inline)) {
    to = std::min(to, end);
#pragma clang loop unroll(disable)
    for (size_t r = std::max(from, begin); r < to; r++) {
      const float* q = p + r * pitch + SX * x;
      const float* k = w + r * K;
#pragma clang loop unroll(disable)
      for (size_t kx = 0; kx < K; kx++, q++, k++) {
        V v[NV];
        for (size_t j = 0; j < NV; j++) {
          const float* at = q + SX * 4 * j;
          v[j] = SX == 1 ? load(at) : wasm_i32x4_shuffle(load(at), load(at + 4), 0, 2, 4, 6);
        }
        for (size_t o = FIRST; o <= LAST; o++) {
          V weight = load_splat(k - o * SY * K);
          for (size_t j = 0; j < NV; j++) acc[o][j] = fmadd(v[j], weight, acc[o][j]);
        }
      }
    }
  };
  if constexpr (ROWS == 1) {
    rows.template operator()<0, 0>(0, K);
  } else {
    rows.template operator()<0, 0>(0, SY);
    rows.template operator()<0, 1>(SY, K);
    rows.template operator()<1, 1>(K, K + SY);
  }
  for (size_t o = 0; o < ROWS; o++) {
    for (size_t j = 0; j < NV && x + 4 * j < width; j++) {
      float* out = y + o * width + x + 4 * j;
      store_lanes(out, f(acc[o][j], out), width - x - 4 * j);
    }
  }
}

// ROWS output rows from `row` on. Four accumulators alone would leave the latency of the adds open.
template <size_t K, size_t SY, size_t SX, size_t ROWS>
inline void rows_kxk(const ConvShape& s, const Rows& in, size_t row, const float* w, float* y, const Finish& f) {
  const ptrdiff_t top = static_cast<ptrdiff_t>(row * SY) - s.pad[1], height = static_cast<ptrdiff_t>(in.height);
  const auto begin = static_cast<size_t>(std::max<ptrdiff_t>(0, -top));
  const auto end = static_cast<size_t>(std::max<ptrdiff_t>(0, height - top));
  const float* p = in.first + top * static_cast<ptrdiff_t>(in.pitch);
  const size_t width = s.out[2];
  size_t x = 0;
  y += row * width;
  if constexpr (K > 3 && ROWS > 1) {
    // Three vectors alone take longer than sixteen columns, some of them again.
    const bool again = width > 16 && !f.e.accumulate;
#pragma clang loop unroll(disable)
    for (; x + (again && x > 0 ? 8 : 12) < width; x += 16) {
      const size_t from = again ? std::min(x, width - 16) : x;
      block_kxk<K, SY, SX, ROWS, 4>(p, in.pitch, begin, end, width, from, w, y, f);
    }
#pragma clang loop unroll(disable)
    for (; x + 4 < width; x += 8) block_kxk<K, SY, SX, ROWS, 2>(p, in.pitch, begin, end, width, x, w, y, f);
  }
#pragma clang loop unroll(disable)
  for (; x < width; x += 4) block_kxk<K, SY, SX, ROWS, 1>(p, in.pitch, begin, end, width, x, w, y, f);
}

template <size_t K, size_t SY, size_t SX>
SARDONYX_NOINLINE void plane_kxk(const ConvShape& s, const Rows& in, const float* w, float* y,
                                 const Finish& f) noexcept {
  const size_t rows = s.out[1];
  size_t row = 0;
  for (; row + 2 <= rows; row += 2) rows_kxk<K, SY, SX, 2>(s, in, row, w, y, f);
  if (row == rows) return;
  // The last row of an odd number; what is added may lie in y itself, so that no row is done twice then.
  if (rows > 1 && !f.e.accumulate) return rows_kxk<K, SY, SX, 2>(s, in, rows - 2, w, y, f);
  rows_kxk<K, SY, SX, 1>(s, in, row, w, y, f);
}

template <size_t K>
void plane_flat(const ConvShape& s, const float* x, const float* w, float* y, float* scratch,
                const Finish& f) noexcept {
  Rows in{x, s.in[2], s.in[1]};
  const size_t reach = window_reach(s, 2);
  if (s.pad[2] != 0 || reach > s.in[2]) {
    Window columns = s;
    columns.pad[1] = 0;
    const size_t size[3] = {1, s.in[1], reach};
    pad_volume(columns, size, x, scratch + kFrontSlack);
    in = {scratch + kFrontSlack, reach, s.in[1]};
  }
  auto* plane = s.stride[1] == 1 ? plane_kxk<K, 1, 1> : s.stride[2] == 1 ? plane_kxk<K, 2, 1> : plane_kxk<K, 2, 2>;
  plane(s, in, w, y, f);
}

// ---- any window over a padded copy ---------------------------------------------------------------------------------

inline V load_strided(const float* p, size_t stride) {
  if (stride == 1) return load(p);
  return wasm_f32x4_make(p[0], p[stride], p[2 * stride], p[3 * stride]);
}

// One output row of any window; size: of the padded copy.
SARDONYX_NOINLINE void row_any(const ConvShape& s, const size_t* size, const float* p, const float* w, float* y,
                               const Finish& f) noexcept {
  size_t width = s.out[2], stride = s.stride[2];
  for (size_t x = 0; x < width; x += 4) {
    size_t lanes = std::min<size_t>(4, width - x);
    V acc = f.bias;
    const float* k = w;
    for (size_t kz = 0; kz < s.kernel[0]; kz++) {
      for (size_t ky = 0; ky < s.kernel[1]; ky++) {
        const float* q = p + (kz * s.dilation[0] * size[1] + ky * s.dilation[1]) * size[2] + x * stride;
        for (size_t kx = 0; kx < s.kernel[2]; kx++, q += s.dilation[2], k++) {
          V v;
          if (lanes == 4 || stride == 1) {
            v = load_strided(q, stride);
          } else {
            v = wasm_f32x4_make(q[0], lanes > 1 ? q[stride] : 0, lanes > 2 ? q[2 * stride] : 0, 0);
          }
          acc = fmadd(v, load_splat(k), acc);
        }
      }
    }
    store_lanes(y + x, f(acc, y + x), lanes);
  }
}

SARDONYX_NOINLINE void plane_any(const ConvShape& s, const size_t* size, const float* p, const float* w, float* y,
                                 const Finish& f) noexcept {
  for (size_t z = 0; z < s.out[0]; z++) {
    for (size_t row = 0; row < s.out[1]; row++) {
      const float* q = p + (z * s.stride[0] * size[1] + row * s.stride[1]) * size[2];
      row_any(s, size, q, w, y + (z * s.out[1] + row) * s.out[2], f);
    }
  }
}

void plane(const ConvShape& s, const float* x, const float* w, float* y, float* scratch,
           const Epilogue& epilogue) noexcept {
  Finish f(epilogue);
  if (is_masked3x3(s) && !epilogue.accumulate) {
    std::fill_n(scratch, kFrontSlack + s.in[2] + kPadSlack, 0.0f);
    auto* masked = s.stride[1] == 1 ? plane3x3<1, 1> : s.stride[2] == 1 ? plane3x3<2, 1> : plane3x3<2, 2>;
    return masked(s, x, w, y, scratch + kFrontSlack, f);
  }
  if (is_flat(s) && s.kernel[1] == s.kernel[2]) {
    if (s.kernel[1] == 3) return plane_flat<3>(s, x, w, y, scratch, f);
    if (s.kernel[1] == 5) return plane_flat<5>(s, x, w, y, scratch, f);
  }
  const size_t size[3] = {window_reach(s, 0), window_reach(s, 1), window_reach(s, 2)};
  float* p = scratch + kFrontSlack;
  pad_volume(s, size, x, p);
  plane_any(s, size, p, w, y, f);
}

}  // namespace

size_t depthwise_scratch_size(const ConvShape& s) noexcept {
  size_t copy = window_reach(s, 0) * std::max(window_reach(s, 1), s.in[1]) * window_reach(s, 2);
  return kFrontSlack + std::max(copy, s.in[2]) + 2 * kPadSlack;
}

void depthwise_plane_f32(const ConvShape& s, const float* x, const float* w, float* y, float* scratch,
                         const Epilogue& epilogue) noexcept {
  plane(s, x, w, y, scratch, epilogue);
  activate(epilogue, y, s.out_size(), 1, s.out_size());
}

}  // namespace sardonyx::kernels
