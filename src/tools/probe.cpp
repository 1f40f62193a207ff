// Types as the tools hold them, and the small model that the engine infers with.
#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "tools/elements.h"
#include "tools/inference.h"
#include "tools/model_file.h"

namespace sardonyx::tools {
namespace {

// Weights of more elements say nothing that inference needs but their shape.
constexpr int64_t kMostElements = 1024;

template <class Tensor>
void tensor_known(const Tensor& t, std::string_view letter, Known& known) {
  if (t.elem_type() <= 0) return;
  known.code = cat(letter, t.elem_type());
  known.has_shape = t.has_shape();
  for (const auto& d : t.shape().dim())
    known.dims.push_back({d.has_dim_value() && d.dim_value() >= 0 ? d.dim_value() : -1, d.dim_param(), {}});
}

std::string code_of(const pb::TypeProto& type) {
  Known known;
  switch (type.value_case()) {
    case pb::TypeProto::kTensorType:
      tensor_known(type.tensor_type(), "", known);
      return known.code;
    case pb::TypeProto::kSparseTensorType:
      tensor_known(type.sparse_tensor_type(), "p", known);
      return known.code;
    case pb::TypeProto::kSequenceType:
    case pb::TypeProto::kOptionalType: {
      const bool sequence = type.has_sequence_type();
      const std::string inner = code_of(sequence ? type.sequence_type().elem_type() : type.optional_type().elem_type());
      return inner.empty() ? inner : cat(sequence ? "s" : "o", inner);
    }
    case pb::TypeProto::kMapType: {
      const std::string inner = code_of(type.map_type().value_type());
      return inner.empty() ? inner : cat("m", type.map_type().key_type(), ":", inner);
    }
    default:
      return {};
  }
}

void code_to_type(std::string_view code, pb::TypeProto& type) {
  const auto number = [](std::string_view digits) { return std::atoi(std::string(digits).c_str()); };
  switch (code.empty() ? '\0' : code[0]) {
    case '\0':
      return;
    case 's':
      return code_to_type(code.substr(1), *type.mutable_sequence_type()->mutable_elem_type());
    case 'o':
      return code_to_type(code.substr(1), *type.mutable_optional_type()->mutable_elem_type());
    case 'p':
      return type.mutable_sparse_tensor_type()->set_elem_type(number(code.substr(1)));
    case 'm': {
      const size_t colon = code.find(':');
      type.mutable_map_type()->set_key_type(number(code.substr(1, colon - 1)));
      return code_to_type(code.substr(colon + 1), *type.mutable_map_type()->mutable_value_type());
    }
    default:
      type.mutable_tensor_type()->set_elem_type(number(code));
  }
}

bool is_small(const pb::TensorProto& t) {
  const int64_t count = element_count(t.dims());
  return t.data_location() != pb::TensorProto::EXTERNAL && count >= 0 && count <= kMostElements;
}

}  // namespace

Known known_of(const pb::TypeProto& type) {
  Known known;
  if (type.has_tensor_type()) {
    tensor_known(type.tensor_type(), "", known);
    return known;
  }
  known.code = code_of(type);
  return known;
}

Known known_of(const pb::TensorProto& tensor) {
  Known known{cat(tensor.data_type()), true, {}};
  for (const int64_t d : tensor.dims()) known.dims.push_back({d, {}, {}});
  return known;
}

void to_type(const Known& known, pb::TypeProto& type) {
  if (known.code.empty()) return;
  code_to_type(known.code, type);
  if (!known.has_shape || !type.has_tensor_type()) return;
  auto& shape = *type.mutable_tensor_type()->mutable_shape();
  shape.clear_dim();
  for (const KnownDim& d : known.dims) {
    auto& dim = *shape.add_dim();
    if (d.value >= 0)
      dim.set_dim_value(d.value);
    else if (!d.name.empty())
      dim.set_dim_param(d.name);
  }
}

std::string probe_bytes(const pb::ModelProto& model, const std::vector<char>& bad) {
  pb::ModelProto probe;
  probe.set_ir_version(std::max<int64_t>(model.ir_version(), 4));
  *probe.mutable_opset_import() = model.opset_import();
  *probe.mutable_functions() = model.functions();
  const pb::GraphProto& from = model.graph();
  pb::GraphProto& to = *probe.mutable_graph();
  to.set_name("probe");
  std::unordered_set<std::string_view> known;
  for (const auto& t : from.initializer()) {
    known.insert(t.name());
    if (is_small(t)) {
      *to.add_initializer() = t;
      continue;
    }
    auto& input = *to.add_input();
    input.set_name(t.name());
    to_type(known_of(t), *input.mutable_type());
  }
  *to.mutable_sparse_initializer() = from.sparse_initializer();
  for (const auto& s : from.sparse_initializer()) known.insert(s.values().name());
  for (const auto& v : from.input())
    if (known.insert(v.name()).second) *to.add_input() = v;
  for (int i = 0; i < from.node_size(); i++) {
    const auto& n = from.node(i);
    if (static_cast<size_t>(i) < bad.size() && bad[static_cast<size_t>(i)]) continue;
    const bool has_all = std::all_of(n.input().begin(), n.input().end(),
                                     [&](const std::string& name) { return name.empty() || known.contains(name); });
    if (!has_all) continue;
    *to.add_node() = n;
    for (const auto& name : n.output()) known.insert(name);
  }
  for (const auto& v : from.value_info())
    if (known.contains(v.name())) *to.add_value_info() = v;
  for (const auto& v : from.output())
    if (known.contains(v.name())) to.add_output()->set_name(v.name());
  return model_bytes(probe);
}

}  // namespace sardonyx::tools
