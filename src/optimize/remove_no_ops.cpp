// Pass: readers of what changes nothing read its input.
#include <algorithm>
#include <climits>

#include "ops/operator.h"
#include "ops/util/as_float.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

// Are all elements this number? Floats and the integers of 32 and 64 bits.
bool is_all(const Tensor& t, double value) {
  const bool floats = kFloat.has(t.dtype());
  if (t.count() == 0 || (!floats && t.dtype() != DType::int32 && t.dtype() != DType::int64)) return false;
  for (int64_t i = 0; i < t.count(); i++) {
    const double v = floats                      ? float_at(t, i)
                     : t.dtype() == DType::int32 ? static_cast<double>(t.data<int32_t>()[i])
                                                 : static_cast<double>(t.data<int64_t>()[i]);
    if (v != value) return false;
  }
  return true;
}

bool is_all(const std::vector<int64_t>& list, int64_t value) {
  return std::all_of(list.begin(), list.end(), [&](int64_t v) { return v == value; });
}

bool is_counting(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i < perm.size(); i++) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return !perm.empty();
}

class NoOps {
 public:
  explicit NoOps(Rewriter& r) : r_(r) {}

  // The value that the node's only output is, or kNoValue.
  ValueId source(const Node& node) {
    if (!node.domain.empty() || node.inputs.empty() || !makes_only_one(node)) return kNoValue;
    const ValueId x = node.inputs[0], y = node.outputs[0];
    const std::string& type = node.op_type;
    const auto when = [&](bool is) { return is ? x : kNoValue; };
    if (type == "Identity") return x;
    if (type == "Dropout") return when(node.inputs.size() < 3);  // without training_mode
    if (type == "Cast") return when(r_.types[x].dtype != DType::undefined && r_.types[x].dtype == r_.types[y].dtype);
    if (type == "Transpose") return when(is_counting(node.attributes.ints("perm")));
    if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze" || type == "Flatten" || type == "Expand") {
      return when(r_.types[x].same_shape(r_.types[y]));
    }
    if (type == "Concat" || type == "Sum" || type == "Max" || type == "Min" || type == "Mean") {
      return when(node.inputs.size() == 1);
    }
    if (type == "Pad") return when(pads_nothing(node));
    if (type == "Slice") return when(slices_nothing(node));
    if (node.inputs.size() == 2) return neutral(node);
    return kNoValue;
  }

 private:
  // Is output 0 the only one that anyone reads?
  bool makes_only_one(const Node& node) const {
    for (size_t o = 1; o < node.outputs.size(); o++) {
      if (node.outputs[o] != kNoValue && r_.uses(node.outputs[o]) > 0) return false;
    }
    return !node.outputs.empty() && node.outputs[0] != kNoValue;
  }

  bool pads_nothing(const Node& node) const {
    if (node.inputs.size() < 2) {
      const auto pads = node.attributes.ints(node.attributes.has("pads") ? "pads" : "paddings");
      return !pads.empty() && is_all(pads, 0);
    }
    const auto pads = r_.integers(node.inputs[1]);
    return pads && is_all(*pads, 0);
  }

  // All of every axis, whatever its size.
  bool slices_nothing(const Node& node) const {
    if (node.inputs.size() < 3) return false;
    const auto starts = r_.integers(node.inputs[1]), ends = r_.integers(node.inputs[2]);
    if (!starts || !ends || !is_all(*starts, 0)) return false;
    if (std::any_of(ends->begin(), ends->end(), [](int64_t e) { return e < INT_MAX; })) return false;
    if (node.inputs.size() < 5 || node.inputs[4] == kNoValue) return true;
    const auto steps = r_.integers(node.inputs[4]);
    return steps && is_all(*steps, 1);
  }

  // x + 0, x - 0, x * 1, x / 1, where the other operand does not broadcast x. (0 + -0 is 0, not -0: that is accepted.)
  ValueId neutral(const Node& node) const {
    const bool sum = node.op_type == "Add" || node.op_type == "Sub";
    if (!sum && node.op_type != "Mul" && node.op_type != "Div") return kNoValue;
    const bool commutes = node.op_type == "Add" || node.op_type == "Mul";
    for (size_t i = commutes ? 0 : 1; i < 2; i++) {
      const Tensor* t = r_.constant(node.inputs[i]);
      const ValueId x = node.inputs[1 - i];
      if (t && is_all(*t, sum ? 0 : 1) && r_.types[x].same_shape(r_.types[node.outputs[0]])) return x;
    }
    return kNoValue;
  }

  Rewriter& r_;
};

}  // namespace

void remove_no_ops(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  NoOps no_ops(r);
  for (size_t n = 0; n < r.size(); n++) {
    const ValueId x = no_ops.source(r.node(n));
    if (x != kNoValue) r.forward(r.node(n).outputs[0], x);  // the node is dead now, unless it makes a result
  }
}

}  // namespace sardonyx
