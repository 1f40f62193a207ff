// Types and shapes of all values: what the engine infers (runtime/type_report.h), and element types by the operators'
// type variables where it cannot.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/check.h"

namespace sardonyx::tools {

struct KnownDim {
  int64_t value = -1;
  std::string name;  // where value is -1; empty: nothing is known
  std::string kind;  // where there is no name: dimensions of one kind are alike for all feeds
  bool is_like(const KnownDim& o) const {
    if (value >= 0 || o.value >= 0) return value == o.value;
    return name == o.name && kind == o.kind && (!name.empty() || !kind.empty());
  }
};

// A type's code as in operators.txt (empty: not known), and a tensor's shape.
struct Known {
  std::string code;
  bool has_shape = false;
  std::vector<KnownDim> dims;
};

Known known_of(const pb::TypeProto& type);
Known known_of(const pb::TensorProto& tensor);
void to_type(const Known& known, pb::TypeProto& type);

// The model that the engine infers with: nodes that are not bad and do not follow from bad ones, large weights as
// inputs.
std::string probe_bytes(const pb::ModelProto& model, const std::vector<char>& bad);

class Inference {
 public:
  using Values = std::unordered_map<std::string, Known>;

  // report: of the engine. findings: where types and shapes that contradict each other go, and what the engine says of
  // nodes. bad: nodes of the main graph that are passed over.
  Inference(const pb::ModelProto& model, const Schemas& schemas, std::string_view report, const std::vector<char>& bad,
            Findings& findings);

  // Integers that shapes give, by value of one graph of the model.
  using Computed = std::unordered_map<std::string, std::vector<int64_t>>;
  const Computed& computed(const pb::GraphProto& graph) const;
  // Of the values of one graph of the model.
  const Values& values(const pb::GraphProto& graph) const;

 private:
  struct Scope;
  void read(std::string_view report);
  void graph(const pb::GraphProto& g, const Place& place, const std::string& key, Scope* outer, bool main);
  void node(const pb::NodeProto& n, const Place& place, const std::string& key, Scope& scope);
  void node_types(const pb::NodeProto& n, const Place& place, const OperatorSchema& schema, Scope& scope,
                  std::map<std::string_view, std::string>& bound);
  void outputs(const pb::NodeProto& n, const OperatorSchema* schema, const std::string& key, Scope& scope,
               const std::map<std::string_view, std::string>& bound);
  // main: of the main graph? The shapes that others are declared with may be of a branch that is never taken.
  void compare(const Known& inferred, const Known& declared, const std::string& name, const Place& place, bool main);

  NodeRules rules_;
  Findings& findings_;
  const std::vector<char>& bad_;
  std::unordered_map<std::string, Values> reported_;  // by scope
  struct Problem {
    std::string code, reason;
  };
  std::unordered_map<std::string, std::vector<Problem>> problems_;  // by scope and node
  std::unordered_map<const pb::GraphProto*, Values> values_;
  Values none_;
  std::unordered_map<std::string, Computed> computed_;  // by scope
  std::unordered_map<const pb::GraphProto*, std::string> scopes_;
  Computed not_computed_;
};

// Writes what is known into value_info of the model's graphs, and into outputs that say nothing of their shape.
void write_value_infos(pb::ModelProto& model, const Inference& inference);

// Then: declares the ranks of results whose shapes depend on data; the engine takes them up in its next report, in
// which more is known. True where there were any. (open_results.cpp)
bool declare_open_results(pb::ModelProto& model, const Inference& inference);

}  // namespace sardonyx::tools
