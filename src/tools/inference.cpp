// The walk over nodes with the types that are known so far.
#include "tools/inference.h"

#include <algorithm>

#include "base/dtype.h"
#include "base/error.h"
#include "tools/commands.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

std::string_view first_output(const pb::NodeProto& n) {
  for (const auto& name : n.output())
    if (!name.empty()) return name;
  return {};
}

std::string scope_key(const std::string& outer, const pb::NodeProto& n, const std::string& attribute) {
  return cat(outer, "/", first_output(n), "/", attribute);
}

// The element type that an attribute states, for operators whose output's type no input has.
std::string stated_type(const pb::NodeProto& n) {
  for (const auto& a : n.attribute()) {
    if ((a.name() == "to" || a.name() == "dtype" || a.name() == "output_dtype") && a.i() > 0) return cat(a.i());
    if (a.name() == "value" && a.has_t()) return cat(a.t().data_type());
    if (a.name() == "value_float" || a.name() == "value_floats") return "1";
    if (a.name() == "value_int" || a.name() == "value_ints") return "7";
    if (a.name() == "value_string" || a.name() == "value_strings") return "8";
  }
  return {};
}

std::string shape_text(const std::vector<KnownDim>& dims) {
  std::string text = "[";
  for (const KnownDim& d : dims) {
    if (text.size() > 1) text += ',';
    text += d.value >= 0 ? cat(d.value) : d.name.empty() ? "?" : d.name;
  }
  return text + "]";
}

}  // namespace

struct Inference::Scope {
  Scope* outer;
  Values& values;
  const Known* find(const std::string& name) const {
    const auto found = values.find(name);
    if (found != values.end()) return &found->second;
    return outer ? outer->find(name) : nullptr;
  }
};

Inference::Inference(const pb::ModelProto& model, const Schemas& schemas, std::string_view report,
                     const std::vector<char>& bad, Findings& findings)
    : rules_(rules_of(model, schemas)), findings_(findings), bad_(bad) {
  read(report);
  graph(model.graph(), {"graph"}, "", nullptr, true);
}

void Inference::read(std::string_view report) {
  const std::vector<std::string> texts = split_texts(report);
  for (size_t i = 0; i + 3 < texts.size();) {
    if (texts[i] != "V" && i + 4 >= texts.size()) return;
    if (texts[i] == "E") {
      problems_[cat(texts[i + 1], "\n", texts[i + 2])].push_back({texts[i + 3], texts[i + 4]});
      i += 5;
      continue;
    }
    const std::string &scope = texts[i + 1], &name = texts[i + 2];
    if (texts[i] == "V") {
      std::vector<int64_t> elements;
      const size_t count = std::strtoull(texts[i + 3].c_str(), nullptr, 10);
      for (i += 4; elements.size() < count && i < texts.size(); i++)
        elements.push_back(std::strtoll(texts[i].c_str(), nullptr, 10));
      computed_[scope][name] = std::move(elements);
      continue;
    }
    if (texts[i] != "T" || !is_dtype(std::atoi(texts[i + 3].c_str()))) return;  // no report of the engine
    Known known{cat(std::atoi(texts[i + 3].c_str())), true, {}};
    const size_t rank = std::strtoull(texts[i + 4].c_str(), nullptr, 10);
    i += 5;
    for (size_t d = 0; d < rank && i < texts.size(); d++, i++) {
      const std::string& dim = texts[i];
      if (dim[0] == '=')
        known.dims.push_back({-1, dim.substr(1), {}});
      else if (dim[0] == '?')
        known.dims.push_back({-1, {}, dim.substr(1)});
      else
        known.dims.push_back({std::strtoll(dim.c_str(), nullptr, 10), {}, {}});
    }
    reported_[scope][name] = std::move(known);
  }
}

const Inference::Values& Inference::values(const pb::GraphProto& g) const {
  const auto found = values_.find(&g);
  return found == values_.end() ? none_ : found->second;
}

const Inference::Computed& Inference::computed(const pb::GraphProto& g) const {
  const auto scope = scopes_.find(&g);
  const auto found = scope == scopes_.end() ? computed_.end() : computed_.find(scope->second);
  return found == computed_.end() ? not_computed_ : found->second;
}

void Inference::graph(const pb::GraphProto& g, const Place& place, const std::string& key, Scope* outer, bool main) {
  Scope scope{outer, values_[&g]};
  scopes_[&g] = key;
  for (const auto& v : g.input()) scope.values[v.name()] = known_of(v.type());
  for (int i = 0; i < g.initializer_size(); i++) {
    Known& known = scope.values[g.initializer(i).name()];
    const Known actual = known_of(g.initializer(i));
    if (!known.code.empty()) compare(actual, known, g.initializer(i).name(), place.in("initializer", i), true);
    known = actual;
  }
  for (const auto& s : g.sparse_initializer()) scope.values[s.values().name()].code = cat(s.values().data_type());
  for (int i = 0; i < g.node_size(); i++) {
    if (main && static_cast<size_t>(i) < bad_.size() && bad_[static_cast<size_t>(i)]) continue;
    node(g.node(i), place.of(g.node(i), i), key, scope);
  }
  const auto declared = [&](const pb::ValueInfoProto& v, const Place& at) {
    const auto found = scope.values.find(v.name());
    if (found != scope.values.end()) compare(found->second, known_of(v.type()), v.name(), at, main);
  };
  for (int i = 0; i < g.value_info_size(); i++) declared(g.value_info(i), place.in("value_info", i));
  for (int i = 0; i < g.output_size(); i++) declared(g.output(i), place.in("output", i));
}

void Inference::compare(const Known& inferred, const Known& declared, const std::string& name, const Place& place,
                        bool main) {
  const About about{.value = name};
  if (inferred.code.empty() || declared.code.empty()) return;
  if (inferred.code != declared.code) {
    return findings_.error(
        "type_mismatch", place,
        cat("\"", name, "\" is declared as ", type_text(declared.code), " and is ", type_text(inferred.code)), about);
  }
  if (!inferred.has_shape || !declared.has_shape) return;
  bool same = inferred.dims.size() == declared.dims.size();
  for (size_t i = 0; same && i < inferred.dims.size(); i++) {
    const int64_t a = inferred.dims[i].value, b = declared.dims[i].value;
    same = a < 0 || b < 0 || a == b;
  }
  if (same) return;
  const std::string text = cat("\"", name, "\" is declared with the shape ", shape_text(declared.dims), " and has ",
                               shape_text(inferred.dims));
  if (main)
    findings_.error("shape_mismatch", place, text, about);
  else
    findings_.warning("shape_mismatch", place, text, about);
}

void Inference::node(const pb::NodeProto& n, const Place& place, const std::string& key, Scope& scope) {
  const std::string_view domain = short_domain(n.domain());
  const auto opset = rules_.opsets.find(domain);
  const bool is_function = rules_.functions.contains(function_key(domain, n.op_type(), n.overload()));
  const OperatorSchema* schema =
      is_function || opset == rules_.opsets.end() ? nullptr : rules_.schemas.find(domain, n.op_type(), opset->second);
  std::map<std::string_view, std::string> bound;
  const size_t before = findings_.errors();
  if (schema) node_types(n, place, *schema, scope, bound);
  const auto problems = problems_.find(cat(key, "\n", first_output(n)));
  if (problems != problems_.end() && findings_.errors() == before) {
    for (const Problem& p : problems->second) {
      if (p.code == "unsupported_operator")
        findings_.warning("not_implemented", place, cat("Sardonyx cannot run it: ", p.reason));
      else
        findings_.error("invalid_node", place, p.reason);
    }
  }
  for (const auto& a : n.attribute()) {
    const Place at = place.in(cat("attribute[", a.name(), "]"));
    if (a.has_g()) graph(a.g(), at.in("g"), scope_key(key, n, a.name()), &scope, false);
  }
  outputs(n, schema, key, scope, bound);
}

void Inference::node_types(const pb::NodeProto& n, const Place& place, const OperatorSchema& schema, Scope& scope,
                           std::map<std::string_view, std::string>& bound) {
  for (int i = 0; i < n.input_size(); i++) {
    const PortSchema* port = port_at(schema.inputs, static_cast<size_t>(i));
    const Known* known = n.input(i).empty() ? nullptr : scope.find(n.input(i));
    if (!port || !known || known->code.empty()) continue;
    const About about{.value = n.input(i)};
    const auto allowed = schema.types.find(port->type);
    if (allowed != schema.types.end() && std::ranges::find(allowed->second, known->code) == allowed->second.end()) {
      findings_.error("type_mismatch", place.in("input", i),
                      cat("input ", port->name, " of ", n.op_type(), " is ", type_text(known->code), ", which version ",
                          schema.since, " does not take"),
                      about);
      continue;
    }
    if (port->variadic && !port->same_type) continue;
    const auto [first, is_new] = bound.try_emplace(port->type, known->code);
    if (is_new || first->second == known->code) continue;
    findings_.error("type_mismatch", place.in("input", i),
                    cat("input ", port->name, " of ", n.op_type(), " is ", type_text(known->code),
                        ", but another of type ", port->type, " is ", type_text(first->second)),
                    about);
  }
}

void Inference::outputs(const pb::NodeProto& n, const OperatorSchema* schema, const std::string& key, Scope& scope,
                        const std::map<std::string_view, std::string>& bound) {
  const auto reported = reported_.find(key);
  for (int i = 0; i < n.output_size(); i++) {
    if (n.output(i).empty()) continue;
    Known& known = scope.values[n.output(i)];
    if (reported != reported_.end()) {
      const auto found = reported->second.find(n.output(i));
      if (found != reported->second.end()) {
        known = found->second;
        continue;
      }
    }
    const PortSchema* port = schema ? port_at(schema->outputs, static_cast<size_t>(i)) : nullptr;
    if (!port || (port->variadic && !port->same_type)) continue;
    const auto found = bound.find(port->type);
    const auto allowed = schema->types.find(port->type);
    if (found != bound.end())
      known.code = found->second;
    else if (allowed != schema->types.end() && allowed->second.size() == 1)
      known.code = allowed->second[0];
    else if (i == 0)
      known.code = stated_type(n);
    if (!known.code.empty() && allowed != schema->types.end() &&
        std::ranges::find(allowed->second, known.code) == allowed->second.end())
      known.code.clear();
  }
}

void write_value_infos(pb::ModelProto& model, const Inference& inference) {
  const auto write = [&](const auto& self, pb::GraphProto& g) -> void {
    Inference::Values left = inference.values(g);
    for (const auto& v : g.input()) left.erase(v.name());
    for (const auto& t : g.initializer()) left.erase(t.name());
    for (const auto& s : g.sparse_initializer()) left.erase(s.values().name());
    const auto update = [&](pb::ValueInfoProto& v) {
      const auto found = left.find(v.name());
      if (found == left.end()) return;
      const Known declared = known_of(v.type());
      Known merged = found->second;
      for (size_t i = 0; declared.has_shape && i < merged.dims.size() && i < declared.dims.size(); i++)
        if (merged.dims[i].value < 0 && (declared.dims[i].value >= 0 || !declared.dims[i].name.empty()))
          merged.dims[i] = declared.dims[i];
      if (!merged.code.empty() && (merged.has_shape || declared.code.empty())) to_type(merged, *v.mutable_type());
      left.erase(found);
    };
    for (auto& v : *g.mutable_output()) update(v);
    for (auto& v : *g.mutable_value_info()) update(v);
    for (const auto& n : g.node()) {  // in their order, so that the file is the same each time
      for (const auto& name : n.output()) {
        const auto found = left.find(name);
        if (found == left.end() || found->second.code.empty()) continue;
        auto& v = *g.add_value_info();
        v.set_name(name);
        to_type(found->second, *v.mutable_type());
        left.erase(found);
      }
    }
    for (auto& n : *g.mutable_node()) for_each_subgraph(n, [&](pb::GraphProto& inner) { self(self, inner); });
  };
  write(write, *model.mutable_graph());
}

}  // namespace sardonyx::tools
