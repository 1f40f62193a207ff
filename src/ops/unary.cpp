// Elementwise functions of one tensor: arithmetic, rounding, trigonometry, tests.
#include <cmath>

#include "ops/families.h"
#include "ops/util/dispatch.h"
#include "ops/util/elementwise.h"
#include "ops/util/float_blocks.h"
#include "ops/util/saturate.h"

namespace sardonyx {
namespace {

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
template <double (*kF)(double), float (*kF32)(float)>
struct Libm {
  double operator()(double x, const float*) const noexcept { return kF(x); }
  float operator()(float x, const float*) const noexcept { return kF32(x); }
};
template <double (*kF)(double), float (*kF32)(float)>
constexpr ElementFunction kLibm{map_elements<float, Libm<kF, kF32>>, map_elements<double, Libm<kF, kF32>>};

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

constexpr ElementFunction kAbs{map_elements<float, Abs>, map_elements<double, Abs>, kNumeric, map_int<Abs>};
constexpr ElementFunction kNeg{map_elements<float, Neg>, map_elements<double, Neg>, kFloat | kSignedInt,
                               map_signed<Neg>};
constexpr ElementFunction kSign{map_elements<float, Sign>, map_elements<double, Sign>, kNumeric, map_int<Sign>};
constexpr ElementFunction kErf{map_elements<float, Erf>, map_elements<double, Erf>, kNumeric, map_int<Erf>};
constexpr ElementFunction kReciprocal{map_elements<float, Reciprocal>, map_elements<double, Reciprocal>};

template <const ElementFunction& kF>
std::unique_ptr<Operator> make(const Attributes& a) {
  if (a.opset < 6) a.ignore("consumed_inputs");
  return std::make_unique<ElementMap>(kF);
}

class Not final : public Operator {
 public:
  explicit Not(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kBool);
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const uint8_t* x = c.input(0).data<uint8_t>();
    uint8_t* y = c.output(0).data<uint8_t>();
    c.pool().parallel_for(c.input(0).count(), 65536, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) y[i] = x[i] == 0;
    });
  }
  uint32_t in_place() const override { return 1; }
};

class BitwiseNot final : public Operator {
 public:
  explicit BitwiseNot(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kInt);
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const uint8_t* x = c.input(0).data<uint8_t>();
    uint8_t* y = c.output(0).data<uint8_t>();
    c.pool().parallel_for(static_cast<int64_t>(c.input(0).byte_size()), 65536, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) y[i] = static_cast<uint8_t>(~x[i]);
    });
  }
  uint32_t in_place() const override { return 1; }
};

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
    {"Ceil", 1, make<kLibm<std::ceil, std::ceil>>},
    {"Floor", 1, make<kLibm<std::floor, std::floor>>},
    {"Round", 11, make<kLibm<std::nearbyint, std::nearbyint>>},
    {"Sqrt", 1, make<kLibm<std::sqrt, std::sqrt>>},
    {"Exp", 1, make<kLibm<std::exp, std::exp>>},
    {"Log", 1, make<kLibm<std::log, std::log>>},
    {"Sin", 7, make<kLibm<std::sin, std::sin>>},
    {"Cos", 7, make<kLibm<std::cos, std::cos>>},
    {"Tan", 7, make<kLibm<std::tan, std::tan>>},
    {"Asin", 7, make<kLibm<std::asin, std::asin>>},
    {"Acos", 7, make<kLibm<std::acos, std::acos>>},
    {"Atan", 7, make<kLibm<std::atan, std::atan>>},
    {"Sinh", 9, make<kLibm<std::sinh, std::sinh>>},
    {"Cosh", 9, make<kLibm<std::cosh, std::cosh>>},
    {"Asinh", 9, make<kLibm<std::asinh, std::asinh>>},
    {"Acosh", 9, make<kLibm<std::acosh, std::acosh>>},
    {"Atanh", 9, make<kLibm<std::atanh, std::atanh>>},
    {"Erf", 9, make<kErf>},
    {"Not", 1, make_operator<Not>},
    {"BitwiseNot", 18, make_operator<BitwiseNot>},
    {"IsNaN", 9, make_operator<IsNaN>},
    {"IsInf", 10, make_operator<IsInf>},
};

}  // namespace

std::span<const OpEntry> unary_ops() { return kOps; }

}  // namespace sardonyx
