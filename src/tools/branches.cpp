// If nodes whose branch is known.
#include "base/error.h"
#include "tools/elements.h"
#include "tools/simplify.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<pb::NodeProto>;

// Constants that a graph sees.
struct Scope {
  const Scope* outer;
  std::unordered_map<std::string_view, const pb::TensorProto*> constants;  // null: something else of that name

  explicit Scope(const pb::GraphProto& g, const Scope* around) : outer(around) {
    for (const auto& t : g.initializer()) constants[t.name()] = &t;
    for (const auto& v : g.input()) constants[v.name()] = nullptr;
    for (const auto& n : g.node())
      for (const auto& name : n.output()) constants[name] = nullptr;
  }
  const pb::TensorProto* find(std::string_view name) const {
    const auto found = constants.find(name);
    if (found != constants.end()) return found->second;
    return outer ? outer->find(name) : nullptr;
  }
};

class Inliner {
 public:
  explicit Inliner(pb::GraphProto& main) : names_(definitions(main)) {}

  bool graph(pb::GraphProto& g, const Scope* outer) {
    bool changed = false;
    {
      const Scope scope(g, outer);
      Nodes nodes;
      for (auto& n : *g.mutable_node()) {
        pb::GraphProto* branch = known_branch(n, scope);
        if (branch)
          splice(*branch, n, g, nodes);
        else
          nodes.Add()->Swap(&n);
        changed = changed || branch;
      }
      g.mutable_node()->Swap(&nodes);
    }
    const Scope scope(g, outer);
    for (auto& n : *g.mutable_node())
      for_each_subgraph(n, [&](pb::GraphProto& inner) { changed = graph(inner, &scope) || changed; });
    return changed;
  }

 private:
  static pb::GraphProto* known_branch(pb::NodeProto& n, const Scope& scope) {
    if (!is_op(n, "If") || n.input_size() != 1) return nullptr;
    const auto* tensor = scope.find(n.input(0));
    if (!tensor || tensor->data_type() != pb::TensorProto::BOOL) return nullptr;
    const Elements condition(*tensor);
    if (!condition.readable() || condition.count() != 1) return nullptr;
    const std::string_view wanted = condition.integer(0) != 0 ? "then_branch" : "else_branch";
    for (auto& a : *n.mutable_attribute()) {
      if (a.name() != wanted || !a.has_g()) continue;
      const bool fits = a.g().input().empty() && a.g().output_size() >= n.output_size();
      return fits ? a.mutable_g() : nullptr;
    }
    return nullptr;
  }

  std::string fresh(const std::string& name) {
    std::string now = name;
    for (int k = 1; names_.contains(now); k++) now = cat(name, "_", k);
    names_[now]++;
    return now;
  }

  // Puts the branch's nodes in the place of the node.
  void splice(pb::GraphProto& branch, const pb::NodeProto& n, pb::GraphProto& g, Nodes& nodes) {
    std::unordered_set<std::string> made;
    for (const auto& inner : branch.node()) made.insert(inner.output().begin(), inner.output().end());
    std::unordered_map<std::string, std::string> renames;
    std::vector<int> copies;
    for (int k = 0; k < n.output_size(); k++) {
      const std::string& name = branch.output(k).name();
      if (n.output(k).empty()) continue;
      if (!made.contains(name) || !renames.emplace(name, n.output(k)).second) copies.push_back(k);
    }
    // What the model has more than once would hide names of other graphs.
    const auto define = [&](const std::string& name) {
      if (!name.empty() && names_[name] > 1 && !renames.contains(name)) renames[name] = fresh(name);
    };
    for (const auto& name : made) define(name);
    for (const auto& t : branch.initializer()) define(t.name());
    for (const auto& s : branch.sparse_initializer()) define(s.values().name());
    const auto now = [&](const std::string& name) {
      const auto found = renames.find(name);
      return found == renames.end() ? name : found->second;
    };
    for (auto& t : *branch.mutable_initializer()) {
      t.set_name(now(t.name()));
      g.add_initializer()->Swap(&t);
    }
    for (auto& s : *branch.mutable_sparse_initializer()) {
      s.mutable_values()->set_name(now(s.values().name()));
      g.add_sparse_initializer()->Swap(&s);
    }
    for (auto& inner : *branch.mutable_node()) {
      for (auto& name : *inner.mutable_output()) name = now(name);
      rename_uses(inner, now);
      nodes.Add()->Swap(&inner);
    }
    for (const int k : copies) {
      pb::NodeProto& copy = *nodes.Add();
      copy.set_op_type("Identity");
      copy.add_input(now(branch.output(k).name()));
      copy.add_output(n.output(k));
    }
  }

  template <class Now>
  static void rename_uses(pb::NodeProto& n, const Now& now) {
    for (auto& name : *n.mutable_input()) name = now(name);
    for_each_subgraph(n, [&](pb::GraphProto& inner) {
      for (auto& deeper : *inner.mutable_node()) rename_uses(deeper, now);
      for (auto& v : *inner.mutable_output()) v.set_name(now(v.name()));
    });
  }

  Definitions names_;
};

}  // namespace

bool inline_branches(pb::ModelProto& model) {
  return Inliner(*model.mutable_graph()).graph(*model.mutable_graph(), nullptr);
}

}  // namespace sardonyx::tools
