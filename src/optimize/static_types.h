// What is known of values before any feed is: types, ranks, and the dimensions that are the same for all feeds.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "optimize/open_dims.h"

namespace sardonyx {

// Everything that the passes know of one tensor. Undefined where it may be no tensor, or where nothing is known.
struct StaticType {
  DType dtype = DType::undefined;
  bool has_shape = false;
  // Two shapes that the value has for two sets of feeds; where they agree, the dimension is the same for all feeds.
  Shape first, second;

  bool known() const noexcept { return has_shape; }
  int rank() const noexcept { return first.rank(); }
  // The dimension, or -1 where it differs from feed to feed.
  int64_t dim(int i) const noexcept { return first[i] == second[i] ? first[i] : -1; }
  // Is every dimension the same for all feeds?
  bool fixed() const noexcept { return has_shape && first == second; }
  bool same_shape(const StaticType& o) const noexcept {
    return has_shape && o.has_shape && first == o.first && second == o.second;
  }
};

// By value id; what passes add later lies past the end and is unknown. No larger than it has to be, as it is there when
// most else is.
class StaticTypes {
 public:
  StaticTypes() = default;
  explicit StaticTypes(size_t values) : list_(values) {}
  // Both shapes have the same rank.
  void set(ValueId id, DType dtype, const Shape& first, const Shape& second);
  StaticType operator[](ValueId id) const;

 private:
  struct Entry {
    DType dtype = DType::undefined;
    uint8_t rank = 0;
    std::unique_ptr<int64_t[]> dims;  // of both shapes; null: unknown
  };
  std::vector<Entry> list_;
};

// What infer_static_types() tells those who ask, besides.
struct TypeNotes {
  // The two sizes that stand for a dimension that the model's inputs name.
  struct Symbol {
    std::string name;
    int64_t first, second;
  };
  // A node whose inference fails for both trials in the same words.
  struct Problem {
    const Graph* graph;
    size_t node;
    std::string reason;
  };
  // Small integers that are the same for all feeds, computed of shapes.
  struct KnownValue {
    const Graph* graph;
    ValueId id;
    std::vector<int64_t> elements;
  };
  std::vector<KnownValue> values;
  std::vector<Symbol> symbols;
  std::vector<Problem> problems;
  std::map<const Graph*, StaticTypes> inner;  // of graphs in attributes, as far as they are known
};

// Runs the operators' inference twice, with two sizes for each dimension that the model leaves open, far apart and of
// many factors of 2; dimensions of one name have one size. Best effort: where an operator needs data, or does not take
// the sizes, nothing is known from there on. Where a result could be cut to a fixed size (Slice), it is not believed.
// inputs: are the inputs' declarations held to? A model's are; those of a loop's body may say anything.
// With notes, the graphs of If, Loop and Scan are looked into, and nodes without an operator are passed over.
StaticTypes infer_static_types(const Graph& graph, bool inputs, TypeNotes* notes = nullptr);

// The same for passes. outer: of the graph around an inner one, whose captured values are known by it; null: the
// model's own graph, whose inputs' declarations are held to. All graphs of a model share `open`.
StaticTypes infer_static_types(const Graph& graph, const StaticTypes* outer, OpenDims& open);

}  // namespace sardonyx
