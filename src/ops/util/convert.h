// Conversions of whole tensors between element types, by the rules of the standard's Cast.
#pragma once
#include "base/tensor.h"
#include "base/thread_pool.h"

namespace sardonyx {

struct ConvertRules {
  // Of the 8-bit floats: values out of range become the largest finite one, else NaN or infinity.
  bool saturate = true;
  // To float8e8m0 only: away from zero, toward zero, or to the nearest with ties away from zero.
  enum class Rounding : uint8_t { up, down, nearest } e8m0 = Rounding::up;
};

// y = x in y's type; the counts are equal, neither type is complex; x and y share no memory. Integers wrap. Floating
// point out of an integer's range (undefined in the standard) saturates in the 32- and 64-bit signed types and wraps in
// the others, as far as it fits int32 or int64.
// Strings that are no numbers throw Error (runtime_error).
void convert(ThreadPool& pool, const Tensor& x, Tensor& y, const ConvertRules& rules);

// The same on the calling thread, into a new tensor (or x itself where it has the type already).
Tensor convert(const Tensor& x, DType to);

// The shortest decimal number that reads back as the same value; "INF", "-INF", "NaN".
std::string float_to_string(float value);
std::string double_to_string(double value);

}  // namespace sardonyx
