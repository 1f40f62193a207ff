// Constants that scale and shift by the channel, as passes fold them into what is before.
#pragma once
#include <optional>
#include <vector>

#include "optimize/rewriter.h"

namespace sardonyx {

// y = x * scale[c] + shift[c], finite numbers.
struct Affine {
  std::vector<float> scale, shift;
};

// The axis that the channels are along, and how large all is.
struct Channels {
  int rank;
  int axis;
  int64_t count;
};

// What node n, which is a Mul, Div, Add or Sub of its input `x` and a constant float32, does to the channels of x;
// nullopt where it does anything else, or changes x's shape.
std::optional<Affine> read_affine(const Rewriter& r, const Node& node, size_t x, const Channels& channels);

// What a BatchNormalization in inference mode with constant parameters does.
std::optional<Affine> read_batch_normalization(const Rewriter& r, const Node& node);

// A BatchNormalization node of x (float32) that does it.
Node make_batch_normalization(Rewriter& r, ValueId x, const Affine& affine, std::vector<ValueId> outputs);

// Puts what was done to the input of the convolution at n into its constant weights and bias (float32), which become
// new constants; false where it cannot be: a shift does not reach what the convolution pads with zeros.
bool scale_weights(Rewriter& r, size_t n, const Affine& affine);

// First a, then b.
Affine chained(const Affine& a, const Affine& b);

}  // namespace sardonyx
