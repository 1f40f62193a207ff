// Nodes that do nothing.
#include <algorithm>

#include "tools/elements.h"
#include "tools/simplify.h"

namespace sardonyx::tools {
namespace {

// Do both have the same shape for all feeds? Named dimensions are alike by their names; one that is not known may be
// left, where `same_count` says that both have as many elements.
bool same_shape(const Known* a, const Known* b, bool same_count) {
  if (!a || !b || !a->has_shape || !b->has_shape || a->dims.size() != b->dims.size()) return false;
  int open = 0;
  for (size_t i = 0; i < a->dims.size(); i++) {
    const KnownDim &x = a->dims[i], &y = b->dims[i];
    if (x.value == 0 || y.value == 0) return false;
    if (x.is_like(y)) continue;
    if (x.value >= 0 && y.value >= 0) return false;
    open++;
  }
  return open == 0 || (same_count && open == 1);
}

bool all_equal(const pb::TensorProto* tensor, double wanted) {
  if (!tensor) return false;
  const Elements e(*tensor);
  if (!e.readable() || e.is_text() || e.count() < 1 || e.count() > 1 << 20) return false;
  for (int64_t i = 0; i < e.count(); i++)
    if (e.number(i) != wanted) return false;
  return true;
}

// x + 0, x * 1 and the like: the input that stays, or -1.
int neutral_input(const pb::NodeProto& n, const Editor& graph) {
  const bool sum = n.op_type() == "Add" || n.op_type() == "Sub", product = n.op_type() == "Mul" || n.op_type() == "Div";
  const bool logic = n.op_type() == "And" || n.op_type() == "Or";
  if ((!sum && !product && !logic) || n.input_size() != 2) return -1;
  const double neutral = sum || n.op_type() == "Or" ? 0 : 1;
  if (all_equal(graph.constant(n.input(1)), neutral)) return 0;
  const bool either = logic || n.op_type() == "Add" || n.op_type() == "Mul";
  return either && all_equal(graph.constant(n.input(0)), neutral) ? 1 : -1;
}

// May broadcasting to the constant make more of a value?
bool enlarges(const pb::TensorProto& constant, const Known* value) {
  if (!value || !value->has_shape || static_cast<size_t>(constant.dims_size()) > value->dims.size()) return true;
  const size_t before = value->dims.size() - static_cast<size_t>(constant.dims_size());
  for (int d = 0; d < constant.dims_size(); d++)
    if (constant.dims(d) != 1 && value->dims[before + static_cast<size_t>(d)].value != constant.dims(d)) return true;
  return false;
}

bool is_identity_transpose(const pb::NodeProto& n) {
  const auto perm = ints_attribute(n, "perm");
  for (size_t i = 0; i < perm.size(); i++)
    if (perm[i] != static_cast<int64_t>(i)) return false;
  return !perm.empty();
}

// Steps all forward: a Slice of the same shape is then the same.
bool steps_forward(const pb::NodeProto& n, const Editor& graph) {
  if (n.input_size() < 5 || n.input(4).empty()) return true;
  const auto steps = integers_of(graph.constant(n.input(4)));
  return steps && std::all_of(steps->begin(), steps->end(), [](int64_t s) { return s > 0; });
}

// Is a training_mode input left out, or false?
bool is_inference_dropout(const pb::NodeProto& n, const Editor& graph, int64_t opset) {
  if (n.output_size() > 1 && !n.output(1).empty() && graph.uses(n.output(1)) > 0) return false;
  if (opset < 7) return int_attribute(n, "is_test", 0) != 0;
  return n.input_size() < 3 || n.input(2).empty() || all_equal(graph.constant(n.input(2)), 0);
}

// The input that output 0 is the same as, or -1.
int same_input(const pb::NodeProto& n, const Editor& graph, const Facts& facts) {
  const std::string& op = n.op_type();
  const Known *in = facts.known(n.input(0)), *out = facts.known(n.output(0));
  if (op == "Identity") return 0;
  if (op == "Dropout") return is_inference_dropout(n, graph, facts.opset) ? 0 : -1;
  if ((op == "Concat" || op == "Sum" || op == "Max" || op == "Min" || op == "Mean") && n.input_size() == 1) return 0;
  if (op == "Split" && n.output_size() == 1) return 0;
  if (op == "Cast") return in && out && !in->code.empty() && in->code == out->code ? 0 : -1;
  if (op == "Transpose") return is_identity_transpose(n) ? 0 : -1;
  if (op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze")
    return same_shape(in, out, true) ? 0 : -1;
  if (op == "Expand" || op == "Tile") return same_shape(in, out, false) ? 0 : -1;
  if (op == "Slice") return same_shape(in, out, false) && steps_forward(n, graph) ? 0 : -1;
  if (op == "Pad") {
    if (facts.opset >= 11) return n.input_size() > 1 && all_equal(graph.constant(n.input(1)), 0) ? 0 : -1;
    const auto pads = ints_attribute(n, "pads");
    return std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; }) && !pads.empty() ? 0 : -1;
  }
  const int neutral = neutral_input(n, graph);
  if (neutral < 0) return -1;
  const Known* kept = facts.known(n.input(neutral));
  const bool same = same_shape(kept, out, false) || !enlarges(*graph.constant(n.input(1 - neutral)), kept);
  return same ? neutral : -1;
}

}  // namespace

bool remove_no_ops(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || !is_standard(graph.node(i))) continue;
    const pb::NodeProto& n = graph.node(i);
    if (n.input().empty() || n.output().empty() || n.output(0).empty() || n.input(0).empty()) continue;
    const int same = same_input(n, graph, facts);
    if (same >= 0) changed = graph.bypass(i, std::string(n.input(same))) || changed;
  }
  return changed;
}

}  // namespace sardonyx::tools
