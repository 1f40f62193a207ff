// Rules of models, graphs and functions.
#include "tools/check.h"

#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

constexpr int64_t kNewestIr = 14;

// Names that a graph can use: its own and those of the graphs around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_set<std::string_view> names;
  bool has(std::string_view name) const { return names.contains(name) || (outer && outer->has(name)); }
};

class Checker {
 public:
  Checker(const pb::ModelProto& model, const Schemas& schemas, Findings& findings, std::vector<char>& bad)
      : model_(model), rules_(rules_of(model, schemas)), findings_(findings), bad_(bad) {}

  void run() {
    header();
    const Place place{"graph"};
    if (model_.graph().name().empty()) findings_.error("missing_field", place, "the graph has no name");
    bad_.assign(static_cast<size_t>(model_.graph().node_size()), 0);
    graph(model_.graph(), place, nullptr, true);
    for (int i = 0; i < model_.functions_size(); i++) function(model_.functions(i), i);
  }

 private:
  void header() {
    const Place place{"model"};
    if (!model_.has_ir_version() || model_.ir_version() <= 0)
      findings_.error("missing_field", place.in("ir_version"), "the model has no ir_version");
    if (model_.ir_version() > kNewestIr) {
      findings_.error(
          "ir_version", place.in("ir_version"),
          cat("the model's ir_version is ", model_.ir_version(), "; the newest that is known is ", kNewestIr));
    }
    if (model_.ir_version() >= 3 && model_.opset_import().empty())
      findings_.error("missing_opset", place.in("opset_import"), "the model imports no opset");
    std::unordered_set<std::string_view> domains, keys;
    for (int i = 0; i < model_.opset_import_size(); i++)
      opset(model_.opset_import(i), place.in("opset_import", i), domains);
    for (int i = 0; i < model_.metadata_props_size(); i++) {
      const std::string& key = model_.metadata_props(i).key();
      if (!keys.insert(key).second)
        findings_.error("duplicate_name", place.in("metadata_props", i),
                        cat("metadata has the key \"", key, "\" twice"));
    }
  }

  void opset(const pb::OperatorSetIdProto& o, const Place& place, std::unordered_set<std::string_view>& domains) {
    const std::string_view domain = short_domain(o.domain());
    const std::string where = domain.empty() ? "ai.onnx" : std::string(domain);
    if (!domains.insert(domain).second)
      findings_.error("bad_opset", place, cat("the opset of ", where, " is imported twice"));
    if (o.version() < 1) findings_.error("bad_opset", place, cat(where, " has no version ", o.version()));
    const int newest = rules_.schemas.newest(domain);
    if (newest > 0 && domain.empty() && o.version() > newest + 1) {
      findings_.warning("newer_opset", place,
                        cat("version ", o.version(), " of ", where, " is newer than what is known (", newest, ")"));
    }
  }

  // Inputs and outputs of the main graph must say what they are.
  void port(const pb::ValueInfoProto& v, const Place& place, bool main) {
    const About about{.value = v.name()};
    if (v.name().empty()) return findings_.error("missing_field", place, "an input or output has no name");
    if (!main) return;
    if (v.type().value_case() == pb::TypeProto::VALUE_NOT_SET)
      return findings_.error("missing_type", place, cat("\"", v.name(), "\" has no type"), about);
    const auto tensor = [&](const auto& t) {
      if (t.elem_type() <= 0)
        findings_.error("missing_type", place, cat("\"", v.name(), "\" has no element type"), about);
      if (!t.has_shape()) findings_.error("missing_shape", place, cat("\"", v.name(), "\" has no shape"), about);
    };
    if (v.type().has_tensor_type()) tensor(v.type().tensor_type());
    if (v.type().has_sparse_tensor_type()) tensor(v.type().sparse_tensor_type());
  }

  void define(std::string_view name, const Place& place, std::string_view what, Scope& scope) {
    if (!scope.names.insert(name).second) {
      findings_.error("duplicate_name", place,
                      cat("the name \"", name, "\" is used for ", what, " and something before it"), {.value = name});
    } else if (scope.outer && scope.outer->has(name)) {
      findings_.error("duplicate_name", place, cat("the name \"", name, "\" hides one of an outer graph"),
                      {.value = name});
    }
  }

  void initializers(const pb::GraphProto& g, const Place& place, Scope& scope) {
    std::unordered_set<std::string_view> names;
    const auto add = [&](const std::string& name, const Place& at) {
      if (name.empty()) return findings_.error("missing_field", at, "an initializer has no name");
      if (!names.insert(name).second)
        findings_.error("duplicate_name", at, cat("there are two initializers \"", name, "\""), {.value = name});
      if (rules_.ir_version < 4 && rules_.ir_version > 0 && !scope.names.contains(name)) {
        findings_.error("bad_initializer", at,
                        cat("initializer \"", name, "\" is no input, which it must be before IR 4"), {.value = name});
      }
      scope.names.insert(name);
    };
    for (int i = 0; i < g.initializer_size(); i++) {
      add(g.initializer(i).name(), place.in("initializer", i));
      check_tensor(g.initializer(i), place.in("initializer", i), findings_);
    }
    for (int i = 0; i < g.sparse_initializer_size(); i++) {
      add(g.sparse_initializer(i).values().name(), place.in("sparse_initializer", i));
      check_sparse(g.sparse_initializer(i), place.in("sparse_initializer", i), findings_);
    }
  }

  void graph(const pb::GraphProto& g, const Place& place, const Scope* outer, bool main) {
    Scope scope{outer, {}};
    for (int i = 0; i < g.input_size(); i++) {
      port(g.input(i), place.in("input", i), main);
      define(g.input(i).name(), place.in("input", i), "an input", scope);
    }
    initializers(g, place, scope);
    nodes(g.node(), place, scope, main);
    for (int i = 0; i < g.output_size(); i++) {
      const std::string& name = g.output(i).name();
      port(g.output(i), place.in("output", i), main);
      if (!name.empty() && !scope.has(name))
        findings_.error("undefined_value", place.in("output", i), cat("nothing makes the output \"", name, "\""),
                        {.value = name});
    }
  }

  template <class List>
  void nodes(const List& list, const Place& place, Scope& scope, bool main) {
    std::unordered_map<std::string_view, int> makers;
    for (int i = 0; i < list.size(); i++)
      for (const auto& name : list[i].output()) makers.try_emplace(name, i);
    for (int i = 0; i < list.size(); i++) {
      const size_t before = findings_.errors();
      node(list[i], place.of(list[i], i), scope, makers);
      if (main && findings_.errors() > before) bad_[static_cast<size_t>(i)] = 1;
    }
  }

  void node(const pb::NodeProto& n, const Place& place, Scope& scope,
            const std::unordered_map<std::string_view, int>& makers) {
    for (int i = 0; i < n.input_size(); i++) {
      const std::string& name = n.input(i);
      if (name.empty() || scope.has(name)) continue;
      const auto maker = makers.find(name);
      const Place at = place.in("input", i);
      if (maker == makers.end())
        findings_.error("undefined_value", at, cat("nothing makes \"", name, "\", input ", i, " of ", n.op_type()),
                        {.value = name});
      else
        findings_.error("not_sorted", at,
                        cat("\"", name, "\", input ", i, " of ", n.op_type(), ", is made later, by node ",
                            maker->second, ": nodes must be in an order that can be run"),
                        {.value = name});
    }
    check_node(n, place, rules_, findings_);
    for (const auto& a : n.attribute()) {
      const Place at = place.in(cat("attribute[", a.name(), "]"));
      if (a.has_g()) graph(a.g(), at.in("g"), &scope, false);
      for (int i = 0; i < a.graphs_size(); i++) graph(a.graphs(i), at.in("graphs", i), &scope, false);
    }
    for (int i = 0; i < n.output_size(); i++)
      if (!n.output(i).empty()) define(n.output(i), place.in("output", i), "an output of a node", scope);
  }

  void function(const pb::FunctionProto& f, int index) {
    const Place place{cat("functions[", index, "]")};
    if (f.name().empty()) findings_.error("missing_field", place, "a function has no name");
    if (!functions_.insert(function_key(f.domain(), f.name(), f.overload())).second)
      findings_.error("duplicate_name", place, cat("there are two functions ", f.domain(), ".", f.name()));
    const auto outer = rules_.opsets;
    rules_.function = &f;
    rules_.opsets.clear();
    for (const auto& o : f.opset_import()) rules_.opsets[std::string(short_domain(o.domain()))] = o.version();
    Scope scope;
    for (int i = 0; i < f.input_size(); i++) define(f.input(i), place.in("input", i), "an input", scope);
    nodes(f.node(), place, scope, false);
    for (int i = 0; i < f.output_size(); i++) {
      if (!scope.has(f.output(i)))
        findings_.error("undefined_value", place.in("output", i), cat("nothing makes the output \"", f.output(i), "\""),
                        {.value = f.output(i)});
    }
    rules_.function = nullptr;
    rules_.opsets = outer;
  }

  const pb::ModelProto& model_;
  NodeRules rules_;
  Findings& findings_;
  std::vector<char>& bad_;
  std::unordered_set<std::string> functions_;  // before the one that is looked at
};

}  // namespace

std::string_view short_domain(std::string_view domain) { return domain == "ai.onnx" ? std::string_view() : domain; }

std::string function_key(std::string_view domain, std::string_view name, std::string_view overload) {
  return cat(short_domain(domain), "\n", name, "\n", overload);
}

NodeRules rules_of(const pb::ModelProto& model, const Schemas& schemas) {
  NodeRules rules{schemas, {}, {}, model.ir_version(), nullptr};
  for (const auto& o : model.opset_import()) rules.opsets[std::string(short_domain(o.domain()))] = o.version();
  if (model.ir_version() < 3 && rules.opsets.empty()) rules.opsets[""] = 1;
  for (const auto& f : model.functions()) rules.functions[function_key(f.domain(), f.name(), f.overload())] = true;
  return rules;
}

void check_structure(const pb::ModelProto& model, const Schemas& schemas, Findings& findings, std::vector<char>& bad) {
  Checker(model, schemas, findings, bad).run();
}

}  // namespace sardonyx::tools
