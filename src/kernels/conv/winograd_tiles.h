// Transforms of Winograd's algorithm on tiles of 6 x 6, four tiles side by side in the lanes; internal to
// kernels/conv/.
#pragma once

#include <algorithm>

#include "kernels/epilogue.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {

constexpr size_t kTile = 6, kPoints = kTile * kTile;
constexpr float kA = 0.70710678118654752f, kB = 1.41421356237309505f;

// Four tiles whose transforms share vectors. Lanes past the last tile repeat it and write nothing (rows = 0).
struct TileGroup {
  size_t in[4];             // offset in the padded plane
  size_t out[4];            // offset in the output plane
  size_t rows[4], cols[4];  // elements that lie in the output
  bool full;
};

// B^T d
inline void transform_input(const V* d, V* o) {
  V t1 = fnmadd(splat(2), d[2], d[4]), u1 = mul(splat(kA), fnmadd(splat(2), d[1], d[3]));
  V t2 = fnmadd(splat(.5f), d[2], d[4]), u2 = mul(splat(kB), fnmadd(splat(.5f), d[1], d[3]));
  o[0] = add(fnmadd(splat(2.5f), d[2], d[0]), d[4]);
  o[1] = add(t1, u1);
  o[2] = sub(t1, u1);
  o[3] = add(t2, u2);
  o[4] = sub(t2, u2);
  o[5] = add(fnmadd(splat(2.5f), d[3], d[1]), d[5]);
}

// A^T e for M outputs: row i has the points' i-th powers, the last one the point at infinity too.
template <size_t M>
inline void transform_output(const V* e, V* o) {
  V p = add(e[1], e[2]), q = sub(e[1], e[2]), r = add(e[3], e[4]), s = sub(e[3], e[4]);
  o[0] = add(add(e[0], p), r);
  o[1] = fmadd(splat(kB), s, mul(splat(kA), q));
  if constexpr (M > 2) o[2] = fmadd(splat(2), r, mul(splat(.5f), p));
  if constexpr (M > 3) o[3] = fmadd(splat(2 * kB), s, mul(splat(.5f * kA), q));
  o[M - 1] = add(o[M - 1], e[5]);
}

// One channel of four tiles: point i goes to d + i * stride.
SARDONYX_NOINLINE inline void input_tiles(const float* p, size_t width, const size_t* offset, float* d,
                                          size_t stride) noexcept {
  V tmp[kTile][kTile];
#pragma clang loop unroll(disable)
  for (size_t r = 0; r < kTile; r++, p += width) {
    V x[kTile];
    for (int i = 0; i < 4; i++) x[i] = load(p + offset[i]);
    transpose4(x[0], x[1], x[2], x[3]);
    V e = wasm_v128_load64_lane(p + offset[1] + 4, wasm_v128_load64_zero(p + offset[0] + 4), 1);
    V f = wasm_v128_load64_lane(p + offset[3] + 4, wasm_v128_load64_zero(p + offset[2] + 4), 1);
    x[4] = wasm_i32x4_shuffle(e, f, 0, 2, 4, 6);
    x[5] = wasm_i32x4_shuffle(e, f, 1, 3, 5, 7);
    transform_input(x, tmp[r]);
  }
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < kTile; c++) {
    V x[kTile], o[kTile];
    for (size_t r = 0; r < kTile; r++) x[r] = tmp[r][c];
    transform_input(x, o);
    for (size_t r = 0; r < kTile; r++) store(d + (r * kTile + c) * stride, o[r]);
  }
}

// What an output row of a tile ends with, but for the activation.
inline V finish(V v, const float* y, const Epilogue& e) {
  if (e.accumulate) v = add(v, load(addend_of(e, y)));
  return clamp(v, splat(e.lo), splat(e.hi));
}

// Row r of four tiles whose columns lie `step` apart in y.
SARDONYX_NOINLINE inline void output_apart(const V* o, const TileGroup& g, size_t r, float* y, size_t step,
                                           const Epilogue& e) noexcept {
  alignas(16) float lanes[16];
  const auto each = [&](auto f) {
    for (size_t i = 0; i < 4; i++) {
      for (size_t j = 0; r < g.rows[i] && j < g.cols[i]; j++) f(lanes[i * 4 + j], y + g.out[i] + j * step);
    }
  };
  for (size_t i = 0; i < 4; i++) store(lanes + i * 4, o[i]);
  if (e.accumulate) each([&](float& v, const float* out) { v += *addend_of(e, out); });
  for (size_t i = 0; i < 16; i += 4) store(lanes + i, clamp(load(lanes + i), splat(e.lo), splat(e.hi)));
  if (e.activation) e.activation(lanes, lanes, 16, e.alpha, e.beta);
  each([](float v, float* out) { *out = v; });
}

// One output channel of four tiles of M x M; point i comes from p + i * stride. y: rows are `width` apart, columns
// `step`.
template <size_t M>
SARDONYX_NOINLINE void output_tiles(const float* p, size_t stride, const TileGroup& g, float* y, size_t width,
                                    size_t step, float bias, const Epilogue& e) noexcept {
  V tmp[M][kTile];
#pragma clang loop unroll(disable)
  for (size_t c = 0; c < kTile; c++) {
    V x[kTile], o[M];
    for (size_t r = 0; r < kTile; r++) x[r] = load(p + (r * kTile + c) * stride);
    transform_output<M>(x, o);
    for (size_t r = 0; r < M; r++) tmp[r][c] = o[r];
  }
  V b = splat(bias), lo = splat(e.lo), hi = splat(e.hi);
#pragma clang loop unroll(disable)
  for (size_t r = 0; r < M; r++) {
    V o[4] = {b, b, b, b};
    transform_output<M>(tmp[r], o);
    for (size_t i = 0; i < M; i++) o[i] = add(o[i], b);
    transpose4(o[0], o[1], o[2], o[3]);
    if (step != 1) {
      output_apart(o, g, r, y + r * width, step, e);
      continue;
    }
    if (g.full && !e.activation) {
      for (size_t i = 0; i < 4; i++) {
        float* out = y + g.out[i] + r * width;
        V v = e.accumulate ? add(o[i], load(addend_of(e, out))) : o[i];
        store_lanes(out, clamp(v, lo, hi), M);
      }
      continue;
    }
    for (size_t i = 0; i < 4; i++) {
      if (r < g.rows[i]) o[i] = finish(o[i], y + g.out[i] + r * width, e);
    }
    if (e.activation) {  // of 16 elements at once
      alignas(16) float lanes[16];
      for (size_t i = 0; i < 4; i++) store(lanes + i * 4, o[i]);
      e.activation(lanes, lanes, 16, e.alpha, e.beta);
      for (size_t i = 0; i < 4; i++) o[i] = load(lanes + i * 4);
    }
    for (size_t i = 0; i < 4; i++) {
      if (r < g.rows[i]) store_lanes(y + g.out[i] + r * width, o[i], g.cols[i]);
    }
  }
}

}  // namespace sardonyx::kernels
