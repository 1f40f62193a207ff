// Results that are made in memory of the caller's.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "base/value.h"
#include "graph/graph.h"

namespace sardonyx {

// Values of a frame, each with the memory for it where its type and shape turn out to be those.
using BoundResults = std::vector<std::pair<const Value*, Tensor>>;

// `into`: positions of outputs with memory for them, `inputs` and `frame` those of the run. Memory that is an input's
// too is taken only where no one else can see that it changes.
BoundResults bound_results(const Graph& graph, std::span<const Value> frame, std::span<const Value> inputs,
                           std::span<const std::pair<int, Tensor>> into);

}  // namespace sardonyx
