// A graph that is being changed: who makes and who uses each value.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx.pb.h"

namespace sardonyx::tools {

// How often each name is defined in a graph and those in it: as an input, an initializer or an output of a node.
using Definitions = std::unordered_map<std::string, int>;
Definitions definitions(const pb::GraphProto& graph);

class Editor {
 public:
  // names: of the whole model; new ones are added. outer: of the graph around it, done.
  Editor(pb::GraphProto& graph, Definitions& names, const Editor* outer = nullptr);

  int size() const { return graph_.node_size(); }
  pb::NodeProto& node(int i) { return *graph_.mutable_node(i); }
  bool is_removed(int i) const { return removed_[static_cast<size_t>(i)] != 0; }
  void remove(int i);

  // An initializer that no feed can replace, of this graph or one around it; else null.
  const pb::TensorProto* constant(const std::string& name) const;
  // The node that makes the value, or -1.
  int maker(const std::string& name) const;
  // How many inputs of nodes, captures of inner graphs and outputs of the graph the value is.
  size_t uses(const std::string& name) const;
  bool is_output(const std::string& name) const { return outputs_.contains(name); }

  // Who uses `from` uses `to` from now on; graph outputs excepted.
  void replace(const std::string& from, const std::string& to);
  // Removes node i, whose first output is the same as `input`; false where the graph's interface is in the way.
  bool bypass(int i, const std::string& input);
  // Makes input k of node i another value; those between are left out where there were fewer.
  void set_input(int i, int k, const std::string& name);
  // Takes the inputs of node i from k on away.
  void cut_inputs(int i, int k);
  // The value that node i makes becomes a constant; false for outputs of the graph.
  bool make_constant(const std::string& name, pb::TensorProto tensor);
  // A name that the model does not have yet, like `hint`.
  std::string fresh_name(const std::string& hint);
  // A new node behind node `after`, and behind those that were added there before; its outputs are new or of removed
  // nodes. Its place in the graph is that from finish() on.
  void add_node(pb::NodeProto n, int after);
  // A new constant; its name is like `hint`.
  std::string add_constant(const std::string& hint, pb::TensorProto tensor);
  // Input k of node i becomes this constant, in the place of the one that it was where nothing else uses that.
  void set_constant(int i, int k, const std::string& hint, pb::TensorProto tensor);

  // Takes out what was removed and what nothing needs, and gives inner graphs the names of now; true where nodes went.
  bool finish();

 private:
  struct Users {
    std::unordered_map<int, size_t> nodes;  // and how often
    size_t total = 0;
  };
  void use(const std::string& name, int i, size_t times = 1);
  void unuse(const std::string& name, int i);
  const std::string& renamed(const std::string& name) const;
  void rename_inside(pb::GraphProto& g);
  void place_added();

  pb::GraphProto& graph_;
  Definitions& names_;
  const Editor* outer_;
  std::vector<char> removed_;
  std::vector<int> after_;  // of the nodes at the end, that were added
  std::unordered_map<std::string, int> makers_;
  std::unordered_map<std::string, Users> users_;
  std::unordered_map<std::string, pb::TensorProto*> constants_;
  std::unordered_set<std::string> inputs_;
  std::unordered_set<std::string> outputs_;
  std::unordered_map<int, std::unordered_set<std::string>> captures_;  // of nodes with inner graphs
  std::unordered_map<std::string, std::string> renames_;               // that inner graphs do not have yet
};

// Of a node; null where it is not there.
const pb::AttributeProto* attribute(const pb::NodeProto& node, std::string_view name);
int64_t int_attribute(const pb::NodeProto& node, std::string_view name, int64_t otherwise);
std::vector<int64_t> ints_attribute(const pb::NodeProto& node, std::string_view name);
void clear_attribute(pb::NodeProto& node, std::string_view name);
void set_ints(pb::NodeProto& node, const std::string& name, const std::vector<int64_t>& values);
// The elements of small integer constants, and of float32 ones.
std::optional<std::vector<int64_t>> integers_of(const pb::TensorProto* tensor);
std::optional<std::vector<float>> floats_of(const pb::TensorProto* tensor);
pb::TensorProto float_tensor(const std::vector<float>& values, const std::vector<int64_t>& dims);
pb::TensorProto int_tensor(int32_t data_type, const std::vector<int64_t>& values, const std::vector<int64_t>& dims);

}  // namespace sardonyx::tools
