// Numbers to strings and back, for Cast.
#pragma once
#include "base/tensor.h"

namespace sardonyx {

// y[i] = the number that x[i] spells; y is float32, float64, int64 or uint64. Plain and scientific notation, "INF",
// "+INF", "-INF" and "NaN" in any case. Throws Error (runtime_error) for other strings.
void parse_numbers(const Tensor& x, Tensor& y);

// y[i] = x[i] as a string; x is of any type but string and complex. Booleans are "1" and "0".
void print_numbers(const Tensor& x, Tensor& y);

}  // namespace sardonyx
