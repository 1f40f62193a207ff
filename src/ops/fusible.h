// What an operator that ends in a product can take over from its neighbours (graph passes ask through fusible()).
#pragma once
#include <cstdint>
#include <span>

namespace sardonyx {

// Activations that products compute in their epilogue; alpha and beta as the ONNX operators name them, else ignored.
enum class Activation : uint8_t {
  leaky_relu,    // alpha
  sigmoid,       // Sigmoid
  hard_sigmoid,  // alpha, beta
  hard_swish,    // HardSwish
  silu,          // x * sigmoid(x): Swish with alpha 1
  tanh,          // Tanh
  gelu,          // Gelu, approximate "none"
  gelu_tanh,     // Gelu, approximate "tanh"
  mish,          // Mish
  softplus,      // Softplus
  elu,           // alpha
};

// Each call says whether the operator took the step over; if so the neighbour is to be removed. Only before prepare().
// Steps behind the product are applied in the order of the calls; what comes too late (anything behind an activation,
// anything but a clamp behind a clamp) is refused. A node whose output others read too must not be offered.
class Fusible {
 public:
  // y = min(max(y, lo), hi), NaN stays NaN: Relu, Clip, Relu6.
  virtual bool fuse_clamp(float lo, float hi) = 0;
  // y = y * scale[c] + shift[c] per output channel (as many as there are output channels): BatchNormalization. The
  // channel is axis 1.
  virtual bool fuse_scale_shift(std::span<const float> scale, std::span<const float> shift) = 0;
  // y = f(y).
  virtual bool fuse_activation(Activation, float /*alpha*/, float /*beta*/) { return false; }
  // y = y + r with numpy's broadcasting (Add, opset 7 on; r may be the first operand as well): a bias of any shape or a
  // residual, constant or not. r becomes an input of the node. Returns its index in the node's inputs (put kNoValue
  // before it where others are left out), or -1. The pass sees to it that r is made before this node runs: of two
  // products that are added, the later one is asked. Two may be fused, one after the other. No shape has to be known.
  virtual int fuse_residual() { return -1; }
  // y = y * factor (Mul or Div by one constant number).
  virtual bool fuse_factor(float) { return false; }
  // Input `input` is the result of a Transpose with this (complete) permutation; the operator reads the Transpose's own
  // input from now on. Only MatMul with permutations of rank 2 or more; for rank > 2 any order of the axes.
  virtual bool fuse_transpose(int /*input*/, std::span<const int64_t> /*perm*/) { return false; }
  // Input 1 is a float16 constant that a Cast widens to float32; the operator may be given the constant from now on.
  virtual bool fuse_widening() { return false; }
  virtual bool widens() const noexcept { return false; }  // was it?
  // Convolutions are summed directly from now on, not by Winograd's algorithm.
  virtual void avoid_winograd() {}

 protected:
  ~Fusible() = default;
};

}  // namespace sardonyx
