// What products and convolutions take over: the record of it, and the parts that no kernel does.
#include "ops/util/fused_steps.h"

#include <algorithm>
#include <cmath>

#include "kernels/elementwise/binary_f32.h"
#include "kernels/elementwise/unary_f32.h"
#include "kernels/math/math_f32.h"
#include "ops/util/binary_map.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

constexpr int kMostResiduals = 2;
constexpr int64_t kGrain = 16384;  // elements per task

template <void (*kKernel)(const float*, float*, size_t) noexcept>
void plain(const float* x, float* y, size_t n, float, float) noexcept {
  kKernel(x, y, n);
}
template <void (*kKernel)(const float*, float*, size_t, float) noexcept>
void with_alpha(const float* x, float* y, size_t n, float alpha, float) noexcept {
  kKernel(x, y, n, alpha);
}

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }  // NaN stays NaN

struct Function {
  Activation kind;
  kernels::ActivationF32 f32;
  double (*f64)(double x, double alpha, double beta);
};
constexpr Function kFunctions[] = {
    {Activation::leaky_relu, kernels::leaky_relu_above_f32,
     [](double x, double a, double least) {
       const double y = x < 0 ? a * x : x;
       return y < least ? least : y;
     }},
    {Activation::sigmoid, plain<kernels::sigmoid_f32>, [](double x, double, double) { return sigmoid(x); }},
    {Activation::hard_sigmoid, kernels::hard_sigmoid_f32, [](double x, double a, double b) { return unit(a * x + b); }},
    {Activation::hard_swish, plain<kernels::hard_swish_f32>,
     [](double x, double, double) { return x * unit(x / 6 + 0.5); }},
    {Activation::silu, plain<kernels::silu_f32>, [](double x, double, double) { return x * sigmoid(x); }},
    {Activation::tanh, plain<kernels::tanh_f32>, [](double x, double, double) { return std::tanh(x); }},
    {Activation::gelu, plain<kernels::gelu_f32>,
     [](double x, double, double) { return x / 2 * (1 + std::erf(x * std::sqrt(0.5))); }},
    {Activation::gelu_tanh, plain<kernels::gelu_tanh_f32>,
     [](double x, double, double) {
       return x / 2 * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
     }},
    {Activation::mish, plain<kernels::mish_f32>, [](double x, double, double) { return x * std::tanh(softplus(x)); }},
    {Activation::softplus, plain<kernels::softplus_f32>, [](double x, double, double) { return softplus(x); }},
    {Activation::elu, with_alpha<kernels::elu_f32>,
     [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
};

template <class T>
struct Sum {
  T operator()(T a, T b) const noexcept { return a + b; }
};

// The addition in a type that products have; integers wrap.
BinaryLoop sum_loop(DType type) {
  switch (type) {
    case DType::float64:
      return binary_loop<double, Sum<double>>;
    case DType::int32:
    case DType::uint32:
      return binary_loop<uint32_t, Sum<uint32_t>>;
    case DType::int64:
    case DType::uint64:
      return binary_loop<uint64_t, Sum<uint64_t>>;
    default:
      return kernel_loop<kernels::add_f32>;
  }
}

template <class T>
void clamp_elements(T* y, int64_t count, float lo, float hi) noexcept {
  for (int64_t i = 0; i < count; i++) {
    const double v = static_cast<double>(y[i]);
    if (v < static_cast<double>(lo)) y[i] = static_cast<T>(lo);
    if (v > static_cast<double>(hi)) y[i] = static_cast<T>(hi);
  }
}

}  // namespace

bool FusedSteps::fuse_clamp(float lo, float hi) {
  if (std::isnan(lo) || std::isnan(hi) || lo > hi) return false;
  if (activation_ == kernels::leaky_relu_above_f32 && hi == std::numeric_limits<float>::infinity()) {
    beta_ = std::max(beta_, lo);
    return true;
  }
  if (activation_) return false;
  // min(max(y, lo), hi) after an earlier clamp: both bounds are clamped.
  lo_ = std::min(std::max(lo_, lo), hi);
  hi_ = std::min(std::max(hi_, lo), hi);
  clamped_ = true;
  return true;
}

bool FusedSteps::fuse_scale_shift(std::span<const float> scale, std::span<const float> shift) {
  const int64_t n = static_cast<int64_t>(scale.size());
  if (has_tail() || scale.size() != shift.size() || (scaled() && scale_.count() != n)) return false;
  if (!scaled()) {
    scale_ = Tensor::allocate(DType::float32, {n});
    shift_ = Tensor::allocate(DType::float32, {n});
    std::ranges::copy(scale, scale_.data<float>());
    std::ranges::copy(shift, shift_.data<float>());
    return true;
  }
  for (size_t i = 0; i < scale.size(); i++) {
    scale_.data<float>()[i] *= scale[i];
    shift_.data<float>()[i] = shift_.data<float>()[i] * scale[i] + shift[i];
  }
  return true;
}

bool FusedSteps::fuse_activation(Activation kind, float alpha, float beta) {
  if (own_inputs_ == 0 || clamped_ || activation_) return false;
  const auto* found = std::ranges::find(kFunctions, kind, &Function::kind);
  if (found == std::end(kFunctions)) return false;
  activation_ = found->f32;
  activation_f64_ = found->f64;
  alpha_ = alpha;
  beta_ = kind == Activation::leaky_relu ? -std::numeric_limits<float>::infinity() : beta;
  return true;
}

int FusedSteps::fuse_residual() {
  if (own_inputs_ == 0 || clamped_ || activation_ || residuals_ == kMostResiduals) return -1;
  return own_inputs_ + residuals_++;
}

Shape FusedSteps::result_shape(InferContext& c, const Shape& product) const {
  Shape y = product;
  for (int i = own_inputs_; i < own_inputs_ + residuals_; i++) {
    c.require_input(i);
    c.require_same_dtype(0, i);
    y = broadcast(y, c.shape(i));
  }
  return y;
}

kernels::Epilogue FusedSteps::clamp() const noexcept {
  kernels::Epilogue e;
  e.lo = lo_;
  e.hi = hi_;
  return e;
}

bool FusedSteps::fit(RunContext& c, const Shape& product, bool columns, bool addends, kernels::Epilogue& e) const {
  const Tensor& y = c.output(0);
  if (residuals_ == 0) return true;
  if (y.dtype() != DType::float32 || !(y.shape() == product)) return false;
  for (int i = own_inputs_; i < own_inputs_ + residuals_; i++) {
    const Tensor& r = c.input(i);
    if (r.shape() == product && addends && !e.accumulate) {
      e.accumulate = true;
      e.addend = static_cast<ptrdiff_t>(reinterpret_cast<uintptr_t>(r.data<float>()) -
                                        reinterpret_cast<uintptr_t>(y.data<float>()));
    } else if (columns && !e.col_bias && r.rank() >= 1 && product.rank() >= 1 && r.count() == product.back() &&
               r.shape().back() == product.back()) {
      e.col_bias = r.data<float>();
    } else {
      return false;
    }
  }
  return true;
}

FusedSteps::Target FusedSteps::target(RunContext& c, const Shape& product, bool columns, bool addends) const {
  Target t{c.output(0), clamp()};
  t.epilogue.activation = activation_;
  t.epilogue.alpha = alpha_;
  t.epilogue.beta = beta_;
  const DType type = t.y.dtype();
  if (kFloat.has(type) && type != DType::float64 && fit(c, product, columns, addends, t.epilogue)) return t;
  return apart(c, product);
}

FusedSteps::Target FusedSteps::apart(RunContext& c, const Shape& product) const {
  return {residuals_ > 0 ? Tensor::allocate(c.output(0).dtype(), product) : c.output(0), {}, false};
}

void FusedSteps::end(RunContext& c, const Target& target) const {
  if (target.done) return;
  Tensor sum = target.y;
  for (int i = 0; i < residuals_; i++) {
    const Tensor& r = c.input(own_inputs_ + i);
    // Output 0 may be the last residual's memory, or any other's: it is written by the last addition alone.
    Tensor next = i + 1 == residuals_ ? c.output(0) : Tensor::allocate(sum.dtype(), broadcast(sum.shape(), r.shape()));
    run_binary(c.pool(), sum, r, next, sum_loop(sum.dtype()));
    sum = next;
  }
  apply_tail(c.pool(), c.output(0));
}

void FusedSteps::apply_tail(ThreadPool& pool, Tensor& y) const {
  if (!clamped_ && !activation_) return;
  pool.parallel_for(y.count(), kGrain, [&](int64_t from, int64_t to) {
    const int64_t n = to - from;
    switch (y.dtype()) {
      case DType::int32:
        return clamp_elements(y.data<int32_t>() + from, n, lo_, hi_);
      case DType::int64:
        return clamp_elements(y.data<int64_t>() + from, n, lo_, hi_);
      case DType::uint32:
        return clamp_elements(y.data<uint32_t>() + from, n, lo_, hi_);
      case DType::uint64:
        return clamp_elements(y.data<uint64_t>() + from, n, lo_, hi_);
      case DType::float64:
        clamp_elements(y.data<double>() + from, n, lo_, hi_);
        for (int64_t i = from; activation_f64_ && i < to; i++) {
          double& v = y.data<double>()[i];
          v = activation_f64_(v, static_cast<double>(alpha_), static_cast<double>(beta_));
        }
        return;
      default:
        break;
    }
    alignas(16) float block[kFloatBlock];
    for (int64_t i = from; i < to; i += kFloatBlock) {
      const int64_t count = std::min(kFloatBlock, to - i);
      load_floats(y.dtype(), y.bytes(), i, count, block);
      if (clamped_) kernels::clip_f32(block, block, static_cast<size_t>(count), lo_, hi_);
      if (activation_) activation_(block, block, static_cast<size_t>(count), alpha_, beta_);
      store_floats(y.dtype(), block, y.bytes(), i, count);
    }
  });
}

}  // namespace sardonyx
