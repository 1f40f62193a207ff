// Comparing elements of any ordered type through one type, so that sorting is compiled once.
#pragma once
#include <span>
#include <vector>

#include "base/tensor.h"

namespace sardonyx {

// What has an order: numbers, bools, strings.
inline constexpr DTypeSet kOrdered = kNumeric | kBool | DTypeSet{DType::string};

// An int64 per element, in the order of the elements: equal for equal ones (0 and -0 are), NaN above all. Strings are
// ordered by bytes.
std::vector<int64_t> order_keys(const Tensor& tensor);

}  // namespace sardonyx
