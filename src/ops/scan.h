// The operator Scan, which control.cpp lists.
#pragma once
#include "ops/operator.h"

namespace sardonyx {

// Version 8 (batches, sequence lengths) or 9 (axes and directions).
std::unique_ptr<Operator> make_scan(const Attributes& attributes);

}  // namespace sardonyx
