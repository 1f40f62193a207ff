// From messages to the JSON that viewers read.
#include "tools/describe.h"

#include <map>

#include "base/error.h"
#include "tools/elements.h"
#include "tools/json.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

constexpr int64_t kMostValues = 64;
constexpr std::string_view kAttributeTypes[] = {
    "undefined", "float",   "int",    "string",        "tensor",         "graph",      "floats",     "ints",
    "strings",   "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"};

std::string_view dtype_text(int number) {
  return is_dtype(number) ? dtype_name(static_cast<DType>(number)) : std::string_view("undefined");
}

class Describer {
 public:
  explicit Describer(const ModelFile& file) : file_(file) {}

  std::string model() {
    const pb::ModelProto& m = file_.proto;
    json_.open('{').field("irVersion", m.ir_version());
    json_.field("producerName", m.producer_name()).field("producerVersion", m.producer_version());
    json_.field("domain", m.domain()).field("modelVersion", m.model_version()).field("docString", m.doc_string());
    opsets(m.opset_import());
    json_.key("metadata").open('{');
    for (const auto& p : m.metadata_props()) json_.field(p.key(), p.value());
    json_.close('}').key("graph");
    graph(m.graph(), true);
    json_.key("functions").open('[');
    for (const auto& f : m.functions()) function(f);
    json_.close(']').close('}');
    return json_.take();
  }

 private:
  template <class List>
  void opsets(const List& list) {
    json_.key("opsets").open('{');
    for (const auto& o : list) json_.field(o.domain() == "ai.onnx" ? "" : o.domain(), o.version());
    json_.close('}');
  }

  void doc(const std::string& text) {
    if (!text.empty()) json_.field("docString", text);
  }

  template <class List>
  void names(std::string_view key, const List& list) {
    json_.key(key).open('[');
    for (const auto& name : list) json_.string(name);
    json_.close(']');
  }

  // main: is it the graph whose ranges in the file are known?
  void graph(const pb::GraphProto& g, bool main) {
    json_.open('{').field("name", g.name());
    doc(g.doc_string());
    values("inputs", g.input());
    values("outputs", g.output());
    values("values", g.value_info());
    json_.key("initializers").open('[');
    for (int i = 0; i < g.initializer_size(); i++) {
      const bool known = main && static_cast<size_t>(i) < file_.initializers.size();
      tensor(g.initializer(i), known ? file_.initializers[static_cast<size_t>(i)] : Range());
    }
    for (const auto& s : g.sparse_initializer()) sparse(s);
    json_.close(']');
    nodes(g.node(), main);
    json_.close('}');
  }

  template <class List>
  void values(std::string_view key, const List& list) {
    json_.key(key).open('[');
    for (const auto& v : list) {
      json_.open('{').field("name", v.name()).key("type");
      type(v.type());
      doc(v.doc_string());
      json_.close('}');
    }
    json_.close(']');
  }

  template <class Tensor>
  void tensor_type(std::string_view kind, const Tensor& t) {
    json_.open('{').field("kind", kind).field("dtype", dtype_text(t.elem_type())).key("shape");
    if (!t.has_shape()) {
      json_.null().close('}');
      return;
    }
    json_.open('[');
    for (const auto& d : t.shape().dim()) {
      if (d.has_dim_value())
        json_.integer(d.dim_value());
      else if (!d.dim_param().empty())
        json_.string(d.dim_param());
      else
        json_.null();
    }
    json_.close(']').close('}');
  }

  void boxed(std::string_view kind, const pb::TypeProto& element) {
    json_.open('{').field("kind", kind).key("element");
    type(element);
    json_.close('}');
  }

  void type(const pb::TypeProto& t) {
    switch (t.value_case()) {
      case pb::TypeProto::kTensorType:
        return tensor_type("tensor", t.tensor_type());
      case pb::TypeProto::kSparseTensorType:
        return tensor_type("sparse_tensor", t.sparse_tensor_type());
      case pb::TypeProto::kSequenceType:
        return boxed("sequence", t.sequence_type().elem_type());
      case pb::TypeProto::kOptionalType:
        return boxed("optional", t.optional_type().elem_type());
      case pb::TypeProto::kMapType:
        json_.open('{').field("kind", "map").field("key", dtype_text(t.map_type().key_type())).key("element");
        type(t.map_type().value_type());
        json_.close('}');
        return;
      default:
        json_.null();
    }
  }

  void external(const pb::TensorProto& t) {
    std::string location, offset = "0", length;
    for (const auto& e : t.external_data()) {
      if (e.key() == "location") location = e.value();
      if (e.key() == "offset") offset = e.value();
      if (e.key() == "length") length = e.value();
    }
    json_.key("external")
        .open('{')
        .field("location", location)
        .field("offset", std::strtoll(offset.c_str(), nullptr, 10));
    json_.key("length");
    if (length.empty())
      json_.null();
    else
      json_.integer(std::strtoll(length.c_str(), nullptr, 10));
    json_.close('}');
  }

  void element(const Elements& e, int64_t i) {
    if (e.is_text())
      json_.string(e.text(i));
    else if (e.dtype() == DType::uint64)
      json_.natural(e.natural(i));
    else if (e.is_integer())
      json_.integer(e.integer(i));
    else
      json_.number(e.number(i), e.dtype() != DType::float64);
  }

  void tensor(const pb::TensorProto& t, Range range) {
    const Elements elements(t);
    json_.open('{').field("name", t.name()).field("dtype", dtype_text(t.data_type()));
    json_.key("shape").open('[');
    for (const int64_t d : t.dims()) json_.integer(d);
    json_.close(']');
    const int64_t count = std::max<int64_t>(elements.count(), 0);
    json_.key("bytes").natural(packed_bytes(elements.dtype(), count));
    if (range.length > 0) {
      json_.key("range").open('{').key("offset").natural(range.offset).key("length").natural(range.length).close('}');
    }
    if (t.data_location() == pb::TensorProto::EXTERNAL) external(t);
    if (elements.readable() && count <= kMostValues && !kComplex.has(elements.dtype())) {
      json_.key("values").open('[');
      for (int64_t i = 0; i < count; i++) element(elements, i);
      json_.close(']');
    }
    doc(t.doc_string());
    json_.close('}');
  }

  void sparse(const pb::SparseTensorProto& s) {
    json_.open('{').field("name", s.values().name()).field("dtype", dtype_text(s.values().data_type()));
    json_.key("shape").open('[');
    for (const int64_t d : s.dims()) json_.integer(d);
    json_.close(']').key("bytes").natural(s.values().raw_data().size() + s.indices().raw_data().size());
    json_.key("sparse").boolean(true).close('}');
  }

  template <class List>
  void nodes(const List& list, bool main) {
    json_.key("nodes").open('[');
    for (int i = 0; i < list.size(); i++) node(list[i], i, main);
    json_.close(']');
  }

  void node(const pb::NodeProto& n, int index, bool main) {
    json_.open('{').field("index", index).field("name", n.name());
    json_.field("domain", n.domain() == "ai.onnx" ? "" : n.domain()).field("opType", n.op_type());
    if (!n.overload().empty()) json_.field("overload", n.overload());
    names("inputs", n.input());
    names("outputs", n.output());
    json_.key("attributes").open('[');
    for (int a = 0; a < n.attribute_size(); a++) {
      const auto found = main ? file_.attributes.find({index, a}) : file_.attributes.end();
      attribute(n.attribute(a), found == file_.attributes.end() ? Range() : found->second);
    }
    json_.close(']');
    doc(n.doc_string());
    node_metadata(n);
    json_.close('}');
  }

  void node_metadata(const pb::NodeProto& n) {
    if (n.metadata_props().empty()) return;
    json_.key("metadata").open('{');
    for (const std::string& bytes : n.metadata_props()) {
      pb::StringStringEntryProto entry;
      if (entry.ParseFromString(bytes)) json_.field(entry.key(), entry.value());
    }
    json_.close('}');
  }

  template <class List, class Each>
  void list(const List& items, const Each& each) {
    json_.open('[');
    for (const auto& item : items) each(item);
    json_.close(']');
  }

  void attribute(const pb::AttributeProto& a, Range range) {
    const int type_number = a.type();
    json_.open('{').field("name", a.name()).field("type", kAttributeTypes[type_number]).key("value");
    switch (a.type()) {
      case pb::AttributeProto::FLOAT:
        json_.number(a.f(), true);
        break;
      case pb::AttributeProto::INT:
        json_.integer(a.i());
        break;
      case pb::AttributeProto::STRING:
        json_.string(a.s());
        break;
      case pb::AttributeProto::TENSOR:
        tensor(a.t(), range);
        break;
      case pb::AttributeProto::GRAPH:
        graph(a.g(), false);
        break;
      case pb::AttributeProto::SPARSE_TENSOR:
        sparse(a.sparse_tensor());
        break;
      case pb::AttributeProto::TYPE_PROTO:
        type(a.tp());
        break;
      default:
        attribute_list(a);
    }
    if (!a.ref_attr_name().empty()) json_.field("reference", a.ref_attr_name());
    json_.close('}');
  }

  void attribute_list(const pb::AttributeProto& a) {
    switch (a.type()) {
      case pb::AttributeProto::FLOATS:
        return list(a.floats(), [&](float f) { json_.number(f, true); });
      case pb::AttributeProto::INTS:
        return list(a.ints(), [&](int64_t i) { json_.integer(i); });
      case pb::AttributeProto::STRINGS:
        return list(a.strings(), [&](const std::string& s) { json_.string(s); });
      case pb::AttributeProto::TENSORS:
        return list(a.tensors(), [&](const pb::TensorProto& t) { tensor(t, {}); });
      case pb::AttributeProto::GRAPHS:
        return list(a.graphs(), [&](const pb::GraphProto& g) { graph(g, false); });
      case pb::AttributeProto::SPARSE_TENSORS:
        return list(a.sparse_tensors(), [&](const pb::SparseTensorProto& s) { sparse(s); });
      case pb::AttributeProto::TYPE_PROTOS:
        return list(a.type_protos(), [&](const pb::TypeProto& t) { type(t); });
      default:
        json_.null();
    }
  }

  void function(const pb::FunctionProto& f) {
    json_.open('{').field("domain", f.domain()).field("name", f.name());
    if (!f.overload().empty()) json_.field("overload", f.overload());
    doc(f.doc_string());
    names("inputs", f.input());
    names("outputs", f.output());
    json_.key("attributes").open('[');
    for (const auto& name : f.attribute()) json_.string(name);
    for (const auto& a : f.attribute_proto()) json_.string(a.name());
    json_.close(']');
    opsets(f.opset_import());
    nodes(f.node(), false);
    json_.close('}');
  }

  const ModelFile& file_;
  Json json_;
};

}  // namespace

std::string count_nodes(const pb::ModelProto& model) {
  std::map<std::string, int64_t> operators;
  int64_t nodes = 0;
  const auto count = [&](const auto& self, const pb::GraphProto& g) -> void {
    for (const auto& n : g.node()) {
      nodes++;
      operators[n.domain().empty() || n.domain() == "ai.onnx" ? n.op_type() : cat(n.domain(), ".", n.op_type())]++;
      for_each_subgraph(n, [&](const pb::GraphProto& inner) { self(self, inner); });
    }
  };
  count(count, model.graph());
  Json json;
  json.open('{').field("nodes", nodes).key("operators").open('{');
  for (const auto& [type, times] : operators) json.field(type, times);
  return json.close('}').close('}').take();
}

std::string describe(const ModelFile& file) { return Describer(file).model(); }

}  // namespace sardonyx::tools
