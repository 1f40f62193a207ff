// Arithmetic, logic and bits of two tensors, with broadcasting.
#include <cmath>

#include "kernels/elementwise/binary_f32.h"
#include "ops/families.h"
#include "ops/util/binary_map.h"
#include "ops/util/broadcast.h"
#include "ops/util/convert.h"
#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"
#include "ops/util/saturate.h"

namespace sardonyx {
namespace {

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

// Sums and products of integers wrap, so they are computed in the unsigned type of the same width; that of products is
// widened because uint16_t * uint16_t is an int that may overflow.
struct Add {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a + b);
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a - b);
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const noexcept {
    if constexpr (kIsFloat<T>) {
      return a * b;
    } else {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    }
  }
};
// Integers truncate toward zero; x / 0 is 0; the lowest value / -1 wraps to itself.
struct Div {
  template <class T>
  T operator()(T a, T b) const noexcept {
    if constexpr (kIsFloat<T>) {
      return a / b;
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return static_cast<T>(0u - static_cast<std::make_unsigned_t<T>>(a));
      }
      return static_cast<T>(a / b);
    }
  }
};
// The sign of the dividend (C's % and fmod). x % 0 is 0 for integers.
struct Remainder {
  template <class T>
  T operator()(T a, T b) const noexcept {
    if constexpr (kIsFloat<T>) {
      return std::fmod(a, b);
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
      }
      return static_cast<T>(a % b);
    }
  }
};
// The sign of the divisor.
struct FloorMod {
  template <class T>
  T operator()(T a, T b) const noexcept {
    const T r = Remainder{}(a, b);
    if constexpr (kIsFloat<T>) {
      if (r == 0) return std::copysign(r, b);
    }
    if constexpr (std::is_signed_v<T>) {
      if (r != 0 && (r < 0) != (b < 0)) return static_cast<T>(r + b);
    }
    return r;
  }
};
struct ShiftLeft {
  template <class T>
  T operator()(T x, T by) const noexcept {
    using U = std::make_unsigned_t<T>;
    if (static_cast<U>(by) >= sizeof(T) * 8) return 0;
    return static_cast<T>(static_cast<uint64_t>(static_cast<U>(x)) << by);
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T x, T by) const noexcept {
    if (static_cast<std::make_unsigned_t<T>>(by) >= sizeof(T) * 8) return x < T{0} ? static_cast<T>(-1) : T{0};
    return static_cast<T>(x >> by);
  }
};
struct BitAnd {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a ^ b);
  }
};
// Any byte but 0 is true; 0 or 1 is written.
template <class Bits>
struct Logical {
  uint8_t operator()(uint8_t a, uint8_t b) const noexcept {
    return Bits{}(static_cast<uint8_t>(a != 0), static_cast<uint8_t>(b != 0));
  }
};
struct Power {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return std::pow(a, b);
  }
};
struct PRelu {
  template <class T>
  T operator()(T x, T slope) const noexcept {
    return x < T{0} ? Mul{}(x, slope) : x;
  }
};

// float32 by its kernel, float64, else the unsigned integer of the same width.
template <class F, kernels::BinaryF32 kKernel>
BinaryLoop by_width(DType type) {
  BinaryLoop loop = nullptr;
  if (type == DType::float32) return kernel_loop<kKernel>;
  if (type == DType::float64) return binary_loop<double, F>;
  dispatch_width(element_bytes(type), [&]<class T>(TypeTag<T>) { loop = binary_loop<T, F>; });
  return loop;
}
template <class F>
BinaryLoop by_bits(DType type) {
  BinaryLoop loop = nullptr;
  dispatch_width(element_bytes(type), [&]<class T>(TypeTag<T>) { loop = binary_loop<T, F>; });
  return loop;
}
template <class F>
BinaryLoop by_int(DType type) {
  BinaryLoop loop = nullptr;
  dispatch_int(type, [&]<class T>(TypeTag<T>) { loop = binary_loop<T, F>; });
  return loop;
}
template <class F>
BinaryLoop by_type(DType type) {
  BinaryLoop loop = nullptr;
  if (dispatch<float, double>(type, [&]<class T>(TypeTag<T>) { loop = binary_loop<T, F>; })) return loop;
  return by_int<F>(type);
}
template <class F>
BinaryLoop logical(DType) {
  return binary_loop<uint8_t, Logical<F>>;
}
BinaryLoop prelu(DType type) {
  BinaryLoop loop = nullptr;
  if (type == DType::float32) return kernel_loop<kernels::prelu_f32>;
  dispatch<double, int32_t, int64_t, uint32_t, uint64_t>(type,
                                                         [&]<class T>(TypeTag<T>) { loop = binary_loop<T, PRelu>; });
  return loop;
}

constexpr BinaryFunction kAdd{kNumeric, by_width<Add, kernels::add_f32>};
constexpr BinaryFunction kSub{kNumeric, by_width<Sub, kernels::sub_f32>};
constexpr BinaryFunction kMul{kNumeric, by_width<Mul, kernels::mul_f32>};
BinaryLoop divide(DType type) {
  if (type == DType::float32) return kernel_loop<kernels::div_f32>;
  return type == DType::float64 ? binary_loop<double, Div> : by_int<Div>(type);
}
constexpr BinaryFunction kDiv{kNumeric, divide};
constexpr BinaryFunction kFloorMod{kNumeric, by_type<FloorMod>};
constexpr BinaryFunction kFloorModInt{kInt, by_int<FloorMod>};
constexpr BinaryFunction kRemainder{kNumeric, by_type<Remainder>};
constexpr BinaryFunction kShiftLeft{kInt, by_int<ShiftLeft>};
constexpr BinaryFunction kShiftRight{kInt, by_int<ShiftRight>};
constexpr BinaryFunction kBitAnd{kInt, by_bits<BitAnd>};
constexpr BinaryFunction kBitOr{kInt, by_bits<BitOr>};
constexpr BinaryFunction kBitXor{kInt, by_bits<BitXor>};
constexpr BinaryFunction kAnd{kBool, logical<BitAnd>};
constexpr BinaryFunction kOr{kBool, logical<BitOr>};
constexpr BinaryFunction kXor{kBool, logical<BitXor>};

template <const BinaryFunction& kF>
std::unique_ptr<Operator> make(const Attributes& a) {
  return std::make_unique<BinaryMap>(a, kF);
}

// Before opset 28 the standard has no floor modulo of floating point.
std::unique_ptr<Operator> make_mod(const Attributes& a) {
  if (a.flag("fmod", false)) return std::make_unique<BinaryMap>(a, kRemainder);
  return std::make_unique<BinaryMap>(a, a.opset >= 28 ? kFloorMod : kFloorModInt);
}

std::unique_ptr<Operator> make_bit_shift(const Attributes& a) {
  const int direction = a.choice("direction", {"LEFT", "RIGHT"}, -1);
  check(direction >= 0, ErrorCode::invalid_model, "attribute \"direction\" is missing");
  return std::make_unique<BinaryMap>(a, direction == 0 ? kShiftLeft : kShiftRight);
}

// X^Y in X's type. From opset 12 on Y may have another type.
class Pow final : public Operator {
 public:
  explicit Pow(const Attributes& a) : old_(a) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kNumeric);
    c.require_dtype(1, kNumeric);
    c.set_output(0, c.dtype(0), broadcast(c.shape(0), old_.shape_of_b(c.shape(0), c.shape(1))));
  }
  void run(RunContext& c) const override;
  uint32_t in_place() const override { return 1; }

 private:
  OldBroadcast old_;
};

// Integers to integer powers wrap; negative powers truncate toward zero (0 to a negative power: the largest value).
template <class T>
T int_power(T base, int64_t exponent) noexcept {
  if (exponent < 0) return saturate<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (auto e = static_cast<uint64_t>(exponent); e; e >>= 1) {
    if (e & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

template <class T, class E>
void power_loop(const void* a, size_t stride_a, const void* b, size_t stride_b, void* y, size_t n) noexcept {
  const T* base = static_cast<const T*>(a);
  const E* exponent = static_cast<const E*>(b);
  for (size_t i = 0; i < n; i++) {
    const T x = base[i * stride_a];
    const E e = exponent[i * stride_b];
    if constexpr (std::is_integral_v<E>) {
      static_cast<T*>(y)[i] = int_power(x, e);
    } else {
      static_cast<T*>(y)[i] = saturate<T>(std::pow(static_cast<double>(x), e));
    }
  }
}

void Pow::run(RunContext& c) const {
  const Tensor& x = c.input(0);
  Tensor e = c.input(1);
  if (old_.applies()) e = e.reshaped(old_.shape_of_b(x.shape(), e.shape()));
  const DType type = x.dtype();
  if (kFloat.has(type)) {
    // Both in float32 where X is a 16-bit float: the exponent is not rounded to its type.
    if (is_half(type) && e.dtype() != type) {
      Tensor y = Tensor::allocate(DType::float32, c.output(0).shape());
      run_binary(c.pool(), to_float32(x), to_float32(e), y, kernel_loop<kernels::pow_f32>);
      store_floats(type, y.data<float>(), c.output(0).bytes(), 0, y.count());
      return;
    }
    if (e.dtype() != type) e = convert(e, type);
    return run_binary(c.pool(), x, e, c.output(0),
                      type == DType::float64 ? binary_loop<double, Power> : kernel_loop<kernels::pow_f32>);
  }
  const bool whole = kInt.has(e.dtype());
  e = convert(e, whole ? DType::int64 : DType::float64);
  BinaryLoop loop = nullptr;
  dispatch_int(type, [&]<class T>(TypeTag<T>) { loop = whole ? power_loop<T, int64_t> : power_loop<T, double>; });
  run_binary(c.pool(), x, e, c.output(0), loop);
}

// Slope is broadcast to X; in the opsets before 7 it has one element or one per channel (axis 1).
class PReluOp final : public Operator {
 public:
  explicit PReluOp(const Attributes& a) : old_(a.opset < 7) {
    if (a.opset < 6) a.ignore("consumed_inputs");
  }
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kFloat | DTypeSet{DType::int32, DType::int64, DType::uint32, DType::uint64});
    c.require_same_dtype(0, 1);
    const Shape slope = slope_shape(c.shape(0), c.shape(1));
    check(broadcast(c.shape(0), slope) == c.shape(0), ErrorCode::invalid_model, "slope of shape ", c.shape(1),
          " cannot be broadcast to ", c.shape(0));
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const Tensor slope = c.input(1).reshaped(slope_shape(x.shape(), c.input(1).shape()));
    run_binary(c.pool(), x, slope, c.output(0), prelu(is_half(x.dtype()) ? DType::float32 : x.dtype()));
  }
  uint32_t in_place() const override { return 1; }

 private:
  Shape slope_shape(const Shape& x, const Shape& slope) const {
    if (!old_ || slope.rank() != 1 || x.rank() < 2) return slope;
    return slope[0] == 1 ? Shape{} : aligned_at(slope, 1, x.rank());
  }
  bool old_;
};

constexpr OpEntry kOps[] = {
    {"Add", 1, make<kAdd>},           {"Sub", 1, make<kSub>},
    {"Mul", 1, make<kMul>},           {"Div", 1, make<kDiv>},
    {"Pow", 1, make_operator<Pow>},   {"Mod", 10, make_mod},
    {"BitShift", 11, make_bit_shift}, {"BitwiseAnd", 18, make<kBitAnd>},
    {"BitwiseOr", 18, make<kBitOr>},  {"BitwiseXor", 18, make<kBitXor>},
    {"And", 1, make<kAnd>},           {"Or", 1, make<kOr>},
    {"Xor", 1, make<kXor>},           {"PRelu", 1, make_operator<PReluOp>},
};

}  // namespace

std::span<const OpEntry> binary_ops() { return kOps; }

}  // namespace sardonyx
