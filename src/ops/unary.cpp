// Elementwise functions of one tensor: arithmetic, rounding, trigonometry, tests.
#include <cmath>

#include "kernels/elementwise/unary_f32.h"
#include "kernels/math/math_f32.h"
#include "ops/families.h"
#include "ops/util/dispatch.h"
#include "ops/util/elementwise.h"
#include "ops/util/float_blocks.h"
#include "ops/util/saturate.h"

namespace sardonyx {
namespace {

using kernels::UnaryF32;

// Functors of one element; T is float or double, or an integer where the operator has integers.
struct Abs {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(x);
    } else if constexpr (std::is_signed_v<T>) {
      return x < 0 ? static_cast<T>(0u - static_cast<std::make_unsigned_t<T>>(x)) : x;
    } else {
      return x;
    }
  }
};
struct Neg {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      return -x;
    } else {
      return static_cast<T>(0u - static_cast<std::make_unsigned_t<T>>(x));
    }
  }
};
struct Sign {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
    }
    return static_cast<T>((x > T{0}) - (x < T{0}));
  }
};
struct Reciprocal {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    return T{1} / x;
  }
};
struct Erf {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      return std::erf(x);
    } else {
      return saturate<T>(std::erf(static_cast<double>(x)));
    }
  }
};
template <double (*kF)(double)>
struct Libm {
  double operator()(double x, const float*) const noexcept { return kF(x); }
};
template <double (*kF)(double), UnaryF32 kKernel>
constexpr ElementFunction kLibm{plain_f32<kKernel>, map_elements<double, Libm<kF>>};

template <class F>
void map_signed(DType type, const void* x, void* y, size_t n, const float* p) noexcept {
  dispatch_signed(type,
                  [&]<class T>(TypeTag<T>) { map_elements<T, F>(static_cast<const T*>(x), static_cast<T*>(y), n, p); });
}
template <class F>
void map_int(DType type, const void* x, void* y, size_t n, const float* p) noexcept {
  dispatch_int(type,
               [&]<class T>(TypeTag<T>) { map_elements<T, F>(static_cast<const T*>(x), static_cast<T*>(y), n, p); });
}

constexpr ElementFunction kAbs{plain_f32<kernels::abs_f32>, map_elements<double, Abs>, kNumeric, map_int<Abs>};
constexpr ElementFunction kNeg{plain_f32<kernels::neg_f32>, map_elements<double, Neg>, kFloat | kSignedInt,
                               map_signed<Neg>};
constexpr ElementFunction kSign{plain_f32<kernels::sign_f32>, map_elements<double, Sign>, kNumeric, map_int<Sign>};
constexpr ElementFunction kErf{plain_f32<kernels::erf_f32>, map_elements<double, Erf>, kNumeric, map_int<Erf>};
constexpr ElementFunction kReciprocal{plain_f32<kernels::reciprocal_f32>, map_elements<double, Reciprocal>};

template <const ElementFunction& kF>
std::unique_ptr<Operator> make(const Attributes& a) {
  if (a.opset < 6) a.ignore("consumed_inputs");
  return std::make_unique<ElementMap>(kF);
}

// Not and BitwiseNot: every byte by itself.
template <const DTypeSet& kTypes, uint8_t (*kF)(uint8_t) noexcept>
class ByteMap final : public Operator {
 public:
  explicit ByteMap(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kTypes);
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const uint8_t* x = c.input(0).data<uint8_t>();
    uint8_t* y = c.output(0).data<uint8_t>();
    c.pool().parallel_for(static_cast<int64_t>(c.input(0).byte_size()), 65536, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) y[i] = kF(x[i]);
    });
  }
  uint32_t in_place() const override { return 1; }
};
uint8_t is_zero(uint8_t x) noexcept { return x == 0; }
uint8_t inverted(uint8_t x) noexcept { return static_cast<uint8_t>(~x); }
using Not = ByteMap<kBool, is_zero>;
using BitwiseNot = ByteMap<kInt, inverted>;

// IsNaN and IsInf: a test of every element, in double or in float32 (exact for the small types).
class FloatTest : public Operator {
 public:
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat | kFloat8);
    c.set_output(0, DType::boolean, c.shape(0));
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    uint8_t* y = c.output(0).data<uint8_t>();
    c.pool().parallel_for(x.count(), 16 * kFloatBlock, [&](int64_t from, int64_t to) {
      if (x.dtype() == DType::float64) {
        const double* in = x.data<double>();
        for (int64_t i = from; i < to; i++) y[i] = test(in[i]);
        return;
      }
      float block[kFloatBlock];
      for (; from < to; from += kFloatBlock) {
        const int64_t n = std::min(kFloatBlock, to - from);
        load_floats(x.dtype(), x.bytes(), from, n, block);
        for (int64_t i = 0; i < n; i++) y[from + i] = test(static_cast<double>(block[i]));
      }
    });
  }

 protected:
  bool nan_ = false, negative_ = false, positive_ = false;

 private:
  bool test(double x) const noexcept {
    if (std::isnan(x)) return nan_;
    return std::isinf(x) && (x < 0 ? negative_ : positive_);
  }
};

class IsNaN final : public FloatTest {
 public:
  explicit IsNaN(const Attributes&) { nan_ = true; }
};

class IsInf final : public FloatTest {
 public:
  explicit IsInf(const Attributes& a) {
    negative_ = a.flag("detect_negative", true);
    positive_ = a.flag("detect_positive", true);
  }
};

constexpr OpEntry kOps[] = {
    {"Abs", 1, make<kAbs>},
    {"Neg", 1, make<kNeg>},
    {"Sign", 9, make<kSign>},
    {"Reciprocal", 1, make<kReciprocal>},
    {"Ceil", 1, make<kLibm<std::ceil, kernels::ceil_f32>>},
    {"Floor", 1, make<kLibm<std::floor, kernels::floor_f32>>},
    {"Round", 11, make<kLibm<std::nearbyint, kernels::round_f32>>},
    {"Sqrt", 1, make<kLibm<std::sqrt, kernels::sqrt_f32>>},
    {"Exp", 1, make<kLibm<std::exp, kernels::exp_f32>>},
    {"Log", 1, make<kLibm<std::log, kernels::log_f32>>},
    {"Sin", 7, make<kLibm<std::sin, kernels::sin_f32>>},
    {"Cos", 7, make<kLibm<std::cos, kernels::cos_f32>>},
    {"Tan", 7, make<kLibm<std::tan, kernels::tan_f32>>},
    {"Asin", 7, make<kLibm<std::asin, kernels::asin_f32>>},
    {"Acos", 7, make<kLibm<std::acos, kernels::acos_f32>>},
    {"Atan", 7, make<kLibm<std::atan, kernels::atan_f32>>},
    {"Sinh", 9, make<kLibm<std::sinh, kernels::sinh_f32>>},
    {"Cosh", 9, make<kLibm<std::cosh, kernels::cosh_f32>>},
    {"Asinh", 9, make<kLibm<std::asinh, kernels::asinh_f32>>},
    {"Acosh", 9, make<kLibm<std::acosh, kernels::acosh_f32>>},
    {"Atanh", 9, make<kLibm<std::atanh, kernels::atanh_f32>>},
    {"Erf", 9, make<kErf>},
    {"Not", 1, make_operator<Not>},
    {"BitwiseNot", 18, make_operator<BitwiseNot>},
    {"IsNaN", 9, make_operator<IsNaN>},
    {"IsInf", 10, make_operator<IsInf>},
};

}  // namespace

std::span<const OpEntry> unary_ops() { return kOps; }

}  // namespace sardonyx
