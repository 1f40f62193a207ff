// Nodes that only put bytes together or apart: the runtime may let their parts be the bytes of the whole.
#pragma once
#include "graph/graph.h"

namespace sardonyx {

enum class Movement {
  none,
  join,   // output 0 is the inputs side by side along one axis; run() leaves a part that is in its place already
  split,  // the outputs, side by side along one axis, are input 0; likewise
};

inline Movement movement_of(const Node& node) {
  if (!node.domain.empty()) return Movement::none;
  return node.op_type == "Concat" ? Movement::join : node.op_type == "Split" ? Movement::split : Movement::none;
}

}  // namespace sardonyx
