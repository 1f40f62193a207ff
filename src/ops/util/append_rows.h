// Rows behind the rows of matrices that may have room for them.
#pragma once
#include <span>

#include "ops/operator.h"

namespace sardonyx {

// y, of rank 2 at least, = the parts side by side along axis rank - 2, all of y's type, which is addressable. The first
// and y may have room; what is in its place already is left.
void append_rows(ThreadPool& pool, std::span<const Tensor* const> parts, Tensor& y);

}  // namespace sardonyx
