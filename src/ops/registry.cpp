// The list of operator families, and the search in it.
#include "ops/registry.h"

#include <algorithm>
#include <unordered_map>

#include "ops/families.h"

namespace sardonyx {
namespace {

struct Family {
  std::string_view domain;
  std::span<const OpEntry> (*entries)();
};

constexpr std::string_view kMl = "ai.onnx.ml";
constexpr std::string_view kTraining = "ai.onnx.preview.training";
constexpr std::string_view kMicrosoft = "com.microsoft";

constexpr Family kFamilies[] = {
    {"", unary_ops},
    {"", activation_ops},
    {"", binary_ops},
    {"", compare_ops},
    {"", variadic_ops},
    {"", clip_ops},
    {"", where_ops},
    {"", cast_ops},
    {"", reduce_ops},
    {"", softmax_ops},
    {"", arg_ops},
    {"", cumulative_ops},
    {"", matmul_ops},
    {"", gemm_ops},
    {"", conv_ops},
    {"", conv_transpose_ops},
    {"", deform_conv_ops},
    {"", pool_ops},
    {"", normalization_ops},
    {"", batch_norm_ops},
    {"", layer_norm_ops},
    {"", dropout_ops},
    {"", recurrent_ops},
    {"", quantize_ops},
    {"", integer_ops},
    {"", conv_integer_ops},
    {"", resize_ops},
    {"", depth_space_ops},
    {"", unpool_ops},
    {"", attention_ops},
    {"", linear_attention_ops},
    {"", rotary_ops},
    {"", loss_ops},
    {"", grid_sample_ops},
    {"", affine_grid_ops},
    {"", einsum_ops},
    {"", col2im_ops},
    {"", roi_ops},
    {"", det_ops},
    {"", shape_ops},
    {"", reshape_ops},
    {"", transpose_ops},
    {"", concat_ops},
    {"", split_ops},
    {"", slice_ops},
    {"", gather_ops},
    {"", scatter_ops},
    {"", pad_ops},
    {"", tile_ops},
    {"", fill_ops},
    {"", selection_ops},
    {"", sequence_ops},
    {"", optional_ops},
    {"", text_ops},
    {"", control_ops},
    {"", fourier_ops},
    {"", window_ops},
    {"", tf_idf_ops},
    {"", image_ops},

    {kTraining, optimizer_ops},

    {kMl, ml_label_ops},
    {kMl, ml_map_ops},
    {kMl, ml_feature_ops},
    {kMl, ml_linear_ops},
    {kMl, ml_svm_ops},
    {kMl, ml_tree_ops},

    {kMicrosoft, ms_nbits_ops},
    {kMicrosoft, ms_bnb4_ops},
    {kMicrosoft, ms_linear_state_ops},
    {kMicrosoft, ms_lstm_ops},
    {kMicrosoft, ms_pool_ops},
    {kMicrosoft, ms_norm_ops},
    {kMicrosoft, ms_rotary_ops},
    {kMicrosoft, ms_attention_ops},
    {kMicrosoft, ms_grouped_attention_ops},
    {kMicrosoft, ms_integer_ops},
    {kMicrosoft, ms_qlinear_ops},
    {kMicrosoft, ms_activation_ops},
    {kMicrosoft, ms_gather_ops},
    {kMicrosoft, ms_linear_ops},
};

// All entries by domain and type; made once per model.
class Index {
 public:
  Index() {
    for (const Family& f : kFamilies) {
      for (const OpEntry& e : f.entries()) entries_[key(f.domain, e.type)].push_back(&e);
    }
  }
  // The newest form that `opset` has; null where there is none.
  const OpEntry* find(const Node& node) const {
    const auto it = entries_.find(key(node.domain, node.op_type));
    const OpEntry* best = nullptr;
    if (it == entries_.end()) return nullptr;
    for (const OpEntry* e : it->second) {
      if (e->since <= node.opset && (!best || e->since > best->since)) best = e;
    }
    return best;
  }

 private:
  static std::string key(std::string_view domain, std::string_view type) { return cat(domain, ":", type); }
  std::unordered_map<std::string, std::vector<const OpEntry*>> entries_;
};

std::string full_name(const Node& node) {
  return cat(node.domain.empty() ? "" : node.domain + ".", node.op_type, "-", node.opset);
}

void list_unknown(const Graph& graph, const Index& index, std::vector<std::pair<std::string, std::string>>& unknown) {
  for (const Node& node : graph.nodes) {
    if (!node.op && !index.find(node)) {
      const std::string name = full_name(node);
      const bool listed = std::any_of(unknown.begin(), unknown.end(), [&](const auto& u) { return u.first == name; });
      if (!listed) unknown.emplace_back(name, node.label(graph));
    }
    for (const auto& inner : subgraphs(node)) list_unknown(*inner, index, unknown);
  }
}

void make(Node& node, const Graph& graph, const OpEntry& entry) {
  Attributes& a = node.attributes;
  a.since = entry.since;
  a.opset = node.opset;
  a.inputs = static_cast<int>(node.inputs.size());
  a.outputs = static_cast<int>(node.outputs.size());
  for (const Attribute& attribute : a.all()) attribute.read = false;
  try {
    node.op = entry.make(a);
    for (const Attribute& attribute : a.all()) {
      check(attribute.read, ErrorCode::invalid_model, "attribute \"", attribute.name, "\" is not one of ",
            full_name(node));
    }
  } catch (Error& e) {
    if (e.op_type.empty()) {
      e.op_type = node.op_type;
      e.node = node.label(graph);
    }
    throw;
  }
}

void bind_all(Graph& graph, const Index& index) {
  for (Node& node : graph.nodes) {
    for (const auto& inner : subgraphs(node)) bind_all(*inner, index);
    if (!node.op) make(node, graph, *index.find(node));
  }
}

void bind_custom(Graph& graph, const CustomOperators& custom) {
  for (Node& node : graph.nodes) {
    for (const auto& inner : subgraphs(node)) bind_custom(*inner, custom);
    node.op = custom(node);
    if (node.op && node.domain.empty()) node.domain = "ai.onnx";  // not the standard's, which the passes know
  }
}

}  // namespace

void bind_operators(Graph& graph, const CustomOperators& custom) {
  const Index index;
  if (custom) bind_custom(graph, custom);
  std::vector<std::pair<std::string, std::string>> unknown;
  list_unknown(graph, index, unknown);
  if (!unknown.empty()) {
    std::string text = unknown.size() == 1
                           ? "the model uses an operator that is not implemented: "
                           : cat("the model uses ", unknown.size(), " operators that are not implemented: ");
    for (size_t i = 0; i < unknown.size(); i++) {
      text += cat(i ? ", " : "", unknown[i].first, " (node \"", unknown[i].second, "\")");
    }
    fail(ErrorCode::unsupported_operator, text);
  }
  bind_all(graph, index);
}

void bind_operator(Node& node, const Graph& graph) {
  const OpEntry* entry = nullptr;  // a walk over all of them takes less than making an index
  for (const Family& f : kFamilies) {
    if (f.domain != node.domain) continue;
    for (const OpEntry& e : f.entries()) {
      if (e.type == node.op_type && e.since <= node.opset && (!entry || e.since > entry->since)) entry = &e;
    }
  }
  check(entry, ErrorCode::unsupported_operator, full_name(node), " is not implemented (node \"", node.label(graph),
        "\")");
  make(node, graph, *entry);
}

std::vector<std::string> implemented_operators() {
  std::vector<std::string> names;
  for (const Family& f : kFamilies) {
    for (const OpEntry& e : f.entries()) {
      names.push_back(cat(f.domain, f.domain.empty() ? "" : ".", e.type, "-", e.since));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace sardonyx
