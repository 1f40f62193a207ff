// The random operators, which fill.cpp lists.
#pragma once
#include "ops/operator.h"

namespace sardonyx {

std::unique_ptr<Operator> make_random_normal(const Attributes& attributes);
std::unique_ptr<Operator> make_random_normal_like(const Attributes& attributes);
std::unique_ptr<Operator> make_random_uniform(const Attributes& attributes);
std::unique_ptr<Operator> make_random_uniform_like(const Attributes& attributes);
std::unique_ptr<Operator> make_multinomial(const Attributes& attributes);
std::unique_ptr<Operator> make_bernoulli(const Attributes& attributes);

}  // namespace sardonyx
