// How many multiply-adds products take; as doubles, since shapes that no memory can hold are counted too.
#pragma once
#include <span>

#include "ops/operator.h"

namespace sardonyx {

// Operator::macs for what infer() has stated.
inline double macs_of(const Operator& op, std::span<const InferInput> inputs, std::span<const InferOutput> outputs) {
  for (const InferOutput& out : outputs) {
    if (out.state == InferOutput::State::known) return op.macs(inputs, outputs[0].shape);
  }
  return 0;
}

inline double product_of(std::span<const int64_t> dims) noexcept {
  double product = 1;
  for (int64_t d : dims) product *= static_cast<double>(d);
  return product;
}

// Of a convolution: each element of the output takes one channel of the weights (of rank 1 or more).
inline double conv_macs(const Shape& output, const Shape& weights) {
  return product_of(output.dims()) * product_of(weights.dims().subspan(1));
}

// Of a matrix product whose left operand has `inner` elements per element of the output.
inline double matmul_macs(const Shape& output, int64_t inner) {
  return product_of(output.dims()) * static_cast<double>(inner);
}

}  // namespace sardonyx
