// C++ values and descriptions as plain JavaScript objects, and back. web/src/native.ts declares the same shapes.
#pragma once
#include <emscripten/val.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/value.h"
#include "runtime/session.h"

namespace sardonyx {

// A Uint8Array over the heap; to be used at once: growth of the heap detaches it.
emscripten::val view_of(std::byte* bytes, size_t size);

// A value is null or undefined, a tensor {dtype, dims, data}, a sequence {dtype, items}, or a map {keys, values}.
// dtype is DType's number; data is a Uint8Array of the elements as stored, or an array of strings.
// Throws Error (invalid_input, out_of_memory).
Value value_from_js(const emscripten::val& js);

// {dtype, dims} both ways: the type and shape of a tensor. Throws Error (invalid_input).
std::pair<DType, Shape> type_from_js(const emscripten::val& js);
emscripten::val type_to_js(DType dtype, const Shape& shape);

// Error (invalid_input) where `target` {dtype, dims} is of another type or shape.
void check_target(const Tensor& tensor, const emscripten::val& target);

// The elements are copied into new arrays, or into the data of `target`, a tensor of the same type and shape;
// Error (invalid_input) where it is of another.
emscripten::val value_to_js(const Value& value, const emscripten::val& target = emscripten::val::undefined());

// [{name, optional, kind, dtype, shape?, element?}]: a dimension is a number, a name, or -1 where nothing is known.
emscripten::val ports_to_js(const std::vector<Session::Port>& ports);

// Producer, versions, opsets, metadata_props, and how many nodes of each operator and elements of constants there are.
emscripten::val metadata_to_js(const Model& model);

emscripten::val profile_to_js(const Profile& profile);

}  // namespace sardonyx
