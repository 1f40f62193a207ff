// Rules of a node on its own: its operator, how many inputs and outputs, its attributes.
#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "tools/check.h"

namespace sardonyx::tools {
namespace {

using Attribute = pb::AttributeProto;

// Letters of the fields that hold a value, as in operators.txt.
std::string filled(const Attribute& a) {
  std::string kinds;
  const auto add = [&](bool has, char kind) {
    if (has) kinds += kind;
  };
  add(a.has_f(), 'f');
  add(a.has_i(), 'i');
  add(a.has_s(), 's');
  add(a.has_t(), 't');
  add(a.has_g(), 'g');
  add(a.has_sparse_tensor(), 'p');
  add(a.has_tp(), 'y');
  add(a.floats_size() > 0, 'F');
  add(a.ints_size() > 0, 'I');
  add(a.strings_size() > 0, 'S');
  add(a.tensors_size() > 0, 'T');
  add(a.graphs_size() > 0, 'G');
  add(a.sparse_tensors_size() > 0, 'P');
  add(a.type_protos_size() > 0, 'Y');
  return kinds;
}

class NodeCheck {
 public:
  NodeCheck(const pb::NodeProto& node, const Place& place, const NodeRules& rules, Findings& findings)
      : node_(node), place_(place), rules_(rules), findings_(findings) {}

  void run() {
    if (node_.op_type().empty()) return findings_.error("missing_field", place_, "the node has no op_type");
    if (node_.input().empty() && node_.output().empty())
      findings_.error("missing_field", place_, cat(label(), " has neither inputs nor outputs"));
    for (const auto& a : node_.attribute()) attribute(a);
    const std::string_view domain = short_domain(node_.domain());
    if (rules_.functions.contains(function_key(domain, node_.op_type(), node_.overload()))) return;
    const auto opset = rules_.opsets.find(domain);
    if (opset == rules_.opsets.end()) {
      return findings_.error("missing_opset", place_,
                             cat("there is no opset_import for the domain \"", domain, "\" of ", label()));
    }
    if (!rules_.schemas.knows_domain(domain)) return;  // someone else's operators
    const OperatorSchema* schema = rules_.schemas.find(domain, node_.op_type(), opset->second);
    if (!schema) return unknown(domain, opset->second);
    if (schema->deprecated) {
      return findings_.error("deprecated_operator", place_,
                             cat(label(), " is deprecated since version ", schema->since, " of its domain"));
    }
    count("inputs", node_.input(), schema->inputs);
    count("outputs", node_.output(), schema->outputs);
    attributes(*schema);
  }

 private:
  std::string label() const {
    const std::string name = !node_.name().empty()    ? node_.name()
                             : node_.output().empty() ? std::string()
                                                      : node_.output(0);
    return cat(node_.op_type(), " \"", name, "\"");
  }

  void unknown(std::string_view domain, int64_t opset) {
    const int first = rules_.schemas.first_version(domain, node_.op_type());
    const std::string where = domain.empty() ? "ai.onnx" : std::string(domain);
    findings_.error(
        "unknown_operator", place_,
        first == 0 ? cat("there is no operator ", node_.op_type(), " in ", where)
                   : cat(label(), " exists from version ", first, " of ", where, " on; the model imports ", opset));
  }

  template <class List>
  void count(std::string_view what, const List& given, const std::vector<PortSchema>& ports) {
    const Arity arity = arity_of(ports);
    if (given.size() < arity.least || (arity.most >= 0 && given.size() > arity.most)) {
      const std::string range = arity.most < 0              ? cat("at least ", arity.least)
                                : arity.least == arity.most ? cat(arity.least)
                                                            : cat(arity.least, " to ", arity.most);
      findings_.error(what == "inputs" ? "input_count" : "output_count", place_,
                      cat(label(), " has ", given.size(), " ", what, "; it must be ", range));
    }
    for (int i = 0; i < given.size(); i++) {
      const PortSchema* port = port_at(ports, static_cast<size_t>(i));
      if (!port || port->optional || port->variadic || !given[i].empty()) continue;
      findings_.error(what == "inputs" ? "missing_input" : "missing_output",
                      place_.in(what == "inputs" ? "input" : "output", i),
                      cat(label(), " leaves out ", port->name, ", which is required"));
    }
  }

  void attribute(const Attribute& a) {
    const About about{.attribute = a.name()};
    const Place at = place_.in(cat("attribute[", a.name(), "]"));
    if (a.name().empty()) return findings_.error("missing_field", at, cat("an attribute of ", label(), " has no name"));
    if (!names_.insert(a.name()).second)
      findings_.error("duplicate_attribute", at, cat("attribute \"", a.name(), "\" of ", label(), " is given twice"),
                      about);
    const std::string kinds = filled(a);
    const char kind = kind_letter(a.type());
    if (!a.ref_attr_name().empty()) {
      if (!rules_.function) {
        findings_.error("bad_attribute", at,
                        cat("attribute \"", a.name(), "\" of ", label(), " refers to an attribute \"",
                            a.ref_attr_name(), "\" of a function, but is in none"),
                        about);
      }
      return;
    }
    if (kind == 0 && rules_.ir_version >= 2)
      return findings_.error("bad_attribute", at, cat("attribute \"", a.name(), "\" of ", label(), " has no type"),
                             about);
    if (kinds.size() > 1 || (kinds.size() == 1 && kind != 0 && kinds[0] != kind)) {
      const char other = kinds[0] == kind ? kinds[1] : kinds[0];
      return findings_.error("bad_attribute", at,
                             cat("attribute \"", a.name(), "\" of ", label(), " is declared as ", kind_text(kind),
                                 " and holds ", kind_text(other)),
                             about);
    }
    if (a.has_t()) check_tensor(a.t(), at.in("t"), findings_);
    for (int i = 0; i < a.tensors_size(); i++) check_tensor(a.tensors(i), at.in("tensors", i), findings_);
    if (a.has_sparse_tensor()) check_sparse(a.sparse_tensor(), at.in("sparse_tensor"), findings_);
  }

  void attributes(const OperatorSchema& schema) {
    for (const auto& a : node_.attribute()) {
      const About about{.attribute = a.name()};
      const Place at = place_.in(cat("attribute[", a.name(), "]"));
      const AttributeSchema* known = schema.attribute(a.name());
      const bool internal = a.name().starts_with("__");
      if (!known && !internal && !a.name().empty()) {
        findings_.error("unknown_attribute", at,
                        cat(node_.op_type(), " of version ", schema.since, " has no attribute \"", a.name(), "\""),
                        about);
      }
      const char kind = kind_letter(a.type());
      if (known && kind != 0 && kind != known->kind) {
        findings_.error("attribute_type", at,
                        cat("attribute \"", a.name(), "\" of ", label(), " is ", kind_text(kind), "; it must be ",
                            kind_text(known->kind)),
                        about);
      }
    }
    for (const AttributeSchema& wanted : schema.attributes) {
      if (!wanted.required) continue;
      const auto& given = node_.attribute();
      const bool there =
          std::any_of(given.begin(), given.end(), [&](const Attribute& a) { return a.name() == wanted.name; });
      if (there) continue;
      findings_.error("missing_attribute", place_, cat(label(), " needs the attribute \"", wanted.name, "\""),
                      {.attribute = wanted.name});
    }
  }

  const pb::NodeProto& node_;
  const Place& place_;
  const NodeRules& rules_;
  Findings& findings_;
  std::unordered_set<std::string_view> names_;  // of attributes
};

}  // namespace

void check_node(const pb::NodeProto& node, const Place& place, const NodeRules& rules, Findings& findings) {
  NodeCheck(node, place, rules, findings).run();
}

}  // namespace sardonyx::tools
