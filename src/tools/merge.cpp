// Passes that make one node of two.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tools/simplify.h"

namespace sardonyx::tools {
namespace {

// The node that makes input k of node i, where it makes nothing else and no one else needs it; else -1.
int sole_maker(Editor& graph, int i, int k) {
  const pb::NodeProto& n = graph.node(i);
  if (k >= n.input_size() || n.input(k).empty() || graph.uses(n.input(k)) != 1) return -1;
  const int before = graph.maker(n.input(k));
  return before >= 0 && graph.node(before).output_size() == 1 ? before : -1;
}

// Node `second` goes, and `first`, which made its only live input, makes its output.
void take_output(Editor& graph, int first, int second) {
  pb::NodeProto& n = graph.node(second);
  const pb::NodeProto merged = graph.node(first);
  // The merged node stands where the second was, so that all its inputs are made before.
  const std::string name = n.name();
  graph.remove(first);
  graph.cut_inputs(second, 0);
  n.set_op_type(merged.op_type());
  n.set_domain(merged.domain());
  *n.mutable_attribute() = merged.attribute();
  n.set_name(merged.name().empty() ? name : merged.name());
  for (int k = 0; k < merged.input_size(); k++) graph.set_input(second, k, merged.input(k));
}

struct Weights {
  std::vector<float> w;
  std::vector<int64_t> dims;
  int64_t channels = 0;  // of the output
};

// The weights of a Conv or ConvTranspose of one group that are constants in float32, and its output channels.
std::optional<Weights> weights_of(Editor& graph, int i) {
  const pb::NodeProto& n = graph.node(i);
  const bool transposed = is_op(n, "ConvTranspose");
  if ((!transposed && !is_op(n, "Conv")) || n.input_size() < 2) return {};
  const auto* tensor = graph.constant(n.input(1));
  auto w = floats_of(tensor);
  if (!w || tensor->dims_size() < 3) return {};
  if (transposed && int_attribute(n, "group", 1) != 1) return {};
  Weights found{std::move(*w), {tensor->dims().begin(), tensor->dims().end()}, 0};
  found.channels = found.dims[transposed ? 1 : 0];
  return found.channels > 0 ? std::optional(std::move(found)) : std::nullopt;
}

// The bias of a convolution, 0 where it has none; nothing where it is not a constant per channel.
std::optional<std::vector<float>> bias_of(Editor& graph, int i, size_t channels) {
  const pb::NodeProto& n = graph.node(i);
  if (n.input_size() < 3 || n.input(2).empty()) return std::vector<float>(channels, 0);
  auto given = floats_of(graph.constant(n.input(2)));
  return given && given->size() == channels ? std::move(given) : std::nullopt;
}

// y = y + shift per output channel, into the bias.
bool shift_bias(Editor& graph, int i, int64_t channels, const std::vector<float>& shift) {
  auto bias = bias_of(graph, i, static_cast<size_t>(channels));
  if (!bias || shift.size() != bias->size()) return false;
  for (size_t c = 0; c < shift.size(); c++) (*bias)[c] += shift[c];
  graph.set_constant(i, 2, graph.node(i).input(1) + "_bias", float_tensor(*bias, {channels}));
  return true;
}

// y = y * scale + shift per output channel, into the weights and the bias.
bool scale_weights(Editor& graph, int i, Weights& weights, const std::vector<double>& scale,
                   const std::vector<double>& shift) {
  const pb::NodeProto& n = graph.node(i);
  const bool transposed = is_op(n, "ConvTranspose");
  const auto channels = static_cast<size_t>(weights.channels);
  auto bias = bias_of(graph, i, channels);
  if (!bias || weights.w.empty() || scale.size() != channels || shift.size() != channels) return false;
  const size_t outer = transposed ? static_cast<size_t>(weights.dims[0]) : 1;
  const size_t inner = weights.w.size() / (outer * channels);
  for (size_t o = 0; o < outer; o++)
    for (size_t c = 0; c < channels; c++)
      for (size_t k = 0; k < inner; k++) {
        float& w = weights.w[(o * channels + c) * inner + k];
        w = static_cast<float>(w * scale[c]);
      }
  for (size_t c = 0; c < channels; c++) (*bias)[c] = static_cast<float>((*bias)[c] * scale[c] + shift[c]);
  const std::string w = n.input(1);
  graph.set_constant(i, 1, w + "_scaled", float_tensor(weights.w, weights.dims));
  graph.set_constant(i, 2, w + "_bias", float_tensor(*bias, {weights.channels}));
  return true;
}

bool merge_batch_norm(Editor& graph, int i) {
  const pb::NodeProto& n = graph.node(i);
  if (!is_op(n, "BatchNormalization") || n.input_size() != 5 || int_attribute(n, "training_mode", 0) != 0) return false;
  if (int_attribute(n, "spatial", 1) == 0) return false;
  for (int o = 1; o < n.output_size(); o++)
    if (!n.output(o).empty() && graph.uses(n.output(o)) > 0) return false;
  const int conv = sole_maker(graph, i, 0);
  if (conv < 0) return false;
  auto weights = weights_of(graph, conv);
  const auto gamma = floats_of(graph.constant(n.input(1))), beta = floats_of(graph.constant(n.input(2)));
  const auto mean = floats_of(graph.constant(n.input(3))), variance = floats_of(graph.constant(n.input(4)));
  if (!weights || !gamma || !beta || !mean || !variance) return false;
  const auto channels = static_cast<size_t>(weights->channels);
  if (gamma->size() != channels || beta->size() != channels || mean->size() != channels || variance->size() != channels)
    return false;
  const auto* epsilon = attribute(n, "epsilon");
  std::vector<double> scale(channels), shift(channels);
  for (size_t c = 0; c < channels; c++) {
    scale[c] = (*gamma)[c] / std::sqrt(static_cast<double>((*variance)[c]) + (epsilon ? epsilon->f() : 1e-5f));
    shift[c] = (*beta)[c] - (*mean)[c] * scale[c];
  }
  if (!scale_weights(graph, conv, *weights, scale, shift)) return false;
  while (graph.node(i).output_size() > 1) graph.node(i).mutable_output()->RemoveLast();
  take_output(graph, conv, i);
  return true;
}

// Is a constant one value per channel, of a tensor of `rank` dimensions?
bool is_per_channel(const pb::TensorProto& t, int64_t channels, size_t rank) {
  const int dims = t.dims_size();
  const int at = dims - static_cast<int>(rank) + 1;  // where the channels are
  if (at < 0 || dims > static_cast<int>(rank)) return false;
  for (int d = 0; d < dims; d++)
    if (t.dims(d) != (d == at ? channels : 1)) return false;
  return true;
}

// Conv, then Mul by one constant per channel (the scale), or Add of one (the shift).
bool merge_per_channel(Editor& graph, int i) {
  const pb::NodeProto& n = graph.node(i);
  const bool is_scale = is_op(n, "Mul");
  if ((!is_scale && !is_op(n, "Add")) || n.input_size() != 2) return false;
  for (const int k : {0, 1}) {
    const auto* tensor = graph.constant(n.input(1 - k));
    const int conv = tensor ? sole_maker(graph, i, k) : -1;
    if (conv < 0) continue;
    auto weights = weights_of(graph, conv);
    const auto factor = floats_of(tensor);
    if (!weights || !factor || !is_per_channel(*tensor, weights->channels, weights->dims.size())) continue;
    const std::vector<double> scale(factor->begin(), factor->end()), none(factor->size(), 0);
    const bool fits = is_scale ? scale_weights(graph, conv, *weights, scale, none)
                               : shift_bias(graph, conv, weights->channels, *factor);
    if (!fits) continue;
    take_output(graph, conv, i);
    return true;
  }
  return false;
}

// MatMul of two matrices, then Add of a row: Gemm.
bool merge_gemm(Editor& graph, const Facts& facts, int i) {
  const pb::NodeProto& n = graph.node(i);
  if (!is_op(n, "Add") || n.input_size() != 2 || facts.opset < 7) return false;
  for (const int k : {0, 1}) {
    const auto* row = graph.constant(n.input(1 - k));
    const int product = row ? sole_maker(graph, i, k) : -1;
    if (product < 0 || !is_op(graph.node(product), "MatMul")) continue;
    if (graph.node(product).input_size() != 2) continue;
    const Known *a = facts.known(graph.node(product).input(0)), *b = facts.known(graph.node(product).input(1));
    if (!a || !b || !a->has_shape || !b->has_shape || a->dims.size() != 2 || b->dims.size() != 2) continue;
    const int64_t columns = b->dims[1].value;
    const bool fits = columns > 0 && (row->dims_size() == 1 || (row->dims_size() == 2 && row->dims(0) == 1)) &&
                      row->dims(row->dims_size() - 1) == columns;
    if (!fits || (b->code != "1" && b->code != "10" && b->code != "11")) continue;
    const std::string name = n.input(1 - k);
    graph.node(product).set_op_type("Gemm");
    graph.set_input(product, 2, name);
    take_output(graph, product, i);
    return true;
  }
  return false;
}

}  // namespace

namespace {

// The same elements under another shape.
bool is_view(const pb::NodeProto& n) {
  return is_op(n, "Reshape") || is_op(n, "Flatten") || is_op(n, "Squeeze") || is_op(n, "Unsqueeze");
}

bool merge_transposes(Editor& graph, int i, int before) {
  const auto first = ints_attribute(graph.node(before), "perm"), second = ints_attribute(graph.node(i), "perm");
  const auto is_place = [&](int64_t axis) { return axis >= 0 && axis < std::ssize(first); };
  if (first.empty() || first.size() != second.size() || !std::ranges::all_of(second, is_place)) return false;
  std::vector<int64_t> both;
  for (const int64_t axis : second) both.push_back(first[static_cast<size_t>(axis)]);
  const std::string source = graph.node(before).input(0);
  set_ints(graph.node(i), "perm", both);
  graph.set_input(i, 0, source);
  return true;
}

// The last shape counts: where it is that of a Reshape, or fixed.
bool merge_views(Editor& graph, const Facts& facts, int i, int before) {
  pb::NodeProto& n = graph.node(i);
  const std::string source = graph.node(before).input(0);
  if (is_op(n, "Reshape")) {
    const auto shape = n.input_size() == 2 ? integers_of(graph.constant(n.input(1))) : std::nullopt;
    // 0 would mean the dimension of another input.
    if (!shape || std::ranges::find(*shape, 0) != shape->end()) return false;
    graph.set_input(i, 0, source);
    return true;
  }
  const Known* known = facts.opset >= 5 && n.output_size() == 1 ? facts.known(n.output(0)) : nullptr;
  if (!known || !known->has_shape || graph.uses(n.input(0)) != 1) return false;
  std::vector<int64_t> target;
  for (const KnownDim& d : known->dims) target.push_back(d.value);
  if (std::ranges::any_of(target, [](int64_t d) { return d <= 0; })) return false;
  const std::string name = n.output(0);
  graph.cut_inputs(i, 1);
  n.set_op_type("Reshape");
  n.clear_attribute();
  graph.set_input(i, 0, source);
  graph.set_input(
      i, 1, graph.add_constant(name + "_shape", int_tensor(pb::TensorProto::INT64, target, {std::ssize(target)})));
  return true;
}

}  // namespace

bool merge_moves(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || graph.node(i).input().empty()) continue;
    const pb::NodeProto& n = graph.node(i);
    const int before = graph.maker(n.input(0));
    if (before < 0 || before == i || graph.node(before).input().empty()) continue;
    if (is_op(n, "Transpose") && is_op(graph.node(before), "Transpose"))
      changed = merge_transposes(graph, i, before) || changed;
    else if (is_view(n) && is_view(graph.node(before)))
      changed = merge_views(graph, facts, i, before) || changed;
  }
  return changed;
}

bool merge_affine(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i)) continue;
    changed = merge_batch_norm(graph, i) || merge_per_channel(graph, i) || merge_gemm(graph, facts, i) || changed;
  }
  return changed;
}

namespace {

// An average over what a Pad has added is one that counts its pads, where it has none itself.
bool takes_zeros(const pb::NodeProto& n, const Facts& facts) {
  if (!is_op(n, "AveragePool") || facts.opset < 7 || int_attribute(n, "ceil_mode", 0) != 0) return false;
  const auto pads = ints_attribute(n, "pads");
  return std::ranges::all_of(pads, [](int64_t p) { return p == 0; });
}

}  // namespace

bool merge_pads(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i)) continue;
    const pb::NodeProto& n = graph.node(i);
    if (!is_op(n, "Conv") && !takes_zeros(n, facts)) continue;
    const auto* automatic = attribute(n, "auto_pad");
    if (automatic && automatic->s() != "NOTSET" && automatic->s() != "VALID") continue;
    const int before = sole_maker(graph, i, 0);
    if (before < 0 || !is_op(graph.node(before), "Pad")) continue;
    const pb::NodeProto& pad = graph.node(before);
    const auto* mode = attribute(pad, "mode");
    if (mode && mode->s() != "constant") continue;
    const auto* value = attribute(pad, "value");
    if (value && value->f() != 0) continue;
    if (pad.input_size() > 2 && !pad.input(2).empty()) {
      const auto given = floats_of(graph.constant(pad.input(2)));
      if (!given || given->size() != 1 || (*given)[0] != 0) continue;
    }
    if (pad.input_size() > 3 && !pad.input(3).empty()) continue;
    const auto constant =
        facts.opset >= 11 && pad.input_size() > 1 ? integers_of(graph.constant(pad.input(1))) : std::nullopt;
    const std::vector<int64_t> pads = constant ? *constant : ints_attribute(pad, "pads");
    const size_t rank = pads.size() / 2;
    if (pads.size() % 2 != 0 || rank < 3 || pads[0] != 0 || pads[1] != 0 || pads[rank] != 0 || pads[rank + 1] != 0)
      continue;
    std::vector<int64_t> both = ints_attribute(n, "pads");
    const auto is_odd = [](int64_t p) { return p < 0 || p > INT32_MAX; };
    if (std::ranges::any_of(pads, is_odd) || std::ranges::any_of(both, is_odd)) continue;
    both.resize(2 * (rank - 2), 0);
    for (size_t d = 0; d < rank - 2; d++) {
      both[d] += pads[2 + d];
      both[rank - 2 + d] += pads[rank + 2 + d];
    }
    if (is_op(n, "AveragePool")) {  // which counts its own pads only where it is told to
      const auto kernel = ints_attribute(n, "kernel_shape");
      bool fits = kernel.size() == rank - 2;  // no window is all of pads
      for (size_t d = 0; fits && d < both.size(); d++) fits = both[d] < kernel[d % kernel.size()];
      if (!fits) continue;
      clear_attribute(graph.node(i), "count_include_pad");
      auto* counts = graph.node(i).add_attribute();
      counts->set_name("count_include_pad");
      counts->set_type(pb::AttributeProto::INT);
      counts->set_i(1);
    }
    const std::string source = pad.input(0);
    if (automatic) const_cast<pb::AttributeProto*>(automatic)->set_s("NOTSET");
    set_ints(graph.node(i), "pads", both);
    graph.set_input(i, 0, source);
    changed = true;
  }
  return changed;
}

}  // namespace sardonyx::tools
