// Joining and stacking tensors: Concat, ConcatFromSequence, the outputs of Loop and Scan.
#pragma once
#include <span>

#include "ops/operator.h"

namespace sardonyx {

// The shape of `parts` joined along `axis`. Throws Error (`code`) where ranks or other dimensions differ; of a part
// that has nothing along `axis` only the rank counts (empty caches come with a batch of 0).
Shape joined_shape(std::span<const Shape* const> parts, int axis, ErrorCode code);

// Writes the parts, all of y's type, into y along `axis`.
void join(ThreadPool& pool, std::span<const Tensor* const> parts, int axis, Tensor& y);

// The parts along a new axis `axis`, each of type `dtype` and shape `shape`; reversed: the last comes first. Throws
// Error (runtime_error) for a part of another type or shape. `what` names a part in the message.
Tensor stack(ThreadPool& pool, std::span<const Tensor> parts, DType dtype, const Shape& shape, int axis, bool reversed,
             std::string_view what);

}  // namespace sardonyx
