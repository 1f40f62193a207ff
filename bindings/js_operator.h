// Operators that are written in JavaScript.
#pragma once
#include <emscripten/val.h>

#include "runtime/session.h"

namespace sardonyx {

// `find(domain, opType)` answers undefined, or {infer?, run}: infer(inputs, attributes) gives the outputs' [{dtype,
// dims}], or undefined where they depend on data; run(inputs, attributes, wanted) gives the outputs as values. Inputs
// are values, for infer without data; left-out ones are null. Either may answer {error: message} instead.
CustomOperators custom_operators_of(const emscripten::val& find);

}  // namespace sardonyx
