// Operators are bound one by one, so that one fault does not hide the next.
#include "runtime/type_report.h"

#include "ops/registry.h"
#include "optimize/gradient.h"
#include "optimize/static_types.h"

namespace sardonyx {
namespace {

class Report {
 public:
  explicit Report(Model model) : model_(std::move(model)) {}

  std::string run() {
    write_out_gradients();
    bind(model_.graph, "");
    const StaticTypes types = infer_static_types(model_.graph, true, &notes_);
    for (const TypeNotes::Problem& p : notes_.problems)
      error(scopes_.at(p.graph), *p.graph, p.graph->nodes[p.node], ErrorCode::invalid_model, p.reason);
    values(model_.graph, types);
    for (const auto& [graph, inner] : notes_.inner) values(*graph, inner);
    for (const TypeNotes::KnownValue& v : notes_.values) {
      if (!is_plain(scopes_.at(v.graph)) || !is_plain(v.graph->value(v.id).name)) continue;
      put("V");
      put(scopes_.at(v.graph));
      put(v.graph->value(v.id).name);
      put(cat(v.elements.size()));
      for (const int64_t element : v.elements) put(cat(element));
    }
    return std::move(text_);
  }

 private:
  void put(std::string_view text) {
    text_ += text;
    text_ += '\0';
  }

  // Names with a 0 in them would end a record early: nothing is said of what has one.
  static bool is_plain(std::string_view text) { return text.find('\0') == std::string_view::npos; }

  static std::string_view key_of(const Graph& graph, const Node& node) {
    for (ValueId id : node.outputs)
      if (id != kNoValue) return graph.value(id).name;
    return {};
  }

  void error(const std::string& scope, const Graph& graph, const Node& node, ErrorCode code,
             const std::string& reason) {
    if (!is_plain(scope) || !is_plain(key_of(graph, node)) || !is_plain(reason)) return;
    put("E");
    put(scope);
    put(key_of(graph, node));
    put(error_code_name(code));
    put(reason);
  }

  // As sessions do before operators are bound. One that cannot be is left out.
  void write_out_gradients() {
    std::vector<std::pair<std::string, Node>> gradients;
    for (const Node& node : model_.graph.nodes)
      if (node.op_type == "Gradient") gradients.emplace_back(node.label(model_.graph), node);
    try {
      expand_gradients(model_.graph);
    } catch (const Error& e) {
      for (const auto& [label, node] : gradients)
        if (label == e.node) return error("", model_.graph, node, e.code, e.reason);
    }
  }

  void bind(Graph& graph, const std::string& scope) {
    scopes_[&graph] = scope;
    for (Node& node : graph.nodes) {
      try {
        bind_operator(node, graph);
      } catch (const Error& e) {
        node.op.reset();
        error(scope, graph, node, e.code, e.reason);
      }
      for (const Attribute& a : node.attributes.all()) {
        if (const auto* inner = std::get_if<std::shared_ptr<Graph>>(&a.value))
          bind(**inner, cat(scope, "/", key_of(graph, node), "/", a.name));
      }
    }
  }

  void values(const Graph& graph, const StaticTypes& types) {
    const std::string& scope = scopes_.at(&graph);
    if (!is_plain(scope)) return;
    for (size_t id = 0; id < graph.values.size(); id++) {
      const StaticType& type = types[static_cast<ValueId>(id)];
      if (!type.known() || graph.values[id].name.empty() || !is_plain(graph.values[id].name)) continue;
      put("T");
      put(scope);
      put(graph.values[id].name);
      put(cat(static_cast<int>(type.dtype)));
      put(cat(type.rank()));
      for (int i = 0; i < type.rank(); i++) put(dim_text(type.first[i], type.second[i]));
    }
  }

  std::string dim_text(int64_t first, int64_t second) const {
    if (first == second) return cat(first);
    for (const TypeNotes::Symbol& s : notes_.symbols)
      if (s.first == first && s.second == second && is_plain(s.name)) return cat("=", s.name);
    return cat("?", first, ",", second);
  }

  Model model_;
  TypeNotes notes_;
  std::map<const Graph*, std::string> scopes_;
  std::string text_;
};

}  // namespace

std::string report_types(ModelBytes&& bytes, const LoadOptions& options) {
  return Report(load_model(std::move(bytes), options)).run();
}

}  // namespace sardonyx
