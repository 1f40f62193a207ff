// A loaded model that can be run.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "ops/registry.h"
#include "runtime/profile.h"

namespace sardonyx {

struct SessionOptions {
  int optimization_level = 2;  // 0: run the graph as it is; 1: folding and dead code; 2: fusions too
  int threads = 1;
  bool winograd = true;  // false: convolutions are summed directly, with a third of the error
  // Fixes symbolic dimensions by name.
  std::vector<std::pair<std::string, int64_t>> free_dimensions;
  CustomOperators custom_operators;
};

struct MemoryUse {
  uint64_t weights = 0;  // bytes of constants, as in the file
  uint64_t packed = 0;   // bytes that operators hold in their own form
  uint64_t arena = 0;    // bytes of the arenas of all plans' graphs
  uint64_t scratch = 0;
};

struct RunOptions {
  // Asked between nodes; true stops the run with Error (aborted).
  std::function<bool()> should_abort;
  // Filled with one entry per node run, if not null.
  Profile* profile = nullptr;
  // Positions of outputs with memory for them: results of that type and shape are made there where that is safe. A
  // tensor whose memory a feed has too is written in place where the only operator that reads the feed can do so.
  std::vector<std::pair<int, Tensor>> into;
  // Positions of outputs whose results may have room for more rows (Tensor::has_room()), so that a run that is fed such
  // a one need not copy it to append to it. A tensor with room never changes, and shares its bytes with longer ones.
  std::vector<int> kept;
};

class Session {
 public:
  // Binds operators, runs the graph passes, prepares operators. Throws Error; nothing is left behind then.
  static std::unique_ptr<Session> create(Model model, const SessionOptions& options);
  ~Session();

  // Positions of the model's inputs that must be fed, and all outputs, in the model's order.
  struct Port {
    std::string name;
    Type type;
    bool optional = false;  // has a default (an initializer), or is declared optional
  };
  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;
  const Model& model() const;

  // feeds: one Value per input() in order; a none Value for those left out. Checks names, types, ranks and dimensions
  // against the declaration: Error (invalid_input). wanted: positions of outputs to compute. The results are owned by
  // the caller. An error leaves the session as it was.
  std::vector<Value> run(std::span<const Value> feeds, std::span<const int> wanted, const RunOptions& options = {});

  // The same in slices, so that others get a turn between nodes: begin(), then advance() until it says that all nodes
  // have run, then finish(). advance() runs nodes until the milliseconds are over, at least one. An error, cancel(), or
  // another begin() or run() ends it.
  void begin(std::span<const Value> feeds, std::span<const int> wanted, const RunOptions& options = {});
  bool advance(double milliseconds);
  std::vector<Value> finish();
  void cancel() noexcept;

  MemoryUse memory() const;
  // Multiply-adds (Operator::macs) of the last run, that of its subgraphs included. Before the first, where all inputs
  // are declared with their shapes: of what is known before a run. Else -1.
  double macs() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sardonyx
