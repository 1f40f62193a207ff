// What a session says of itself to JavaScript: ports, metadata, profiles.
#include <map>
#include <string>

#include "js_values.h"

namespace sardonyx {
namespace {

using emscripten::val;

// {kind, dtype, shape?, element?}: a dimension is a number, a name, or -1 where nothing is known.
val type_to_js(const Type& type) {
  static constexpr const char* kKinds[] = {"unknown", "tensor", "sequence", "optional", "map"};
  val js = val::object();
  js.set("kind", std::string(kKinds[static_cast<int>(type.kind)]));
  js.set("dtype", static_cast<int>(type.dtype));
  if (type.has_shape) {
    val shape = val::array();
    for (unsigned i = 0; i < type.shape.size(); ++i) {
      const Dim& dim = type.shape[i];
      if (dim.value < 0 && !dim.name.empty()) {
        shape.set(i, dim.name);
      } else {
        shape.set(i, static_cast<double>(dim.value));
      }
    }
    js.set("shape", shape);
  }
  if (type.element) js.set("element", type_to_js(*type.element));
  return js;
}

// How many nodes of each operator, and how many elements its constants have, subgraphs included.
struct Census {
  std::map<std::string, int> operators;
  double parameters = 0;

  void count(const Graph& graph) {
    for (const ValueInfo& value : graph.values) {
      if (value.constant.defined()) parameters += static_cast<double>(value.constant.count());
    }
    for (const Node& node : graph.nodes) {
      ++operators[node.domain.empty() ? node.op_type : node.domain + "." + node.op_type];
      for (const auto& sub : subgraphs(node)) count(*sub);
    }
  }
};

}  // namespace

val ports_to_js(const std::vector<Session::Port>& ports) {
  val list = val::array();
  for (unsigned i = 0; i < ports.size(); ++i) {
    val port = type_to_js(ports[i].type);
    port.set("name", ports[i].name);
    port.set("optional", ports[i].optional);
    list.set(i, port);
  }
  return list;
}

val metadata_to_js(const Model& model) {
  Census census;
  census.count(model.graph);
  val operators = val::object(), opsets = val::object(), custom = val::object(), js = val::object();
  for (const auto& [name, count] : census.operators) operators.set(name, count);
  for (const auto& [domain, version] : model.opset_imports) {
    opsets.set(domain.empty() ? "ai.onnx" : domain, static_cast<double>(version));
  }
  for (const auto& [key, value] : model.metadata) custom.set(key, value);
  js.set("irVersion", static_cast<double>(model.ir_version));
  js.set("producerName", model.producer_name);
  js.set("producerVersion", model.producer_version);
  js.set("domain", model.domain);
  js.set("modelVersion", static_cast<double>(model.model_version));
  js.set("description", model.doc_string);
  js.set("graphName", model.graph.name);
  js.set("opsets", opsets);
  js.set("custom", custom);
  js.set("operators", operators);
  js.set("parameters", census.parameters);
  return js;
}

val profile_to_js(const Profile& profile) {
  val list = val::array();
  for (unsigned i = 0; i < profile.size(); ++i) {
    const ProfileEntry& entry = profile[i];
    val js = val::object();
    js.set("node", entry.node);
    js.set("opType", entry.op_type);
    js.set("start", entry.start_ms);
    js.set("duration", entry.duration_ms);
    js.set("shapes", entry.shapes);
    js.set("depth", entry.depth);
    if (entry.left_out > 0) js.set("leftOut", static_cast<double>(entry.left_out));
    list.set(i, js);
  }
  return list;
}
}  // namespace sardonyx
