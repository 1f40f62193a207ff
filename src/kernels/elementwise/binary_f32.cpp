// Elementwise float32 operations on two operands.
#include "kernels/elementwise/binary_f32.h"

#include <cmath>

#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

// Reads up to 12 bytes beyond an operand of stride 1.
template <class F>
inline void map2(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n, F f) {
  if (n == 0) return;
  V ca = load_splat(a), cb = load_splat(b);
  auto run = [&](auto left, auto right) __attribute__((always_inline)) {
    size_t i = 0;
#pragma clang loop unroll(disable)
    for (; i + 4 <= n; i += 4) store(y + i, f(left(i), right(i)));
    if (i < n) store_lanes(y + i, f(left(i), right(i)), n - i);
  };
  auto left = [&](size_t i) { return load(a + i); };
  auto right = [&](size_t i) { return load(b + i); };
  if (sa && sb) return run(left, right);
  if (sa) return run(left, [&](size_t) { return cb; });
  if (sb) return run([&](size_t) { return ca; }, right);
  run([&](size_t) { return ca; }, [&](size_t) { return cb; });
}

// Rows or columns shorter than this are not worth a call each.
constexpr size_t kShort = 8;

bool pow_by_constant(const float* a, float exponent, float* y, size_t n) noexcept {
  const float one = 1, half = 0.5f;
  if (exponent == 1) return mul_f32(a, 1, &one, 0, y, n), true;
  if (exponent == 2) return mul_f32(a, 1, a, 1, y, n), true;
  if (exponent == -1) return div_f32(&one, 0, a, 1, y, n), true;
  if (exponent == 3) {
    map2(a, 1, &half, 0, y, n, [](V v, V) { return mul(mul(v, v), v); });
    return true;
  }
  // pow(-0, 0.5) is +0 and pow(-inf, 0.5) is +inf, unlike the square root.
  auto root = [](V v) {
    V r = wasm_f32x4_sqrt(add(v, splat(0)));
    return select(wasm_f32x4_eq(v, splat(-__builtin_inff())), splat(__builtin_inff()), r);
  };
  if (exponent == 0.5f) {
    map2(a, 1, &half, 0, y, n, [root](V v, V) { return root(v); });
    return true;
  }
  return false;
}

}  // namespace

void add_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  map2(a, sa, b, sb, y, n, [](V p, V q) { return add(p, q); });
}
void sub_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  map2(a, sa, b, sb, y, n, [](V p, V q) { return sub(p, q); });
}
void mul_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  map2(a, sa, b, sb, y, n, [](V p, V q) { return mul(p, q); });
}
void div_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  map2(a, sa, b, sb, y, n, [](V p, V q) { return div(p, q); });
}
void min_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  map2(a, sa, b, sb, y, n, [](V p, V q) { return wasm_f32x4_min(p, q); });
}
void max_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  map2(a, sa, b, sb, y, n, [](V p, V q) { return wasm_f32x4_max(p, q); });
}
void prelu_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  map2(a, sa, b, sb, y, n, [](V p, V q) { return select(wasm_f32x4_lt(p, splat(0)), mul(p, q), p); });
}

void pow_f32(const float* a, size_t sa, const float* b, size_t sb, float* y, size_t n) noexcept {
  if (n == 0 || (sb == 0 && sa == 1 && pow_by_constant(a, *b, y, n))) return;
  for (size_t i = 0; i < n; i++) y[i] = std::pow(a[i * sa], b[i * sb]);
}

void binary_rows_f32(BinaryF32 op, const float* a, const float* b, float* y, size_t outer, size_t inner) noexcept {
  if (inner == 1) return op(a, 1, b, 0, y, outer);
  // Short rows: b is repeated into a buffer, so that one call covers many rows.
  constexpr size_t kBuffer = 512;
  if (inner > kShort || outer < 4) {
    for (size_t o = 0; o < outer; o++, a += inner, y += inner) op(a, 1, b, 1, y, inner);
    return;
  }
  float repeated[kBuffer + 4] = {};
  size_t rows = kBuffer / inner < outer ? kBuffer / inner : outer;
  for (size_t i = 0; i < rows * inner; i++) repeated[i] = b[i % inner];
  for (size_t o = 0; o < outer; o += rows, a += rows * inner, y += rows * inner) {
    op(a, 1, repeated, 1, y, (outer - o < rows ? outer - o : rows) * inner);
  }
}

void binary_cols_f32(BinaryF32 op, const float* a, const float* b, float* y, size_t outer, size_t inner) noexcept {
  if (inner == 1) return op(a, 1, b, 1, y, outer);
  for (size_t o = 0; o < outer; o++, a += inner, y += inner) op(a, 1, b + o, 0, y, inner);
}

}  // namespace sardonyx::kernels
