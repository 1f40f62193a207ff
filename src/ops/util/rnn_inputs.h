// What recurrent operators read of their attributes and inputs; those from B on have the same places in all.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.h"
#include "ops/util/rnn_cells.h"

namespace sardonyx {

struct RnnActivations {
  std::vector<RnnActivation> list;  // direction after direction
  bool usual = true;                // all are the defaults
};

// Those that `names` names (none: the defaults, `usual`; one direction's serve both), with the alphas and betas of the
// attributes. Throws Error (invalid_model) where there are more, or fewer, or one is unknown.
RnnActivations read_activations(const Attributes& a, std::vector<std::string> names,
                                const std::vector<std::string>& usual, int64_t directions);

// Throws Error (invalid_input) for another shape of input `i`, if that is there.
void require_shape(const InferContext& c, int i, std::string_view name, const Shape& shape);

// hidden_size, 0 where it is not stated, beside what R has. Throws Error.
void require_hidden(int64_t stated, int64_t hidden);

// B, sequence_lens, initial_h, initial_c and P: inputs 3 to 7, as far as they are there. all: gates times hidden;
// state: the shape of initial_h and initial_c. Throws Error.
void require_states(const InferContext& c, int64_t directions, int64_t batch, int64_t all, int64_t hidden,
                    const Shape& state);

// The lengths of a batch's sequences, all steps where none are given. Throws Error (runtime_error) for one that does
// not fit.
std::vector<int64_t> sequence_lengths(const Tensor* given, int64_t batch, int64_t steps);

}  // namespace sardonyx
