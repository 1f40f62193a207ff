// Activation functions of neural networks, elementwise.
#include <cmath>

#include "kernels/elementwise/unary_f32.h"
#include "kernels/math/math_f32.h"
#include "ops/families.h"
#include "ops/util/dispatch.h"
#include "ops/util/elementwise.h"
#include "ops/util/saturate.h"

namespace sardonyx {
namespace {

// Functors of one element in float or double; p[0] and p[1] are the attributes in the order that the tables below name.
// NaN gives NaN.
struct Relu {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    return x < T{0} ? T{0} : x;
  }
};
struct LeakyRelu {
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    return x < T{0} ? static_cast<T>(p[0]) * x : x;
  }
};
struct ThresholdedRelu {
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    return x > static_cast<T>(p[0]) ? x : T{0};
  }
};
struct Sigmoid {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    const T e = std::exp(-std::fabs(x));  // never overflows
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
  }
};
struct Tanh {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    return std::tanh(x);
  }
};
struct HardSigmoid {
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    const T t = static_cast<T>(p[0]) * x + static_cast<T>(p[1]);
    return t < 0 ? T{0} : t > 1 ? T{1} : t;
  }
};
struct HardSwish {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    const T t = x / 6 + static_cast<T>(0.5);
    return x * (t < 0 ? T{0} : t > 1 ? T{1} : t);
  }
};
struct Elu {
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    return x < 0 ? static_cast<T>(p[0]) * std::expm1(x) : x;
  }
};
struct Selu {  // alpha, gamma
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    return static_cast<T>(p[1]) * (x < 0 ? static_cast<T>(p[0]) * std::expm1(x) : x);
  }
};
struct Celu {
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    return x < 0 ? static_cast<T>(p[0]) * std::expm1(x / static_cast<T>(p[0])) : x;
  }
};
struct Softplus {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }
};
struct Softsign {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    return x / (1 + std::fabs(x));
  }
};
struct Gelu {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    return x / 2 * (1 + std::erf(x * static_cast<T>(0.70710678118654752440)));
  }
};
struct GeluTanh {
  template <class T>
  T operator()(T x, const float*) const noexcept {
    const T inner = static_cast<T>(0.79788456080286535588) * (x + static_cast<T>(0.044715) * x * x * x);
    return x / 2 * (1 + std::tanh(inner));
  }
};
struct Mish {
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    return x * std::tanh(Softplus{}(x, p));
  }
};
struct Swish {
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    return x * Sigmoid{}(static_cast<T>(p[0]) * x, p);
  }
};
struct Shrink {  // bias, lambd
  template <class T>
  T operator()(T x, const float* p) const noexcept {
    const T lambd = static_cast<T>(p[1]), bias = static_cast<T>(p[0]);
    return x < -lambd ? x + bias : x > lambd ? x - bias : T{0};
  }
};

void relu_int(DType type, const void* x, void* y, size_t n, const float* p) noexcept {
  dispatch_signed(
      type, [&]<class T>(TypeTag<T>) { map_elements<T, Relu>(static_cast<const T*>(x), static_cast<T*>(y), n, p); });
}

// Integers go through double; what leaves the type's range is brought back to its ends.
// Without a bias the integers stay exact, those of 64 bits too.
void shrink_int(DType type, const void* x, void* y, size_t n, const float* p) noexcept {
  dispatch_int(type, [&]<class T>(TypeTag<T>) {
    const T* in = static_cast<const T*>(x);
    for (size_t i = 0; i < n; i++) {
      const double shrunk = Shrink{}(static_cast<double>(in[i]), p);
      static_cast<T*>(y)[i] = p[0] == 0 && shrunk != 0 ? in[i] : saturate<T>(shrunk);
    }
  });
}

template <void (*kF)(const float*, float*, size_t, float) noexcept>
void one_parameter(const float* x, float* y, size_t n, const float* p) noexcept {
  kF(x, y, n, p[0]);
}
template <void (*kF)(const float*, float*, size_t, float, float) noexcept>
void two_parameters(const float* x, float* y, size_t n, const float* p) noexcept {
  kF(x, y, n, p[0], p[1]);
}

// float32 by the kernels, double by the functors above.
constexpr ElementFunction kRelu{plain_f32<kernels::relu_f32>, map_elements<double, Relu>, kFloat | kSignedInt,
                                relu_int};
constexpr ElementFunction kSigmoid{plain_f32<kernels::sigmoid_f32>, map_elements<double, Sigmoid>};
constexpr ElementFunction kTanh{plain_f32<kernels::tanh_f32>, map_elements<double, Tanh>};
constexpr ElementFunction kHardSwish{plain_f32<kernels::hard_swish_f32>, map_elements<double, HardSwish>};
constexpr ElementFunction kSoftplus{plain_f32<kernels::softplus_f32>, map_elements<double, Softplus>};
constexpr ElementFunction kSoftsign{plain_f32<kernels::softsign_f32>, map_elements<double, Softsign>};
constexpr ElementFunction kGelu{plain_f32<kernels::gelu_f32>, map_elements<double, Gelu>};
constexpr ElementFunction kGeluTanh{plain_f32<kernels::gelu_tanh_f32>, map_elements<double, GeluTanh>};
constexpr ElementFunction kMish{plain_f32<kernels::mish_f32>, map_elements<double, Mish>};
constexpr ElementFunction kLeakyRelu{one_parameter<kernels::leaky_relu_f32>, map_elements<double, LeakyRelu>};
constexpr ElementFunction kThresholdedRelu{one_parameter<kernels::thresholded_relu_f32>,
                                           map_elements<double, ThresholdedRelu>};
constexpr ElementFunction kElu{one_parameter<kernels::elu_f32>, map_elements<double, Elu>};
constexpr ElementFunction kCelu{one_parameter<kernels::celu_f32>, map_elements<double, Celu>};
constexpr ElementFunction kSwish{one_parameter<kernels::swish_f32>, map_elements<double, Swish>};
constexpr ElementFunction kHardSigmoid{two_parameters<kernels::hard_sigmoid_f32>, map_elements<double, HardSigmoid>};
constexpr ElementFunction kSelu{two_parameters<kernels::selu_f32>, map_elements<double, Selu>};
constexpr ElementFunction kShrink{two_parameters<kernels::shrink_f32>, map_elements<double, Shrink>, kNumeric,
                                  shrink_int};

void ignore_old(const Attributes& a) {
  if (a.opset < 6) a.ignore("consumed_inputs");
}

template <const ElementFunction& kF>
std::unique_ptr<Operator> make(const Attributes& a) {
  ignore_old(a);
  return std::make_unique<ElementMap>(kF);
}

std::unique_ptr<Operator> make_leaky_relu(const Attributes& a) {
  ignore_old(a);
  return std::make_unique<ElementMap>(kLeakyRelu, a.number("alpha", 0.01f));
}
std::unique_ptr<Operator> make_hard_sigmoid(const Attributes& a) {
  ignore_old(a);
  return std::make_unique<ElementMap>(kHardSigmoid, a.number("alpha", 0.2f), a.number("beta", 0.5f));
}
std::unique_ptr<Operator> make_elu(const Attributes& a) {
  ignore_old(a);
  return std::make_unique<ElementMap>(kElu, a.number("alpha", 1.0f));
}
std::unique_ptr<Operator> make_selu(const Attributes& a) {
  ignore_old(a);
  const bool old = a.opset < 6;
  const float alpha = a.number("alpha", old ? 1.6732f : 1.67326319217681884765625f);
  return std::make_unique<ElementMap>(kSelu, alpha, a.number("gamma", old ? 1.0507f : 1.05070102214813232421875f));
}
std::unique_ptr<Operator> make_celu(const Attributes& a) {
  const float alpha = a.number("alpha", 1.0f);
  check(alpha != 0, ErrorCode::invalid_model, "attribute \"alpha\" is 0");
  return std::make_unique<ElementMap>(kCelu, alpha);
}
std::unique_ptr<Operator> make_thresholded_relu(const Attributes& a) {
  return std::make_unique<ElementMap>(kThresholdedRelu, a.number("alpha", 1.0f));
}
std::unique_ptr<Operator> make_gelu(const Attributes& a) {
  const bool with_tanh = a.choice("approximate", {"none", "tanh"}, 0) == 1;
  return std::make_unique<ElementMap>(with_tanh ? kGeluTanh : kGelu);
}
std::unique_ptr<Operator> make_swish(const Attributes& a) {
  return std::make_unique<ElementMap>(kSwish, a.number("alpha", 1.0f));
}
std::unique_ptr<Operator> make_shrink(const Attributes& a) {
  return std::make_unique<ElementMap>(kShrink, a.number("bias", 0.0f), a.number("lambd", 0.5f));
}

constexpr OpEntry kOps[] = {
    {"Relu", 1, make<kRelu>},
    {"LeakyRelu", 1, make_leaky_relu},
    {"Sigmoid", 1, make<kSigmoid>},
    {"HardSigmoid", 1, make_hard_sigmoid},
    {"HardSwish", 14, make<kHardSwish>},
    {"Tanh", 1, make<kTanh>},
    {"Elu", 1, make_elu},
    {"Selu", 1, make_selu},
    {"Celu", 12, make_celu},
    {"ThresholdedRelu", 10, make_thresholded_relu},
    {"Softplus", 1, make<kSoftplus>},
    {"Softsign", 1, make<kSoftsign>},
    {"Gelu", 20, make_gelu},
    {"Mish", 18, make<kMish>},
    {"Swish", 24, make_swish},
    {"Shrink", 9, make_shrink},
};

}  // namespace

std::span<const OpEntry> activation_ops() { return kOps; }

}  // namespace sardonyx
