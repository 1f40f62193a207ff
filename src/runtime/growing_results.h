// Results that are a feed with more rows, as caches of keys and values: they get room, and a later run appends to them.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "base/value.h"
#include "graph/graph.h"

namespace sardonyx {

// Values of a frame that may have room, each with the feed behind whose rows it has its own.
using GrowingResults = std::vector<std::pair<const Value*, const Value*>>;

// `kept`: positions of outputs that may have room, where their producer and all readers take it. Feeds in the frame
// that have room are replaced by dense copies where a reader does not take it.
GrowingResults growing_results(const Graph& graph, std::span<Value> frame, std::span<const int> kept);

// Memory for a result of this type and shape that begins with the rows of `past`: behind those of `past` itself where
// no one has taken that room, else new, with room. Dense where it has no more rows than `past`.
Tensor memory_behind(const Tensor& past, DType dtype, const Shape& shape);

}  // namespace sardonyx
