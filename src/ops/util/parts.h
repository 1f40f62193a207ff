// Cutting tensors: Split, SplitToSequence, the slices that Scan feeds.
#pragma once
#include <vector>

#include "ops/operator.h"

namespace sardonyx {

// Elements [from, from + shape[axis]) of x's axis into y, which has x's other dimensions (or none at all at `axis`, for
// one element).
void cut(ThreadPool& pool, const Tensor& x, int axis, int64_t from, int64_t count, Tensor& y);

// Element `index` of x's axis, without that axis: a view of x where its bytes lie together (and are aligned to 16),
// else a copy.
Tensor element_at(ThreadPool& pool, const Tensor& x, int axis, int64_t index);

// Checks that `sizes` are not negative and sum up to `dim`: Error (invalid_model).
void require_sizes(std::span<const int64_t> sizes, int64_t dim, int axis);

// `dim` in pieces of `chunk`, the last of what is left.
std::vector<int64_t> even_sizes(int64_t dim, int64_t chunk);

}  // namespace sardonyx
