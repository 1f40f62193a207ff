// The second half of planning: views, in-place writing, lifetimes, arena offsets.
#pragma once
#include "runtime/plan.h"

namespace sardonyx {

// Gives every output of the plan's fixed steps its placement, and every step the list of heap values to let go after
// it.
void place_outputs(const Graph& graph, Plan& plan);

}  // namespace sardonyx
