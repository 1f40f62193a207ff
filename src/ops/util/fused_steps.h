// The steps that products and convolutions take over from their neighbours.
#pragma once
#include <limits>

#include "base/tensor.h"
#include "kernels/epilogue.h"
#include "ops/fusible.h"
#include "ops/operator.h"

namespace sardonyx {

// y = f(clamp(product * scale[c] + shift[c] + residuals)): what was fused, in order. c: the output channel.
class FusedSteps : public Fusible {
 public:
  // own_inputs: how many inputs the operator has itself; residuals come behind them. 0: no residuals, no activations.
  explicit FusedSteps(int own_inputs = 0) : own_inputs_(own_inputs) {}

  bool fuse_clamp(float lo, float hi) override;
  bool fuse_widening() override { return widens_ = own_inputs_ > 0; }  // MatMul, Gemm and Conv
  bool widens() const noexcept override { return widens_; }
  bool fuse_scale_shift(std::span<const float> scale, std::span<const float> shift) override;
  bool fuse_activation(Activation kind, float alpha, float beta) override;
  int fuse_residual() override;

  bool scaled() const noexcept { return scale_.defined(); }
  std::span<const float> scale() const noexcept { return scaled() ? scale_.values<float>() : std::span<const float>(); }
  std::span<const float> shift() const noexcept { return scaled() ? shift_.values<float>() : std::span<const float>(); }
  // Was anything but a scale fused? Then nothing that comes before that can be fused any more.
  bool has_tail() const noexcept { return clamped_ || activation_ || residuals_ > 0; }

  // Input 1 has the type of input 0, or was widened to that.
  void require_weight_dtype(InferContext& c) const {
    if (!widens_ || c.dtype(1) != DType::float16) return c.require_same_dtype(0, 1);
    check(c.dtype(0) == DType::float32, ErrorCode::invalid_model, "inputs 0 and 1 must have the same type, not ",
          c.dtype(0), " and ", DType::float32);
  }

  // How many inputs the node has with the residuals; the shape of the output, checked; what output 0 may be written
  // over.
  int most_inputs(int own) const noexcept { return residuals_ > 0 ? own_inputs_ + residuals_ : own; }
  Shape result_shape(InferContext& c, const Shape& product) const;
  uint32_t residual_inputs() const noexcept { return ((1u << residuals_) - 1) << own_inputs_; }

  // Where the product goes and what its kernel adds. What the kernel cannot do is left to end(): then the epilogue is
  // empty. The kernel computes in float32 whatever float type y has, but for float64.
  struct Target {
    Tensor y;
    kernels::Epilogue epilogue;
    bool done = true;
  };
  // columns: a residual of one value per column may become the epilogue's col_bias. addends: may the kernel add others?
  Target target(RunContext& c, const Shape& product, bool columns, bool addends = true) const;
  // The same where no kernel does any of it.
  Target apart(RunContext& c, const Shape& product) const;
  // Brings y, which holds the product, to output 0.
  void end(RunContext& c, const Target& target) const;

  // An epilogue that only clamps.
  kernels::Epilogue clamp() const noexcept;

  // y * scale + shift where no kernel does it: element i of y belongs to channel i / inner % channels.
  template <class T>
  void apply_scale(T* y, int64_t count, int64_t inner) const noexcept {
    for (int64_t i = 0; scaled() && i < count; i++) {
      const int64_t c = i / inner % scale_.count();
      y[i] = static_cast<T>(static_cast<double>(y[i]) * static_cast<double>(scale_.data<float>()[c]) +
                            static_cast<double>(shift_.data<float>()[c]));
    }
  }
  // Clamp and activation over a whole tensor of any type that products have.
  void apply_tail(ThreadPool& pool, Tensor& y) const;

 private:
  bool fit(RunContext& c, const Shape& product, bool columns, bool addends, kernels::Epilogue& e) const;

  Tensor scale_, shift_;  // tensors have the slack that kernels may read
  float lo_ = -std::numeric_limits<float>::infinity();
  float hi_ = std::numeric_limits<float>::infinity();
  bool clamped_ = false, widens_ = false;
  kernels::ActivationF32 activation_ = nullptr;
  double (*activation_f64_)(double x, double alpha, double beta) = nullptr;
  float alpha_ = 0, beta_ = 0;
  int own_inputs_, residuals_ = 0;
};

}  // namespace sardonyx
