// The operators of the selection family that have files of their own; selection.cpp lists all.
#pragma once
#include "ops/operator.h"

namespace sardonyx {

std::unique_ptr<Operator> make_top_k(const Attributes& attributes);
std::unique_ptr<Operator> make_unique_operator(const Attributes& attributes);
std::unique_ptr<Operator> make_non_max_suppression(const Attributes& attributes);

}  // namespace sardonyx
