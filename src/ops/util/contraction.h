// Sums of products of tensors over shared indices, by pairwise matrix products.
#pragma once
#include <vector>

#include "ops/operator.h"
#include "ops/util/equation.h"

namespace sardonyx {

// out = the sum, over the indices that are not the output's, of the product of all operands. All tensors have one type:
// float32, float64 or uint64; `out` is dense and not empty.
void contract(RunContext& c, const Equation::Indices& indices, std::vector<Tensor> operands, Tensor& out);

// The multiply-adds of its matrix products (Operator::macs).
double contraction_macs(const Equation::Indices& indices, std::span<const Shape> shapes);

}  // namespace sardonyx
