// A plan: what a graph's run does for one set of input types and shapes.
#pragma once
#include <vector>

#include "graph/graph.h"
#include "ops/operator.h"
#include "runtime/memory_planner.h"

namespace sardonyx {

// Where an output's memory comes from.
struct Placement {
  enum class Kind : uint8_t {
    none,      // no one wants it
    arena,     // at `offset` of the plan's arena
    heap,      // allocated at its step (results of the graph)
    alias,     // the bytes of value `alias`, under this shape: a view, or written in place
    deferred,  // made by the operator while it runs
  };
  Kind kind = Kind::none;
  DType dtype = DType::undefined;
  Shape shape;
  uint64_t offset = 0;
  ValueId alias = kNoValue;
};

struct Step {
  int node = 0;
  // Some input shape is known only when the step is reached: infer is called then, outputs come from the heap.
  bool dynamic = false;
  // The node's only output is a view: nothing is left to run.
  bool view = false;
  std::vector<Placement> outputs;  // fixed steps: one per output
  std::vector<ValueId> release;    // heap values that no later step reads
};

// The type and shape of an input or a captured value; dtype is undefined where it is no tensor.
struct InputKey {
  DType dtype = DType::undefined;
  Shape shape;
  bool operator==(const InputKey& o) const noexcept { return dtype == o.dtype && shape == o.shape; }
};

struct Plan {
  std::vector<InputKey> key;  // graph.inputs, then graph.captures
  std::vector<Step> steps;
  // By value: constants and results of nodes that were folded while planning, none elsewhere.
  std::vector<Value> known;
  uint64_t arena_size = 0;
  double macs = 0;  // of the fixed steps (Operator::macs)
};

// Throws Error (invalid_model) where a graph's output is declared as a tensor of another element type than `dtype`.
void check_declared(const ValueInfo& output, DType dtype);

// Infers all nodes in order, folds what depends on shapes only, lays out the arena.
// Throws Error with the place of the node that does not fit its inputs.
Plan make_plan(const Graph& graph, std::vector<InputKey> key);

}  // namespace sardonyx
