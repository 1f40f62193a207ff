// Operators of com.microsoft that are operators of the standard under another name, or with something behind them.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "ops/operator.h"

namespace sardonyx {

// The operator `type` of the standard at `opset`, from its family's table, made from the attributes of another one;
// those that it reads count as read.
std::unique_ptr<Operator> make_standard(std::span<const OpEntry> family, std::string_view type, int opset,
                                        const Attributes& a);

std::unique_ptr<Operator> make_fused_matmul(const Attributes& a);  // ops/matmul.cpp

}  // namespace sardonyx
