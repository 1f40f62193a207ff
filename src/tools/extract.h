// A part of a model as a model.
#pragma once
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx.pb.h"

namespace sardonyx::tools {

// Keeps what `outputs` need of the main graph, with `inputs` as its inputs; both are names of its values. Where the
// model does not say the type of one, it must have been inferred before (value_info). Throws Error (invalid_argument)
// for names that there are not, and where an output needs an input of the model that is not among `inputs`.
void extract(pb::ModelProto& model, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

// The names that lead to `outputs`, back to `inputs`; marks the nodes that make the others.
std::unordered_set<std::string> needed_names(const pb::GraphProto& g, const std::unordered_set<std::string>& inputs,
                                             const std::vector<std::string>& outputs, std::vector<char>& needed);

// The names that a graph in an attribute takes from the graphs around it.
std::unordered_set<std::string> outer_names(const pb::GraphProto& graph);

// Keeps the items of a repeated field for which keep(index) is true.
template <class List, class Keep>
void keep_if(List& list, const Keep& keep) {
  int kept = 0;
  for (int i = 0; i < list.size(); i++) {
    if (!keep(i)) continue;
    if (kept != i) list.SwapElements(kept, i);
    kept++;
  }
  list.DeleteSubrange(kept, list.size() - kept);
}

// Leaves out functions that no node calls and opsets of domains that no node has.
void drop_unused(pb::ModelProto& model);

}  // namespace sardonyx::tools
