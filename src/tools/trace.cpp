// Values and the parts of models that make them.
#include "tools/trace.h"

#include <unordered_map>
#include <unordered_set>

#include "tools/elements.h"
#include "tools/extract.h"
#include "tools/inference.h"
#include "tools/json.h"

namespace sardonyx::tools {
namespace {

// Of a tensor, or -1.
double bytes_of(const Known& known) {
  const int dtype = std::atoi(known.code.c_str());
  if (!known.has_shape || !is_dtype(dtype)) return -1;
  double bytes = dtype_bits(static_cast<DType>(dtype)) / 8.0;
  for (const KnownDim& d : known.dims) bytes *= d.value < 0 ? -1e300 : static_cast<double>(d.value);
  return bytes < 0 || bytes > 1e15 ? -1 : bytes;
}

}  // namespace

std::string list_values(const pb::ModelProto& model) {
  const pb::GraphProto& g = model.graph();
  std::unordered_map<std::string_view, const pb::TypeProto*> types;
  for (const auto* list : {&g.value_info(), &g.output()})
    for (const auto& v : *list) types[v.name()] = &v.type();
  Json json;
  json.open('[');
  for (int i = 0; i < g.node_size(); i++) {
    const pb::NodeProto& n = g.node(i);
    for (const auto& name : n.output()) {
      if (name.empty()) continue;
      json.open('{').field("value", name).field("index", i).field("name", n.name()).field("opType", n.op_type());
      const auto type = types.find(name);
      const double bytes = type == types.end() ? -1 : bytes_of(known_of(*type->second));
      json.key("bytes");
      if (bytes < 0)
        json.null();
      else
        json.natural(static_cast<uint64_t>(bytes));
      json.close('}');
    }
  }
  return json.close(']').take();
}

pb::ModelProto part_of(const pb::ModelProto& model, const std::vector<std::string>& outputs) {
  const pb::GraphProto& from = model.graph();
  std::vector<char> needed(static_cast<size_t>(from.node_size()), 0);
  const auto names = needed_names(from, {}, outputs, needed);
  pb::ModelProto part;
  part.set_ir_version(model.ir_version());
  *part.mutable_opset_import() = model.opset_import();
  *part.mutable_functions() = model.functions();
  pb::GraphProto& to = *part.mutable_graph();
  to.set_name(from.name());
  *to.mutable_input() = from.input();
  std::unordered_set<std::string_view> inputs;
  for (const auto& v : from.input()) inputs.insert(v.name());
  for (const auto& t : from.initializer())  // without its default an input would have to be fed
    if (names.contains(t.name()) || inputs.contains(t.name())) *to.add_initializer() = t;
  for (const auto& t : from.sparse_initializer())
    if (names.contains(t.values().name())) *to.add_sparse_initializer() = t;
  for (int i = 0; i < from.node_size(); i++)
    if (needed[static_cast<size_t>(i)]) *to.add_node() = from.node(i);
  for (const auto& name : outputs) to.add_output()->set_name(name);
  return part;
}

}  // namespace sardonyx::tools
