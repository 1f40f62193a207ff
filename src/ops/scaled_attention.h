// Attention as the passes make it of the nodes that models write it out in.
#pragma once
#include <memory>

#include "ops/operator.h"

namespace sardonyx {

// y = softmax(scale * q k^T + mask) v in float32, with numpy's broadcasting, as MatMul, Add, Softmax and MatMul have
// it. Each of q, k, v and y is [batch][heads][rows][size], or [batch][rows][heads][size] where rows_first says so.
struct ScaledAttentionForm {
  enum Tensor { kQuery, kKey, kValue, kResult };
  bool rows_first[4] = {};
  float scale = 1;
  int64_t group = 1;   // heads of queries that share one head of keys and of values
  bool zeros = false;  // what a query gets to which the mask leaves no key: zeros, or else NaN as Softmax has it
};

// Inputs: q, k, v and, optionally, the mask, of rank 4 at most.
std::shared_ptr<Operator> make_scaled_attention(const ScaledAttentionForm& form);

}  // namespace sardonyx
