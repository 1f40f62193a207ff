// A model as its file has it, out of protobuf's messages but still with names: what the graph is built from.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace sardonyx::onnx {

struct GraphSource;

// One attribute. Tensors, sparse ones too, are dense Tensors already.
struct AttributeSource {
  enum class Form : uint8_t { value, graph, graphs, reference };
  std::string name;
  Form form = Form::value;
  AttributeValue value;                                    // Form::value
  std::vector<std::shared_ptr<const GraphSource>> graphs;  // Form::graph (one of them) and Form::graphs
  std::string reference;                                   // the function's attribute whose value it takes
};

struct NodeSource {
  std::string name, domain, op_type, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<AttributeSource> attributes;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

struct NamedType {
  std::string name;
  Type type;
};

struct GraphSource {
  std::string name;
  std::vector<NodeSource> nodes;
  std::vector<NamedTensor> initializers;
  std::vector<NamedType> inputs, outputs, value_infos;
};

using OpsetMap = std::map<std::string, int64_t, std::less<>>;

struct FunctionSource {
  std::string domain, name, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> attributes;    // without a default
  std::vector<AttributeSource> defaults;  // attributes with theirs
  std::vector<NodeSource> nodes;
  OpsetMap opsets;
};

struct ModelSource {
  Model header;  // everything but the graph
  GraphSource graph;
  std::vector<FunctionSource> functions;
};

// Limits what a small file can unfold to: functions that call functions, sparse tensors with huge dimensions.
class Expansion {
 public:
  explicit Expansion(uint64_t file_bytes) : left_((uint64_t{64} << 20) + 256 * file_bytes) {}
  // Throws Error (invalid_model) once more bytes were charged than the file can reasonably stand for.
  void charge(uint64_t bytes);

 private:
  uint64_t left_;
};

// "ai.onnx" is the long name of the domain "".
inline std::string_view short_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace sardonyx::onnx
