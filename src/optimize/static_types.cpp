// Inference with two trial sizes for every open dimension.
#include "optimize/static_types.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "ops/evaluate.h"
#include "optimize/open_dims.h"
#include "optimize/seen_values.h"
#include "optimize/uses.h"

namespace sardonyx {
namespace {

// Values larger than this are not computed: shape arithmetic is small.
constexpr int64_t kMostComputed = 64;
// Operators that compute small integers of small integers, and whose results are alike for two trials only if they are
// for all.
constexpr std::string_view kShapeArithmetic[] = {
    "Shape", "Size", "Gather", "Concat", "Slice",   "Split",    "Squeeze",         "Unsqueeze",
    "Cast",  "Add",  "Sub",    "Mul",    "Reshape", "Identity", "ConstantOfShape", "Where"};

class Trials : SeenValues {
 public:
  Trials(const Graph& graph, bool inputs, OpenDims& open, TypeNotes* notes)
      : SeenValues(graph, notes != nullptr),
        inputs_(inputs),
        open_(open),
        notes_(notes),
        told_(graph.values.size()),
        uses_(count_uses(graph)) {}

  // Captured values are what is known of them outside.
  void capture(const StaticTypes& outer) {
    for (const Capture& c : graph_.captures) {
      const StaticType type = outer[c.outer];
      if (!type.known() || graph_.is_constant(c.inner)) continue;
      set(seen(false, c.inner), type.dtype, type.first);
      set(seen(true, c.inner), type.dtype, type.second);
    }
  }

  StaticTypes run() {
    for (ValueId id : graph_.inputs) start(id);
    return run_nodes();
  }

  StaticTypes run_nodes() {
    for (const Node& node : graph_.nodes) {
      visit(node);
      for (ValueId id : node.inputs) {
        if (id != kNoValue && --uses_[static_cast<size_t>(id)] == 0 && !notes_) settle(id);
      }
    }
    for (size_t id = 0; id < graph_.values.size(); id++) {
      const auto value = static_cast<ValueId>(id);
      settle(value);
      if (!notes_ || !types_[value].known() || graph_.is_constant(value)) continue;
      if (seen(false, value).data.is_none() || !is_alike(value) || !kIndex.has(seen(false, value).in.dtype)) continue;
      notes_->values.push_back({&graph_, value, seen(false, value).data.tensor().to_int64()});
    }
    return std::move(types_);
  }

 private:
  // Two sizes for an open dimension; the same for the same name.
  std::pair<int64_t, int64_t> open_dim(const std::string& name) { return open_.make(name); }

  void start(ValueId id) {
    const ValueInfo& info = graph_.value(id);
    if (!graph_.is_constant(id) && inputs_ && info.is_input) set_declared(id, info.type);
  }

  void set_declared(ValueId id, const Type& type) {
    if (type.kind != Type::Kind::tensor || !type.has_shape || type.dtype == DType::undefined) return;
    if (type.shape.size() > Shape::kMaxRank) return;
    Shape a, b;
    for (const Dim& d : type.shape) {
      const auto [x, y] = d.value >= 0 ? std::pair(d.value, d.value) : open_dim(d.name);
      a.push_back(x);
      b.push_back(y);
    }
    set(seen(false, id), type.dtype, a);
    set(seen(true, id), type.dtype, b);
  }

  // Do both trials see the same?
  bool is_alike(ValueId id) {
    const Seen &a = seen(false, id), &b = seen(true, id);
    if (!(a.in.shape == b.in.shape) || a.data.is_none() != b.data.is_none()) return false;
    if (a.data.is_none() || graph_.is_constant(id)) return true;
    // Constants of outer graphs come as they are.
    if (a.data.tensor().buffer() == b.data.tensor().buffer()) return true;
    const Tensor &x = a.data.tensor(), &y = b.data.tensor();
    if (x.dtype() != y.dtype() || x.dtype() == DType::string) return false;
    return std::memcmp(x.bytes(), y.bytes(), x.byte_size()) == 0;
  }

  // Operators in JavaScript are asked by runs and by the tools only. GroupQueryAttention has results that are as long
  // as the longer of two sizes.
  bool is_told(const Node& node) const {
    if (notes_ || node.domain.empty()) return true;
    return node.domain == "com.microsoft" && !node.op->is_random() && node.op_type != "GroupQueryAttention";
  }

  void visit(const Node& node) {
    if (!node.op) return;
    if (notes_ && !subgraphs(node).empty()) return look_into(node);
    if (!subgraphs(node).empty() || !is_told(node)) return;
    bool alike = true;
    for (ValueId id : node.inputs) {
      if (id == kNoValue) continue;
      if (!seen(false, id).in.present || !seen(true, id).in.present) return declare(node);
      alike = alike && is_alike(id);
    }
    if (!alike && node.op_type == "Squeeze" && node.attributes.inputs < 2 && !node.attributes.has("axes")) return;
    const bool told = std::any_of(node.inputs.begin(), node.inputs.end(),
                                  [&](ValueId id) { return id != kNoValue && told_[static_cast<size_t>(id)]; });
    std::vector<InferOutput> a, b;
    if (!infer(node, false, a) || !infer(node, true, b)) {
      if (notes_ && !told) report(node);
      forget(node);
      return declare(node);
    }
    for (ValueId id : node.outputs)
      if (id != kNoValue) told_[static_cast<size_t>(id)] = told;
    for (size_t o = 0; o < node.outputs.size(); o++) {
      const bool both = a[o].state == InferOutput::State::known && b[o].state == InferOutput::State::known;
      if (!both) declare(node);
      if (node.outputs[o] == kNoValue || !both) continue;
      if (node.op_type == "Slice") {
        lengthen(node, a[o].shape, b[o].shape);
        doubt(node, a[o].shape, b[o].shape, told ? 0 : 1);
      }
      set(seen(false, node.outputs[o]), a[o].dtype, a[o].shape);
      set(seen(true, node.outputs[o]), b[o].dtype, b[o].shape);
    }
    if (!is_shape_arithmetic(node, alike)) return;
    if (!(compute(node, false) && compute(node, true))) return drop_data(node);
    const bool sizes = keeps_sizes(node, alike);
    for (ValueId id : node.outputs)
      if (id != kNoValue) seen(false, id).sizes = sizes;
  }

  // Is the result made of sizes, too?
  bool keeps_sizes(const Node& node, bool alike) {
    if (node.op->reads_shapes_only()) return true;
    const bool grows = node.op_type == "Add" || node.op_type == "Mul";
    return (node.op_type != "Sub" || alike) && std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
             return id == kNoValue || (seen(false, id).sizes && (!grows || alike || !has_negative(id)));
           });
  }

  bool has_negative(ValueId id) {
    const std::vector<int64_t> elements = seen(false, id).data.tensor().to_int64();
    return std::any_of(elements.begin(), elements.end(), [](int64_t e) { return e < 0; });
  }

  // Of input i of a node; empty where they are not known.
  std::vector<int64_t> elements(bool second, const std::vector<ValueId>& inputs, size_t i) {
    const bool there = i < inputs.size() && inputs[i] != kNoValue && !seen(second, inputs[i]).data.is_none();
    return there ? seen(second, inputs[i]).data.tensor().to_int64() : std::vector<int64_t>();
  }

  // The first n of a fixed dimension, n open (position embeddings): as long as n in both trials, though a trial's n may
  // be more than there is. Feeds of which that is so fail where they meet what has n.
  void lengthen(const Node& node, Shape& a, Shape& b) {
    const auto& in = node.inputs;
    if (in.size() < 4 || !(seen(false, in[0]).in.shape == seen(true, in[0]).in.shape) || a.rank() != b.rank()) return;
    const auto starts = elements(false, in, 1), first = elements(false, in, 2), second = elements(true, in, 2),
               axes = elements(false, in, 3);
    const std::vector<int64_t> zeros(starts.size(), 0), steps = elements(false, in, 4), ones(starts.size(), 1);
    const bool by_ones = in.size() < 5 || in[4] == kNoValue || steps == ones;
    if (starts != zeros || first.size() != starts.size() || second.size() != first.size() ||
        axes.size() != first.size())
      return;
    for (size_t i = 0; by_ones && i < axes.size(); i++) {
      const int64_t axis = axes[i] < 0 ? axes[i] + a.rank() : axes[i];
      if (first[i] == second[i] || first[i] < a[static_cast<int>(axis)]) continue;
      a[static_cast<int>(axis)] = first[i];
      b[static_cast<int>(axis)] = second[i];
    }
  }

  // What was sliced out of an open dimension may be shorter for other feeds; `least`: not shorter than this.
  void doubt(const Node& node, Shape& a, Shape& b, int64_t least) {
    const Shape &from_a = seen(false, node.inputs[0]).in.shape, &from_b = seen(true, node.inputs[0]).in.shape;
    const bool places_alike = std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                                          [&](ValueId id) { return id == kNoValue || is_alike(id); });
    std::vector<int64_t> axes = elements(false, node.inputs, 3);
    for (int64_t& axis : axes) axis += axis < 0 ? a.rank() : 0;
    for (int i = 0; i < std::min(a.rank(), b.rank()); i++) {
      if (!axes.empty() && std::find(axes.begin(), axes.end(), i) == axes.end()) continue;
      // Fixed places of a dimension that is fixed are as many for all feeds.
      if (places_alike && from_a[i] == from_b[i]) continue;
      if (a[i] == b[i] && a[i] > least) std::tie(a[i], b[i]) = open_dim({});
    }
  }

  // For the tools: where the trials do not fit, what the model itself says of the values. Its sizes may be at odds with
  // those of the trials, so that what follows is no reason to find fault with a node.
  void declare(const Node& node) {
    if (!notes_) return;
    for (const ValueId id : node.outputs) {
      if (id == kNoValue || seen(false, id).in.present) continue;
      told_[static_cast<size_t>(id)] = 1;
      set_declared(id, graph_.value(id).type);
    }
  }

  bool infer(const Node& node, bool second, std::vector<InferOutput>& outputs) {
    std::vector<InferInput> inputs(node.inputs.size());
    for (size_t i = 0; i < inputs.size(); i++) {
      if (node.inputs[i] == kNoValue) continue;
      Seen& s = seen(second, node.inputs[i]);
      inputs[i] = s.in;
      inputs[i].value = s.data.is_none() ? nullptr : &s.data;
    }
    outputs.resize(node.outputs.size());
    for (size_t o = 0; o < outputs.size(); o++) outputs[o].wanted = node.outputs[o] != kNoValue;
    try {
      InferContext context(inputs, outputs);
      node.op->infer(context);
      return !context.deferred();
    } catch (const Error& e) {  // the trial's sizes do not fit; or the model is wrong, which its first run reports
      if (notes_) (second ? second_reason_ : first_reason_) = e.reason;
      return false;
    }
  }

  // What fails in the same words for all sizes is wrong; in inner graphs it may be the branch that is not taken for
  // them.
  void report(const Node& node) {
    if (!inputs_) return;
    std::vector<InferOutput> outputs;
    first_reason_.clear();
    second_reason_.clear();
    if (infer(node, false, outputs) || infer(node, true, outputs) || first_reason_.empty()) return;
    if (first_reason_ != second_reason_) return;
    notes_->problems.push_back({&graph_, static_cast<size_t>(&node - graph_.nodes.data()), first_reason_});
  }

  // Graphs in attributes see what they capture; inputs of theirs are known where an iteration cannot change them.
  void look_into(const Node& node) {
    std::vector<Trials> inner;
    const auto graphs = subgraphs(node);
    for (const auto& graph : graphs) {
      Trials& t = inner.emplace_back(*graph, false, open_, notes_);
      for (const Capture& c : graph->captures)
        for (bool second : {false, true}) t.seen(second, c.inner) = seen(second, c.outer);
      if (node.op_type == "Loop" && graph->inputs.size() >= 2) {
        for (bool second : {false, true}) set(t.seen(second, graph->inputs[0]), DType::int64, Shape());
        for (bool second : {false, true}) set(t.seen(second, graph->inputs[1]), DType::boolean, Shape());
      }
      notes_->inner.insert_or_assign(graph.get(), t.run_nodes());
    }
    if (node.op_type != "If" || inner.size() != 2) return declare(node);
    for (size_t o = 0; o < node.outputs.size(); o++) {
      const bool fits = o < graphs[0]->outputs.size() && o < graphs[1]->outputs.size();
      if (node.outputs[o] != kNoValue && fits) meet(node.outputs[o], inner[0], inner[1], o);
    }
    declare(node);
  }

  // A value that is one of two: the dimensions in which they are alike are known.
  void meet(ValueId id, Trials& a, Trials& b, size_t output) {
    const ValueId ida = a.graph_.outputs[output], idb = b.graph_.outputs[output];
    if (ida == kNoValue || idb == kNoValue) return;
    const InferInput &a1 = a.seen(false, ida).in, &a2 = a.seen(true, ida).in;
    const InferInput &b1 = b.seen(false, idb).in, &b2 = b.seen(true, idb).in;
    if (!a1.is_tensor || !a2.is_tensor || !b1.is_tensor || !b2.is_tensor || a1.dtype != b1.dtype) return;
    const int rank = a1.shape.rank();
    if (a2.shape.rank() != rank || b1.shape.rank() != rank || b2.shape.rank() != rank) return;
    Shape first, second;
    for (int i = 0; i < rank; i++) {
      const bool alike = a1.shape[i] == b1.shape[i] && a2.shape[i] == b2.shape[i];
      const auto [x, y] = alike ? std::pair(a1.shape[i], a2.shape[i]) : open_dim({});
      first.push_back(x);
      second.push_back(y);
    }
    set(seen(false, id), a1.dtype, first);
    set(seen(true, id), a1.dtype, second);
  }

  void forget(const Node& node) {
    for (ValueId id : node.outputs) {
      if (id != kNoValue) seen(false, id) = seen(true, id) = Seen();
    }
  }

  // Is its data known? alike: both trials see the same. For the tools whatever follows from that is alike, too.
  bool follows(const Node& node, bool alike) {
    if (!notes_ || !alike || node.op->is_random()) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
      return id == kNoValue || (!seen(false, id).data.is_none() && !seen(true, id).data.is_none());
    });
  }

  // Is it an Equal whose results are the same for all feeds, element by element? Exporters tell -1 from sizes by it:
  // what is made of sizes and differs from trial to trial equals no negative number. (The tools believe it of all that
  // differs.)
  bool tells_sizes(const Node& node) {
    if (node.op_type != "Equal" || node.inputs.size() != 2) return false;
    if (!notes_ && !(seen(false, node.inputs[0]).sizes && seen(false, node.inputs[1]).sizes)) return false;
    for (ValueId id : node.inputs)
      if (seen(false, id).data.is_none() || seen(true, id).data.is_none() || !kIndex.has(seen(false, id).in.dtype))
        return false;
    const auto list = [&](bool second, int k) {
      return seen(second, node.inputs[static_cast<size_t>(k)]).data.tensor().to_int64();
    };
    const auto a1 = list(false, 0), a2 = list(true, 0), b1 = list(false, 1), b2 = list(true, 1);
    if (a1.size() != a2.size() || b1.size() != b2.size() || a1.empty() || b1.empty()) return false;
    if (a1.size() != b1.size() && a1.size() != 1 && b1.size() != 1) return false;
    for (size_t i = 0; i < std::max(a1.size(), b1.size()); i++) {
      const size_t a = i % a1.size(), b = i % b1.size();
      const bool fixed = a1[a] == a2[a] && b1[b] == b2[b];
      const bool negative = (a1[a] == a2[a] && a1[a] < 0) || (b1[b] == b2[b] && b1[b] < 0);
      if (!fixed && !negative) return false;
    }
    return true;
  }

  bool is_shape_arithmetic(const Node& node, bool alike) {
    const auto names = std::span(kShapeArithmetic);
    if (node.inputs.empty() || std::ranges::all_of(node.outputs, [](ValueId id) { return id == kNoValue; }))
      return false;
    // Div only of what is the same for all feeds: the trials' sizes are multiples of 64, and show no rounding.
    const bool listed =
        std::find(names.begin(), names.end(), node.op_type) != names.end() || (node.op_type == "Div" && alike);
    const bool any_type = follows(node, alike) || tells_sizes(node);
    if (!listed && !any_type) return false;
    // A condition is known only where it is the same for all feeds.
    if (node.op_type == "Where" && (node.inputs.size() != 3 || !is_alike(node.inputs[0]))) return false;
    return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
      if (id == kNoValue) return true;
      const InferInput& out = seen(false, id).in;
      const bool small = out.shape.rank() == 0 || (out.shape.rank() == 1 && out.shape[0] <= kMostComputed);
      return out.is_tensor && small && (any_type || kIndex.has(out.dtype)) && out.shape == seen(true, id).in.shape;
    });
  }

  bool compute(const Node& node, bool second) {
    std::vector<Value> shapes(node.inputs.size());
    std::vector<const Value*> inputs(node.inputs.size(), nullptr);
    for (size_t i = 0; i < inputs.size(); i++) {
      if (node.inputs[i] == kNoValue) continue;
      const Seen& s = seen(second, node.inputs[i]);
      if (s.data.is_none() && !node.op->reads_shapes_only()) return false;
      if (s.data.is_none()) shapes[i] = Tensor::without_data(s.in.dtype, s.in.shape);
      inputs[i] = s.data.is_none() ? &shapes[i] : &s.data;
    }
    std::vector<char> wanted(node.outputs.size());
    for (size_t o = 0; o < wanted.size(); o++) wanted[o] = node.outputs[o] != kNoValue;
    try {
      const std::vector<Value> values = evaluate(*node.op, inputs, wanted);
      for (size_t o = 0; o < wanted.size(); o++)
        if (wanted[o]) seen(second, node.outputs[o]).data = values[o];
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void drop_data(const Node& node) {
    for (ValueId id : node.outputs)
      if (id != kNoValue) seen(false, id).data = seen(true, id).data = Value();
  }

  bool inputs_;
  OpenDims& open_;
  TypeNotes* notes_;
  std::vector<char> told_;  // by value: does it follow from what the model itself says of values?
  std::vector<int> uses_;   // by nodes that were not visited yet, and others
  std::string first_reason_, second_reason_;
};

}  // namespace

StaticTypes infer_static_types(const Graph& graph, const StaticTypes* outer, OpenDims& open) {
  Trials trials(graph, outer == nullptr, open, nullptr);
  if (outer) trials.capture(*outer);
  return trials.run();
}

StaticTypes infer_static_types(const Graph& graph, bool inputs, TypeNotes* notes) {
  OpenDims open;
  StaticTypes types = Trials(graph, inputs, open, notes).run();
  for (const auto& [name, at] : open.names) {
    const auto [first, second] = OpenDims::sizes(at);
    if (notes) notes->symbols.push_back({name, first, second});
  }
  return types;
}

}  // namespace sardonyx
