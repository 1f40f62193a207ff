// Reductions and arg reductions of any element type; plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/reduce/reduce.h"

namespace sardonyx::kernels {
namespace {

// Sums and products of integers wrap: they are computed without a sign, at least as wide as unsigned.
template <class T>
struct Accumulator {
  using Unsigned = std::make_unsigned_t<T>;
  using Type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, Unsigned>;
};
template <>
struct Accumulator<double> {
  using Type = double;
};

// y[o][i] = last(f folded over the axis).
template <class A, class T, class F, class L>
inline void fold(const T* x, T* y, size_t outer, size_t axis, size_t inner, A start, F f, L last) {
  for (size_t o = 0; o < outer; o++, x += axis * inner) {
    for (size_t i = 0; i < inner; i++) {
      A acc = start;
      for (size_t a = 0; a < axis; a++) acc = f(acc, x[a * inner + i]);
      *y++ = last(acc);
    }
  }
}

template <class T>
T magnitude(T v) noexcept {
  using A = typename Accumulator<T>::Type;
  if constexpr (std::is_unsigned_v<T>)
    return v;
  else if constexpr (std::is_integral_v<T>)
    return v < 0 ? static_cast<T>(A{0} - static_cast<A>(v)) : v;
  else
    return std::fabs(v);
}

template <class T>
constexpr T lowest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}
template <class T>
constexpr T highest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class T>
bool is_nan(T v) noexcept {
  return v != v;
}

// A double as T; out of range or NaN gives the nearest bound or 0.
template <class T>
T from_double(double v) noexcept {
  if constexpr (std::is_floating_point_v<T>) return v;
  using Limits = std::numeric_limits<T>;
  if (!(v == v)) return 0;
  if (v <= static_cast<double>(Limits::lowest())) return Limits::lowest();
  if (v >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<T>(v);
}

template <class T>
T mean_of(typename Accumulator<T>::Type sum, size_t n) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return sum / static_cast<double>(n);
  } else {
    if (n == 0) return 0;
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    using Narrow = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<typename Accumulator<T>::Type>,
                                      typename Accumulator<T>::Type>;
    return static_cast<T>(static_cast<Wide>(static_cast<Narrow>(sum)) / static_cast<Wide>(n));
  }
}

// Through double: l2, log sum, log sum exp.
template <class T>
void reduce_in_double(ReduceKind kind, const T* x, T* y, size_t outer, size_t axis, size_t inner) noexcept {
  for (size_t o = 0; o < outer; o++, x += axis * inner) {
    for (size_t i = 0; i < inner; i++) {
      double shift = 0, sum = 0;
      if (kind == ReduceKind::kLogSumExp) {
        shift = -std::numeric_limits<double>::infinity();
        for (size_t a = 0; a < axis; a++) shift = std::fmax(shift, static_cast<double>(x[a * inner + i]));
        if (!std::isfinite(shift)) shift = 0;
      }
      for (size_t a = 0; a < axis; a++) {
        auto v = static_cast<double>(x[a * inner + i]);
        sum += kind == ReduceKind::kL2 ? v * v : kind == ReduceKind::kLogSum ? v : std::exp(v - shift);
      }
      *y++ = from_double<T>(kind == ReduceKind::kL2 ? std::sqrt(sum) : std::log(sum) + shift);
    }
  }
}

// Takes v the place of b as the extreme? A NaN does; the later of two equals does where `last` says so.
template <class T>
bool displaces(T v, T b, bool last) noexcept {
  return v > b || (last && v == b) || (is_nan(v) && (last || !is_nan(b)));
}

// For the smallest the order of the elements is turned around: -v, or ~v for integers.
template <class T>
T turned(T v, bool max) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return max ? v : -v;
  } else {
    return static_cast<T>(max ? v : ~v);
  }
}

template <class T>
int64_t arg_row(bool max, bool last, const T* x, size_t n) noexcept {
  T best = turned(x[0], max);
  size_t at = 0;
  for (size_t a = 1; a < n; a++) {
    const T v = turned(x[a], max);
    if (v < best) continue;  // nearly always
    if (displaces(v, best, last)) {
      best = v;
      at = a;
    }
  }
  return static_cast<int64_t>(at);
}

// Columns whose extremes are sought at once, row by row.
constexpr size_t kColumns = 64;

// The positions of the extremes of columns [0, columns) of [axis][inner].
template <class T>
void arg_columns(bool max, bool last, const T* x, int64_t* y, size_t axis, size_t inner, size_t columns) noexcept {
  T best[kColumns];
  uint32_t at[kColumns] = {};
  for (size_t i = 0; i < columns; i++) best[i] = turned(x[i], max);
  for (size_t a = 1; a < axis; a++) {
    const T* row = x + a * inner;
    for (size_t i = 0; i < columns; i++) {
      const T v = turned(row[i], max), b = best[i];
      const bool better = displaces(v, b, last);
      best[i] = better ? v : b;
      at[i] = better ? static_cast<uint32_t>(a) : at[i];
    }
  }
  for (size_t i = 0; i < columns; i++) y[i] = at[i];
}

}  // namespace

template <class T>
void reduce(ReduceKind kind, const T* x, T* y, size_t outer, size_t axis, size_t inner) noexcept {
  using A = typename Accumulator<T>::Type;
  auto plus = [](A a, T v) { return a + static_cast<A>(v); };
  auto as_is = [](A a) { return static_cast<T>(a); };
  auto same = [](T a) { return a; };
  switch (kind) {
    case ReduceKind::kSum:
      return fold(x, y, outer, axis, inner, A{0}, plus, as_is);
    case ReduceKind::kMean:
      return fold(x, y, outer, axis, inner, A{0}, plus, [axis](A a) { return mean_of<T>(a, axis); });
    case ReduceKind::kProd:
      return fold(x, y, outer, axis, inner, A{1}, [](A a, T v) { return a * static_cast<A>(v); }, as_is);
    case ReduceKind::kL1:
      return fold(x, y, outer, axis, inner, A{0}, [](A a, T v) { return a + static_cast<A>(magnitude(v)); }, as_is);
    case ReduceKind::kSumSquare:
      return fold(
          x, y, outer, axis, inner, A{0}, [](A a, T v) { return a + static_cast<A>(v) * static_cast<A>(v); }, as_is);
    case ReduceKind::kMax:
      return fold(x, y, outer, axis, inner, lowest<T>(), [](T a, T v) { return v > a || is_nan(v) ? v : a; }, same);
    case ReduceKind::kMin:
      return fold(x, y, outer, axis, inner, highest<T>(), [](T a, T v) { return v < a || is_nan(v) ? v : a; }, same);
    default:
      return reduce_in_double(kind, x, y, outer, axis, inner);
  }
}

template <class T>
void arg_reduce(bool max, bool last, const T* x, int64_t* y, size_t outer, size_t axis, size_t inner) noexcept {
  for (size_t o = 0; o < outer; o++, x += axis * inner, y += inner) {
    if (inner == 1) {
      *y = arg_row(max, last, x, axis);
      continue;
    }
    for (size_t i = 0; i < inner; i += kColumns) {
      arg_columns(max, last, x + i, y + i, axis, inner, std::min(kColumns, inner - i));
    }
  }
}

template void reduce(ReduceKind, const double*, double*, size_t, size_t, size_t) noexcept;
template void reduce(ReduceKind, const int32_t*, int32_t*, size_t, size_t, size_t) noexcept;
template void reduce(ReduceKind, const int64_t*, int64_t*, size_t, size_t, size_t) noexcept;
template void reduce(ReduceKind, const uint32_t*, uint32_t*, size_t, size_t, size_t) noexcept;
template void reduce(ReduceKind, const uint64_t*, uint64_t*, size_t, size_t, size_t) noexcept;
template void reduce(ReduceKind, const int8_t*, int8_t*, size_t, size_t, size_t) noexcept;
template void reduce(ReduceKind, const uint8_t*, uint8_t*, size_t, size_t, size_t) noexcept;

template void arg_reduce(bool, bool, const float*, int64_t*, size_t, size_t, size_t) noexcept;
template void arg_reduce(bool, bool, const double*, int64_t*, size_t, size_t, size_t) noexcept;
template void arg_reduce(bool, bool, const int32_t*, int64_t*, size_t, size_t, size_t) noexcept;
template void arg_reduce(bool, bool, const int64_t*, int64_t*, size_t, size_t, size_t) noexcept;
template void arg_reduce(bool, bool, const uint32_t*, int64_t*, size_t, size_t, size_t) noexcept;
template void arg_reduce(bool, bool, const uint64_t*, int64_t*, size_t, size_t, size_t) noexcept;
template void arg_reduce(bool, bool, const int8_t*, int64_t*, size_t, size_t, size_t) noexcept;
template void arg_reduce(bool, bool, const uint8_t*, int64_t*, size_t, size_t, size_t) noexcept;

}  // namespace sardonyx::kernels
