// What the attention operators of com.microsoft share: masks of many forms, the cache, and the end.
#pragma once
#include "ops/operator.h"
#include "ops/util/attention_core.h"

namespace sardonyx {

// Attributes that MultiHeadAttention, Attention and QAttention have in common.
struct AttentionAttributes {
  int64_t heads;
  float filter;  // what a masked key's score is lowered by
  AttentionRules rules;

  explicit AttentionAttributes(const Attributes& a);
};

// Positions of inputs, -1 where the operator has none.
struct MaskInputs {
  int mask = -1, bias = -1;
};

// Checks the mask and the bias against the sizes.
void require_masks(InferContext& c, const MaskInputs& inputs, const AttentionSizes& s);

// Where the new queries, keys and values lie; of float32.
struct NewVectors {
  const float *q, *k, *v;
  VectorLayout q_at, k_at, v_at;
};

// The keys and values of the past, and where those with the new ones go: [batch][heads][rows][size] each.
struct Cache {
  Tensor past, present;  // undefined: none
  int64_t shared = -1;   // of rows in `past` where it is as long as `present`; -1: all of it
};

// Attends and writes the result [batch][queries][heads * v_size] into output 0. Takes the run's scratch.
void attend_masked(RunContext& c, const AttentionAttributes& a, const AttentionSizes& s, const MaskInputs& inputs,
                   const NewVectors& x, const Cache& keys, const Cache& values, Tensor* scores);

}  // namespace sardonyx
