// Conversions by blocks: every type is widened to one of four, and narrowed from there.
#include "ops/util/convert.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "kernels/elementwise/truncate_f32.h"
#include "ops/util/convert_strings.h"
#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"
#include "ops/util/saturate.h"

namespace sardonyx {
namespace {

constexpr int64_t kBlock = 512;
using Rounding = ConvertRules::Rounding;

// float32 holds all types but these exactly.
constexpr DTypeSet kWide{DType::float64, DType::int32, DType::uint32, DType::int64, DType::uint64};

struct Block {
  enum class Kind : uint8_t { float32, float64, int64, uint64 } kind;
  union {
    float f[kBlock];
    double d[kBlock];
    int64_t i[kBlock];
    uint64_t u[kBlock];
  };
};
using Kind = Block::Kind;

template <class T>
void widen(const Tensor& x, int64_t first, int64_t n, int64_t* y) noexcept {
  const T* from = x.data<T>() + first;
  for (int64_t k = 0; k < n; k++) y[k] = static_cast<int64_t>(from[k]);
}

void load(const Tensor& x, int64_t first, int64_t n, Block& block) noexcept {
  switch (x.dtype()) {
    case DType::float64:
      block.kind = Kind::float64;
      memcpy(block.d, x.data<double>() + first, static_cast<size_t>(n) * sizeof(double));
      return;
    case DType::int32:
      block.kind = Kind::int64;
      return widen<int32_t>(x, first, n, block.i);
    case DType::uint32:
      block.kind = Kind::int64;
      return widen<uint32_t>(x, first, n, block.i);
    case DType::int64:
      block.kind = Kind::int64;
      return widen<int64_t>(x, first, n, block.i);
    case DType::uint64:
      block.kind = Kind::uint64;
      return widen<uint64_t>(x, first, n, block.i);
    default:
      block.kind = Kind::float32;
      load_floats(x.dtype(), x.bytes(), first, n, block.f);
  }
}

// To float32, to be rounded once more: the last bit is set where the value is not exact, so that two roundings give
// what one would.
float narrow_to_odd(double x) noexcept {
  const float f = static_cast<float>(x);
  if (std::isinf(f) || !(static_cast<double>(f) != x) || std::isnan(x)) return f;
  const auto bits = std::bit_cast<uint32_t>(f);
  if (bits & 1) return f;
  const bool too_large = std::fabs(static_cast<double>(f)) > std::fabs(x);
  return std::bit_cast<float>(too_large ? bits - 1 : bits + 1);
}

// The block in float32: itself, or in `out`. last_rounding: the result is not rounded again.
const float* as_floats(const Block& block, int64_t n, bool last_rounding, float* out) noexcept {
  switch (block.kind) {
    case Kind::float32:
      return block.f;
    case Kind::float64:
      for (int64_t k = 0; k < n; k++)
        out[k] = last_rounding ? static_cast<float>(block.d[k]) : narrow_to_odd(block.d[k]);
      return out;
    case Kind::int64:
      for (int64_t k = 0; k < n; k++) out[k] = static_cast<float>(block.i[k]);
      return out;
    default:
      for (int64_t k = 0; k < n; k++) out[k] = static_cast<float>(block.u[k]);
      return out;
  }
}

template <class T>
T float_to_int(double x) noexcept {
  if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) return saturate<T>(x);
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (x >= 0) return saturate<T>(x);
  }
  return static_cast<T>(saturate<int64_t>(x));
}

// Types below 32 bits wrap: what is beyond int32 saturates first.
template <class T>
void store_ints(const Block& block, T* y, int64_t n) noexcept {
  switch (block.kind) {
    case Kind::float32:
      if constexpr (std::is_same_v<T, int32_t>) {
        return kernels::truncate_i32_f32(block.f, y, static_cast<size_t>(n));
      } else if constexpr (sizeof(T) < 4) {
        int32_t whole[kBlock];
        kernels::truncate_i32_f32(block.f, whole, static_cast<size_t>(n));
        for (int64_t k = 0; k < n; k++) y[k] = static_cast<T>(whole[k]);
        return;
      }
      for (int64_t k = 0; k < n; k++) y[k] = float_to_int<T>(static_cast<double>(block.f[k]));
      return;
    case Kind::float64:
      for (int64_t k = 0; k < n; k++) y[k] = float_to_int<T>(block.d[k]);
      return;
    default:
      for (int64_t k = 0; k < n; k++) y[k] = static_cast<T>(block.i[k]);
  }
}

void store_bools(const Block& block, uint8_t* y, int64_t n) noexcept {
  switch (block.kind) {
    case Kind::float32:
      for (int64_t k = 0; k < n; k++) y[k] = block.f[k] != 0;
      return;
    case Kind::float64:
      for (int64_t k = 0; k < n; k++) y[k] = block.d[k] != 0;
      return;
    default:
      for (int64_t k = 0; k < n; k++) y[k] = block.i[k] != 0;
  }
}

void store_doubles(const Block& block, double* y, int64_t n) noexcept {
  for (int64_t k = 0; k < n; k++) {
    y[k] = block.kind == Kind::float32   ? static_cast<double>(block.f[k])
           : block.kind == Kind::float64 ? block.d[k]
           : block.kind == Kind::int64   ? static_cast<double>(block.i[k])
                                         : static_cast<double>(block.u[k]);
  }
}

// The exponent of x, rounded. Without saturation what is out of range, 0 included, is NaN.
uint8_t to_e8m0(float x, const ConvertRules& rules) noexcept {
  constexpr uint8_t kNaN = 0xff, kMax = 0xfe;
  const uint32_t bits = std::bit_cast<uint32_t>(x) & 0x7fffffffu;
  if (bits > 0x7f800000u) return kNaN;
  if (bits == 0x7f800000u) return rules.saturate ? kMax : kNaN;
  uint32_t code = bits >> 23, rest = bits & 0x7fffffu, unit = 0x800000u;
  if (code == 0) {  // below 2^-126: the lowest code stands for 2^-127
    if (rest < 0x400000u) return rules.saturate ? 0 : kNaN;
    rest = (rest - 0x400000u);
    unit = 0x400000u;
  }
  if (rules.e8m0 == Rounding::up) code += rest > 0;
  if (rules.e8m0 == Rounding::nearest) code += rest >= unit / 2;
  return code > kMax ? (rules.saturate ? kMax : kNaN) : static_cast<uint8_t>(code);
}

void store_float8(DType type, const float* x, uint8_t* y, int64_t n, const ConvertRules& rules) noexcept {
  const Float8Kind kind = type == DType::float8e4m3fn     ? Float8Kind::e4m3fn
                          : type == DType::float8e4m3fnuz ? Float8Kind::e4m3fnuz
                          : type == DType::float8e5m2     ? Float8Kind::e5m2
                                                          : Float8Kind::e5m2fnuz;
  if (type == DType::float8e8m0) {
    for (int64_t k = 0; k < n; k++) y[k] = to_e8m0(x[k], rules);
  } else {
    for (int64_t k = 0; k < n; k++) y[k] = float_to_float8(x[k], kind, rules.saturate);
  }
}

// `first` is the first element of a byte.
void store_packed(const Block& block, Tensor& y, int64_t first, int64_t n) noexcept {
  const int bits = dtype_bits(y.dtype()), per_byte = 8 / bits;
  uint8_t codes[kBlock];
  if (y.dtype() == DType::float4e2m1) {
    float buffer[kBlock];
    const float* x = as_floats(block, n, false, buffer);
    for (int64_t k = 0; k < n; k++) codes[k] = float_to_float4(x[k]);
  } else {
    store_ints(block, codes, n);
  }
  uint8_t* to = y.data<uint8_t>() + first / per_byte;
  const int mask = (1 << bits) - 1;
  for (int64_t k = 0; k < n; k += per_byte) {
    int byte = 0;
    for (int j = 0; j < per_byte && k + j < n; j++) byte |= (codes[k + j] & mask) << (j * bits);
    *to++ = static_cast<uint8_t>(byte);
  }
}

void store(const Block& block, Tensor& y, int64_t first, int64_t n, const ConvertRules& rules) noexcept {
  const DType type = y.dtype();
  if (dispatch_int(type, [&]<class T>(TypeTag<T>) { store_ints(block, y.data<T>() + first, n); })) return;
  if (type == DType::boolean) return store_bools(block, y.data<uint8_t>() + first, n);
  if (type == DType::float64) return store_doubles(block, y.data<double>() + first, n);
  if (kSubByte.has(type)) return store_packed(block, y, first, n);
  float buffer[kBlock];
  const float* floats = as_floats(block, n, type == DType::float32, buffer);
  if (kFloat8.has(type)) return store_float8(type, floats, y.data<uint8_t>() + first, n, rules);
  store_floats(type, floats, y.bytes(), first, n);
}

}  // namespace

void convert(ThreadPool& pool, const Tensor& x, Tensor& y, const ConvertRules& rules) {
  if (x.dtype() == y.dtype()) {
    if (x.dtype() == DType::string) {
      std::copy_n(x.data<std::string>(), x.count(), y.data<std::string>());
    } else if (x.count() > 0) {
      memcpy(y.bytes(), x.bytes(), x.byte_size());
    }
    return;
  }
  if (x.dtype() == DType::string) {
    // Through the widest type of the destination's kind.
    const DType wide = y.dtype() == DType::float32                         ? DType::float32
                       : kInt.has(y.dtype()) && y.dtype() == DType::uint64 ? DType::uint64
                       : kInt.has(y.dtype())                               ? DType::int64
                                                                           : DType::float64;
    Tensor numbers = wide == y.dtype() ? y : Tensor::allocate(wide, y.shape());
    parse_numbers(x, numbers);
    if (wide != y.dtype()) convert(pool, numbers, y, rules);
    return;
  }
  if (y.dtype() == DType::string) return print_numbers(x, y);
  const bool widens = y.dtype() == DType::float32 && !kWide.has(x.dtype());
  const bool halves = x.dtype() == DType::float32 && is_half(y.dtype());
  pool.parallel_for(x.count(), 16 * kBlock, [&](int64_t from, int64_t to) {
    if (widens) return load_floats(x.dtype(), x.bytes(), from, to - from, y.data<float>() + from);
    if (halves) return store_floats(y.dtype(), x.data<float>() + from, y.bytes(), from, to - from);
    Block block;
    for (; from < to; from += kBlock) {
      const int64_t n = std::min(kBlock, to - from);
      load(x, from, n, block);
      store(block, y, from, n, rules);
    }
  });
}

Tensor convert(const Tensor& x, DType to) {
  if (x.dtype() == to) return x;
  Tensor y = Tensor::allocate(to, x.shape());
  const auto pool = ThreadPool::create(1);
  convert(*pool, x, y, {});
  return y;
}

}  // namespace sardonyx
