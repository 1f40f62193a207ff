// What most passes need at hand: who makes and who reads a value, and the replacing of nodes.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "optimize/static_types.h"

namespace sardonyx {

// Made once per pass, in time linear in the graph. Nodes are taken by their position, which stays; removed ones go with
// the rewriter.
class Rewriter {
 public:
  Rewriter(Graph& graph, const StaticTypes& types);
  ~Rewriter();  // takes out the removed nodes
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  Graph& graph;
  const StaticTypes& types;

  size_t size() const noexcept { return graph.nodes.size(); }
  Node& node(size_t n) { return graph.nodes[n]; }
  bool is_removed(size_t n) const noexcept { return removed_[n]; }
  // Is node n one of ai.onnx, of this type, and not removed?
  bool is(size_t n, std::string_view type) const;

  // How often the value is read: by nodes, by their subgraphs, and as a result.
  int uses(ValueId id) const { return id == kNoValue ? 0 : uses_[static_cast<size_t>(id)]; }
  // The position of the node that makes it, -1 for inputs, constants, captured and new values.
  int producer(ValueId id) const;
  // The node of this type that makes the value, or null. The value must be its first output.
  Node* producer(ValueId id, std::string_view type);
  // Likewise where the value has no other reader.
  Node* only_producer(ValueId id, std::string_view type) {
    return id != kNoValue && uses(id) == 1 ? producer(id, type) : nullptr;
  }

  // The data of a constant, or null.
  const Tensor* constant(ValueId id) const;
  // The element of a constant float of one element.
  std::optional<double> scalar(ValueId id) const;
  // All elements of a constant of integers.
  std::optional<std::vector<int64_t>> integers(ValueId id) const;
  ValueId add_constant(Tensor tensor);

  // Node n is gone; what it read has a reader less. Its outputs must have no readers left, or another producer.
  void remove(size_t n);
  // Node n becomes this one, which makes the same outputs (or fewer) from values that are made before it. Its operator
  // is bound here if it has none; false, and nothing is changed, where there is none of that version, or it refuses the
  // attributes.
  bool replace(size_t n, Node node);
  // Makes node n read `to` where it read input `input`.
  void set_input(size_t n, size_t input, ValueId to);
  // Node n reads `id` as its input `input` too, which is past its last one; those in between are left out.
  void add_input(size_t n, size_t input, ValueId id);
  // Node n makes `to` instead of its first output, which must have no readers left.
  void set_output(size_t n, ValueId to);
  // Lets all readers read `to` when the pass is over; not for results of the graph.
  void forward(ValueId from, ValueId to);

 private:
  void count(ValueId id, int change);

  std::vector<int> uses_, producers_;
  std::vector<char> removed_;
  std::vector<ValueId> forward_;
  bool forwards_ = false, removes_ = false;
};

// A node of ai.onnx as passes make it.
Node make_node(std::string_view type, int opset, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
               Attributes attributes = {}, std::string name = {});

}  // namespace sardonyx
