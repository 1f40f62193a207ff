// The runs of an operator's subgraphs: handed over to the runtime, which makes one after the other, and may give others
// a turn between any two nodes.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "ops/operator.h"

namespace sardonyx {

// `inputs` are the graph's formal inputs in order, to be kept until the results are taken; captured values come by
// themselves.
struct SubgraphRun {
  const Graph* graph = nullptr;
  std::span<const Value> inputs;
};

class SubgraphRuns {
 public:
  virtual ~SubgraphRuns() = default;
  // The next run; without a graph: there are no more, and all outputs are set.
  virtual SubgraphRun next(RunContext& c) = 0;
  // Its results, which are owned and may be moved from.
  virtual void take(RunContext& c, std::vector<Value>& results) = 0;
};

// What operators with subgraphs are lent.
class SubgraphServices : public RunServices {
 public:
  // Makes the runs when Operator::run() has returned; that is over only after the last of them.
  virtual void take_over(std::unique_ptr<SubgraphRuns> runs) = 0;
};

class SubgraphOperator : public Operator {
 public:
  // Its context's services are SubgraphServices.
  void run(RunContext& c) const final { static_cast<SubgraphServices&>(c.services()).take_over(subgraph_runs(c)); }

 protected:
  virtual std::unique_ptr<SubgraphRuns> subgraph_runs(RunContext& c) const = 0;
};

}  // namespace sardonyx
