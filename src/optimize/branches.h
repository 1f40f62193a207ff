// Ifs whose conditions are known once the shapes of a graph's inputs are, as exporters write them to tell ranks apart.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace sardonyx {

// Puts the nodes of the branch that is taken in an If's place, again and again, as those within may become known. The
// values of the given graph keep their ids.
class Branches {
 public:
  explicit Branches(const Graph& graph) : graph_(graph), kept_(graph.nodes.size(), 0) { reset(); }

  // With the branches that were taken.
  const Graph& graph() const noexcept { return own_ ? *own_ : graph_; }

  // Takes the branches of graph() that `known` (by value of graph(); none: unknown) decides; false: there are none.
  bool take(std::span<const Value> known);

  // A branch with a subgraph that is left over stays where it is, as that captures by the branch's ids. Are there such?
  // Then all begins again, without them.
  bool keep_left_over();

  // Results of what was taken, by value of graph(): the node of the given graph, and what the branch says of the
  // result.
  const std::map<ValueId, std::pair<const Node*, const ValueInfo*>>& results() const noexcept { return results_; }

  // graph(), if it is not the given one; to be called last.
  std::unique_ptr<const Graph> release() { return std::move(own_); }

 private:
  // Where a node of graph() comes from: the node of the given graph in whose place it stands, and by value of its
  // branch the id in graph() (null: they are the same).
  struct Origin {
    size_t root;
    std::shared_ptr<const std::vector<ValueId>> ids;
  };

  void reset();
  std::shared_ptr<const std::vector<ValueId>> put(const Graph& branch, const Node& node, const Origin& origin,
                                                  Graph& to);

  const Graph& graph_;
  std::vector<char> kept_;  // by node of the given graph: is it left as it is?
  std::unique_ptr<const Graph> own_;
  std::vector<Origin> origins_;  // by node of graph()
  std::map<ValueId, std::pair<const Node*, const ValueInfo*>> results_;
};

}  // namespace sardonyx
