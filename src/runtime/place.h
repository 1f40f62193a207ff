// Adds the place to errors: which node, with which inputs.
#pragma once
#include <exception>
#include <new>
#include <span>

#include "base/error.h"
#include "graph/graph.h"

namespace sardonyx {

// "float32(1x3), int64(2), none" of a node's inputs; null is one that is left out.
std::string describe_values(std::span<const Value* const> inputs);

// Calls body(); an Error without a place gets that of `node`, and describe() for its values; what else is thrown
// becomes an Error (a failed allocation: out_of_memory).
template <class Body, class Describe>
void with_place(const Graph& graph, const Node& node, Describe&& describe, Body&& body) {
  const auto add_place = [&](Error& e) {
    if (!e.op_type.empty()) return;
    e.op_type = node.op_type;
    e.node = node.label(graph);
    e.values = describe();
  };
  try {
    body();
  } catch (Error& e) {
    add_place(e);
    throw;
  } catch (const std::bad_alloc&) {
    Error e(ErrorCode::out_of_memory, "no memory left");
    add_place(e);
    throw e;
  } catch (const std::exception& other) {
    Error e(ErrorCode::runtime_error, other.what());
    add_place(e);
    throw e;
  }
}

}  // namespace sardonyx
