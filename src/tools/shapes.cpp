// What follows from shapes.
#include <algorithm>

#include "tools/simplify.h"

namespace sardonyx::tools {
namespace {

// A constant for the shape input of a Reshape that gives `to`: sizes, 0 for dimensions that stay where they are, and -1
// for one more that is open.
std::optional<std::vector<int64_t>> reshape_target(const Known& from, const Known& to) {
  std::vector<int64_t> target;
  bool has_rest = false;
  for (size_t i = 0; i < to.dims.size(); i++) {
    const KnownDim& d = to.dims[i];
    if (d.value == 0) return {};
    if (d.value > 0) {
      target.push_back(d.value);
    } else if (i < from.dims.size() && d.is_like(from.dims[i])) {
      target.push_back(0);
    } else {
      if (has_rest) return {};
      has_rest = true;
      target.push_back(-1);
    }
  }
  return target;
}

// For Expand: 1 where the input's dimension stays.
std::optional<std::vector<int64_t>> expand_target(const Known& from, const Known& to) {
  std::vector<int64_t> target;
  const size_t before = to.dims.size() - std::min(to.dims.size(), from.dims.size());
  for (size_t i = 0; i < to.dims.size(); i++) {
    const KnownDim& d = to.dims[i];
    if (d.value >= 0)
      target.push_back(d.value);
    else if (i >= before && d.is_like(from.dims[i - before]))
      target.push_back(1);
    else
      return {};
  }
  return target;
}

// The dimensions of a value, -1 for those that are not known; empty where not even their number is.
std::vector<int64_t> dims_of(Editor& graph, const Facts& facts, const std::string& name) {
  std::vector<int64_t> dims;
  const Known* known = facts.known(name);
  if (known && known->has_shape) {
    for (const KnownDim& d : known->dims) dims.push_back(d.value);
    return dims;
  }
  // What operators give, whatever they take: the number of regions, of rows may only be known in a run.
  const int maker = graph.maker(name);
  if (maker < 0) return {};
  const pb::NodeProto& n = graph.node(maker);
  if (is_op(n, "RoiAlign") && n.input_size() > 0) {
    const Known* from = facts.known(n.input(0));
    const int64_t channels = from && from->dims.size() == 4 ? from->dims[1].value : -1;
    return {-1, channels, int_attribute(n, "output_height", 1), int_attribute(n, "output_width", 1)};
  }
  const auto* weights = n.input_size() > 1 ? graph.constant(n.input(1)) : nullptr;
  if (!weights || weights->dims_size() < 2) return {};
  if (is_op(n, "Gemm")) return {-1, weights->dims(int_attribute(n, "transB", 0) != 0 ? 0 : 1)};
  if (!is_op(n, "Conv")) return {};
  dims.assign(static_cast<size_t>(weights->dims_size()), -1);
  dims[1] = weights->dims(0);
  return dims;
}

// The elements of Shape's output that a Gather or a Slice takes, where all are known.
std::optional<std::vector<int64_t>> shape_part(Editor& graph, const Facts& facts, const pb::NodeProto& n) {
  const int maker = n.input().empty() ? -1 : graph.maker(n.input(0));
  if (maker < 0 || !is_op(graph.node(maker), "Shape") || graph.node(maker).input_size() != 1) return {};
  const pb::NodeProto& shape = graph.node(maker);
  const std::vector<int64_t> dims = dims_of(graph, facts, shape.input(0));
  const auto rank = std::ssize(dims);
  const auto place = [](int64_t at, int64_t size) {
    return std::clamp(at < 0 && at >= -size ? at + size : at, int64_t{0}, size);
  };
  const int64_t first = place(int_attribute(shape, "start", 0), rank),
                end = place(int_attribute(shape, "end", rank), rank);
  std::vector<int64_t> sizes, taken;
  for (int64_t d = first; d < end; d++) sizes.push_back(dims[static_cast<size_t>(d)]);
  const auto count = std::ssize(sizes);
  if (is_op(n, "Gather")) {
    const auto at = n.input_size() == 2 ? integers_of(graph.constant(n.input(1))) : std::nullopt;
    if (!at) return {};
    for (const int64_t i : *at) {
      if (i < -count || i >= count) return {};
      taken.push_back(sizes[static_cast<size_t>(i < 0 ? i + count : i)]);
    }
  } else {
    if (n.input_size() < 3 || (n.input_size() > 3 && !n.input(3).empty() && !integers_of(graph.constant(n.input(3)))))
      return {};
    const auto from = integers_of(graph.constant(n.input(1))), to = integers_of(graph.constant(n.input(2)));
    const auto step =
        n.input_size() > 4 && !n.input(4).empty() ? integers_of(graph.constant(n.input(4))) : std::vector<int64_t>{1};
    if (!from || !to || !step || from->size() != 1 || to->size() != 1 || *step != std::vector<int64_t>{1}) return {};
    for (int64_t i = place((*from)[0], count); i < place((*to)[0], count); i++)
      taken.push_back(sizes[static_cast<size_t>(i)]);
  }
  if (taken.empty() || std::ranges::any_of(taken, [](int64_t d) { return d < 0; })) return {};
  return taken;
}

// Reads of single dimensions; true where there were any.
bool fold_reads(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || graph.node(i).output_size() != 1) continue;
    const pb::NodeProto& n = graph.node(i);
    if (!is_op(n, "Gather") && !is_op(n, "Slice")) continue;
    const auto taken = shape_part(graph, facts, n);
    if (!taken) continue;
    const auto* indices = is_op(n, "Gather") ? graph.constant(n.input(1)) : nullptr;
    std::vector<int64_t> dims{std::ssize(*taken)};
    if (indices) dims.assign(indices->dims().begin(), indices->dims().end());
    const std::string name = n.output(0);
    changed = graph.make_constant(name, int_tensor(pb::TensorProto::INT64, *taken, dims)) || changed;
  }
  return changed;
}

}  // namespace

bool fold_shapes(Editor& graph, const Facts& facts) {
  bool changed = fold_reads(graph, facts);
  const Inference::Computed& computed = facts.inference.computed(facts.graph);
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i) || graph.node(i).output_size() != 1) continue;
    const std::string name = graph.node(i).output(0);
    const auto found = computed.find(name);
    const Known* type = facts.known(name);
    if (found == computed.end() || !type || (type->code != "7" && type->code != "6")) continue;
    const std::vector<int64_t> dims =
        type->dims.empty() ? std::vector<int64_t>() : std::vector<int64_t>{static_cast<int64_t>(found->second.size())};
    changed = graph.make_constant(name, int_tensor(type->code == "7" ? 7 : 6, found->second, dims)) || changed;
  }
  return changed;
}

bool fix_targets(Editor& graph, const Facts& facts) {
  bool changed = false;
  for (int i = 0; i < graph.size(); i++) {
    if (graph.is_removed(i)) continue;
    const pb::NodeProto& n = graph.node(i);
    const bool expands = is_op(n, "Expand");
    if ((!expands && !is_op(n, "Reshape")) || n.input_size() != 2 || n.output_size() != 1) continue;
    if (graph.constant(n.input(1)) || n.output(0).empty()) continue;
    const Known *from = facts.known(n.input(0)), *to = facts.known(n.output(0));
    if (!from || !to || !from->has_shape || !to->has_shape) continue;
    const auto target = expands ? expand_target(*from, *to) : reshape_target(*from, *to);
    if (!target) continue;
    const bool copies = std::ranges::find(*target, 0) != target->end();
    if (!expands && copies && int_attribute(n, "allowzero", 0) != 0) clear_attribute(graph.node(i), "allowzero");
    auto tensor = int_tensor(pb::TensorProto::INT64, *target, {static_cast<int64_t>(target->size())});
    graph.set_input(i, 1, graph.add_constant(n.output(0) + "_shape", std::move(tensor)));
    changed = true;
  }
  return changed;
}

}  // namespace sardonyx::tools
