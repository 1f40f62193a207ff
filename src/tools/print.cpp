// The textual syntax of ONNX (docs/Syntax.md of the standard).
#include "tools/print.h"

#include <cstdio>

#include "base/error.h"
#include "tools/elements.h"
#include "tools/json.h"
#include "tools/schemas.h"

namespace sardonyx::tools {
namespace {

constexpr std::string_view kAttributeTypes[] = {
    "undefined", "float",   "int",    "string",        "tensor",         "graph",      "floats",     "ints",
    "strings",   "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Printer {
 public:
  explicit Printer(bool exact) : exact_(exact) {}

  std::string model(const pb::ModelProto& m) {
    put("<\n   ir_version: ", m.ir_version(), ",\n   opset_import: ");
    opsets(m.opset_import());
    const auto text = [&](std::string_view name, const std::string& value) {
      if (value.empty()) return;
      put(",\n   ", name, ": ");
      quoted(value);
    };
    text("producer_name", m.producer_name());
    text("producer_version", m.producer_version());
    text("domain", m.domain());
    if (m.has_model_version()) put(",\n   model_version: ", m.model_version());
    text("doc_string", m.doc_string());
    if (!m.metadata_props().empty()) {
      put(",\n   metadata_props: [");
      for (int i = 0; i < m.metadata_props_size(); i++) {
        put(i ? ", " : "");
        quoted(m.metadata_props(i).key());
        put(": ");
        quoted(m.metadata_props(i).value());
      }
      put("]");
    }
    put("\n>\n");
    graph(m.graph());
    for (const auto& f : m.functions()) {
      put("\n");
      function(f);
    }
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void put(const Parts&... parts) {
    (detail::append(text_, parts), ...);
  }

  void quoted(std::string_view text) {
    text_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += '"';
  }

  // A name as it is where it is an identifier, else in quotes.
  void name(std::string_view text) {
    bool plain = !text.empty() && is_letter(text[0]);
    for (const char c : text) plain = plain && (is_letter(c) || is_digit(c));
    if (plain)
      put(text);
    else
      quoted(text);
  }

  template <class List>
  void opsets(const List& list) {
    put("[");
    for (int i = 0; i < list.size(); i++) {
      put(i ? ", " : "");
      quoted(list[i].domain());
      put(" : ", list[i].version());
    }
    put("]");
  }

  void indent(int level) { text_.append(static_cast<size_t>(3 * level), ' '); }

  void number(double value, bool is_float32) {
    if (exact_) return put(number_text(value, is_float32));
    char text[40];
    std::snprintf(text, sizeof text, "%g", value);
    put(text);
  }

  static std::string_view type_name(std::string_view whole) { return whole.substr(7, whole.size() - 8); }

  template <class Tensor>
  void tensor_type(const Tensor& t) {
    const std::string whole = type_text(cat(t.elem_type()));
    put(type_name(whole));
    if (!t.has_shape()) return put("[]");
    if (t.shape().dim().empty()) return;
    put("[");
    for (int i = 0; i < t.shape().dim_size(); i++) {
      const auto& d = t.shape().dim(i);
      put(i ? "," : "");
      if (d.has_dim_value())
        put(d.dim_value());
      else if (d.dim_param().empty())
        put("?");
      else
        name(d.dim_param());
    }
    put("]");
  }

  void type(const pb::TypeProto& t) {
    switch (t.value_case()) {
      case pb::TypeProto::kTensorType:
        return tensor_type(t.tensor_type());
      case pb::TypeProto::kSequenceType:
        put("seq(");
        type(t.sequence_type().elem_type());
        return put(")");
      case pb::TypeProto::kOptionalType:
        put("optional(");
        type(t.optional_type().elem_type());
        return put(")");
      case pb::TypeProto::kMapType:
        put("map(", type_name(type_text(cat(t.map_type().key_type()))), ", ");
        type(t.map_type().value_type());
        return put(")");
      case pb::TypeProto::kSparseTensorType:
        put("sparse_tensor(");
        tensor_type(t.sparse_tensor_type());
        return put(")");
      default:
        return;
    }
  }

  template <class List>
  void values(const List& list) {
    put("(");
    for (int i = 0; i < list.size(); i++) {
      put(i ? ", " : "");
      value(list[i]);
    }
    put(")");
  }

  void value(const pb::ValueInfoProto& v) {
    const size_t before = text_.size();
    type(v.type());
    if (text_.size() > before) put(" ");
    name(v.name());
  }

  void element(const Elements& e, int64_t i) {
    if (e.is_text()) return quoted(e.text(i));
    if (e.dtype() == DType::uint64) return put(e.natural(i));
    if (e.is_integer()) return put(e.integer(i));
    put(number_text(e.number(i), e.dtype() != DType::float64));
  }

  void tensor(const pb::TensorProto& t, bool is_initializer) {
    put(type_name(type_text(cat(t.data_type()))));
    if (!t.dims().empty()) {
      put("[");
      for (int i = 0; i < t.dims_size(); i++) put(i ? "," : "", t.dims(i));
      put("]");
    }
    if (!t.name().empty()) {
      put(" ");
      name(t.name());
    }
    if (is_initializer) put(" = ");
    if (t.data_location() == pb::TensorProto::EXTERNAL) return external(t);
    put(is_initializer && t.data_type() != pb::TensorProto::STRING ? " {" : is_initializer ? "{" : " {");
    const Elements elements(t);
    if (!elements.readable()) {
      put("...}");
      return;
    }
    // The parser takes the bits of types that it has no numbers for.
    const bool bits = (kFloat8 | kSubByte).has(elements.dtype()) || elements.dtype() == DType::float16 ||
                      elements.dtype() == DType::bfloat16;
    for (int64_t i = 0; i < elements.count(); i++) {
      put(i ? "," : "");
      if (bits && !elements.is_integer())
        put(elements.bits(i));
      else
        element(elements, i);
    }
    put("}");
  }

  void external(const pb::TensorProto& t) {
    put("[");
    for (int i = 0; i < t.external_data_size(); i++) {
      put(i ? ", " : "");
      quoted(t.external_data(i).key());
      put(": ");
      quoted(t.external_data(i).value());
    }
    put("]");
  }

  // Initializers and value_info.
  void declarations(const pb::GraphProto& g) {
    if (g.initializer().empty() && g.value_info().empty()) return;
    put("\n");
    indent(level_ + 1);
    put("<");
    bool first = true;
    for (const auto& t : g.initializer()) {
      put(first ? "" : ", ");
      first = false;
      tensor(t, true);
    }
    for (const auto& v : g.value_info()) {
      put(first ? "" : ", ");
      first = false;
      value(v);
    }
    put(">\n");
  }

  void graph(const pb::GraphProto& g) {
    name(g.name());
    put(" ");
    values(g.input());
    put(" => ");
    values(g.output());
    const bool declares = !g.initializer().empty() || !g.value_info().empty();
    put(" ");
    declarations(g);
    if (level_ == 0 && !declares) put("\n");
    nodes(g.node());
  }

  template <class List>
  void nodes(const List& list) {
    put("{\n");
    level_++;
    for (const auto& n : list) node(n);
    level_--;
    indent(level_);
    put("}");
  }

  template <class List>
  void names(const List& list) {
    for (int i = 0; i < list.size(); i++) {
      put(i ? ", " : "");
      name(list[i]);
    }
  }

  void node(const pb::NodeProto& n) {
    indent(level_);
    if (!n.name().empty()) {
      put("[");
      name(n.name());
      put("] ");
    }
    names(n.output());
    put(" = ");
    if (!n.domain().empty()) put(n.domain(), ".");
    put(n.op_type());
    if (!n.overload().empty()) put(":", n.overload());
    put(" ");
    bool has_graph = false;
    for (const auto& a : n.attribute()) has_graph = has_graph || a.has_g() || a.graphs_size() > 0;
    if (!has_graph) attributes(n.attribute());
    if (!has_graph && n.attribute_size() > 0) put(" ");
    put("(");
    names(n.input());
    put(")");
    if (has_graph) {
      put(" ");
      attributes(n.attribute());
    }
    put("\n");
  }

  template <class List>
  void attributes(const List& list) {
    if (list.empty()) return;
    put("<");
    for (int i = 0; i < list.size(); i++) {
      put(i ? ", " : "");
      attribute(list[i]);
    }
    put(">");
  }

  template <class List, class Each>
  void list(const List& items, const Each& each) {
    put("[");
    for (int i = 0; i < items.size(); i++) {
      put(i ? ", " : "");
      each(items[i]);
    }
    put("]");
  }

  void attribute(const pb::AttributeProto& a) {
    name(a.name());
    put(": ", kAttributeTypes[a.type()], " = ");
    if (!a.ref_attr_name().empty()) return put("@", a.ref_attr_name());
    switch (a.type()) {
      case pb::AttributeProto::FLOAT:
        return number(a.f(), true);
      case pb::AttributeProto::INT:
        return put(a.i());
      case pb::AttributeProto::STRING:
        return quoted(a.s());
      case pb::AttributeProto::TENSOR:
        return tensor(a.t(), false);
      case pb::AttributeProto::GRAPH:
        return graph(a.g());
      case pb::AttributeProto::TYPE_PROTO:
        return type(a.tp());
      case pb::AttributeProto::FLOATS:
        return list(a.floats(), [&](float f) { number(f, true); });
      case pb::AttributeProto::INTS:
        return list(a.ints(), [&](int64_t i) { put(i); });
      case pb::AttributeProto::STRINGS:
        return list(a.strings(), [&](const std::string& s) { quoted(s); });
      case pb::AttributeProto::TENSORS:
        return list(a.tensors(), [&](const pb::TensorProto& t) { tensor(t, false); });
      case pb::AttributeProto::GRAPHS:
        return list(a.graphs(), [&](const pb::GraphProto& g) { graph(g); });
      case pb::AttributeProto::TYPE_PROTOS:
        return list(a.type_protos(), [&](const pb::TypeProto& t) { type(t); });
      default:
        return;
    }
  }

  void function(const pb::FunctionProto& f) {
    put("<\n  domain: ");
    quoted(f.domain());
    put(",\n");
    if (!f.overload().empty()) {
      put("  overload: ");
      quoted(f.overload());
      put(",\n");
    }
    put("  opset_import: ");
    opsets(f.opset_import());
    put("\n>\n");
    name(f.name());
    put(" ");
    if (f.attribute_size() + f.attribute_proto_size() > 0) {
      put("<");
      names(f.attribute());
      for (int i = 0; i < f.attribute_proto_size(); i++) {
        put(i || f.attribute_size() > 0 ? "," : "");
        attribute(f.attribute_proto(i));
      }
      put(">");
    }
    put("(");
    names(f.input());
    put(") => (");
    names(f.output());
    put(")\n");
    nodes(f.node());
  }

  bool exact_;
  int level_ = 0;
  std::string text_;
};

}  // namespace

std::string print_model(const pb::ModelProto& model, bool exact) { return Printer(exact).model(model); }

}  // namespace sardonyx::tools
