// Ranks, and the dimensions that do not depend on data, of results that the engine's trials say nothing of.
#include <algorithm>

#include "base/error.h"
#include "base/shape.h"
#include "tools/editor.h"
#include "tools/inference.h"
#include "tools/simplify.h"
#include "tools/walk.h"

namespace sardonyx::tools {
namespace {

using Dims = std::vector<KnownDim>;
using Result = std::optional<Dims>;

enum class Rule : uint8_t {
  same,       // as the first input
  same_rank,  // its rank
  line,       // one dimension
  count,      // of dimensions
  transpose,
  broadcast,   // of all inputs
  from_shape,  // as many dimensions as the last of the first two inputs has elements
  expand,
  rows,  // of NonZero
  boxes,
  along_axis,  // the first input's, but for an axis
  or_line,     // the same where there is an axis, else one dimension
  one_hot,
  slice,
  concat,
  squeeze,
  reduce,
  product,
  gemm,
  convolution,
  regions,
  gather,
  second,  // as the second input
};

// Operators with a space on either side.
struct Row {
  std::string_view ops;
  Rule rule;
};

constexpr Row kRows[] = {
    {" Abs BatchNormalization Cast Ceil Clip CumSum Erf Exp Floor HardSigmoid HardSwish Identity LeakyRelu"
     " Log Neg Not Reciprocal Relu Round ScatterElements ScatterND Sigmoid Sign Softmax Sqrt Tanh ",
     Rule::same},
    {" Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or Pow Sub Where Xor ",
     Rule::broadcast},
    {" Compress Unique ", Rule::or_line},
    {" Concat ", Rule::concat},
    {" ConstantOfShape Reshape ", Rule::from_shape},
    {" Conv ", Rule::convolution},
    {" Expand ", Rule::expand},
    {" Gather ", Rule::gather},
    {" GatherElements ", Rule::second},
    {" Gemm ", Rule::gemm},
    {" MatMul ", Rule::product},
    {" NonMaxSuppression ", Rule::boxes},
    {" NonZero ", Rule::rows},
    {" OneHot ", Rule::one_hot},
    {" Pad Resize Tile ", Rule::same_rank},
    {" Range ", Rule::line},
    {" ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ", Rule::reduce},
    {" RoiAlign ", Rule::regions},
    {" Shape ", Rule::count},
    {" Slice ", Rule::slice},
    {" Split TopK ", Rule::along_axis},
    {" Squeeze Unsqueeze ", Rule::squeeze},
    {" Transpose ", Rule::transpose},
};

Dims open(int64_t rank) { return Dims(static_cast<size_t>(std::clamp<int64_t>(rank, 0, 64))); }
// Open where no tensor has such a size, so that a few sums and products with it do not overflow.
KnownDim fixed(int64_t size) { return size > Shape::kMaxDim ? KnownDim() : KnownDim{size, {}, {}}; }

// Aligned at their ends. A size that is not 1 is that of the result.
void broadcast(Dims& result, const Dims& dims) {
  if (dims.size() > result.size()) result.insert(result.begin(), dims.size() - result.size(), fixed(1));
  const size_t skip = result.size() - dims.size();
  for (size_t i = 0; i < dims.size(); i++) {
    KnownDim& d = result[skip + i];
    if (d.value > 1 || dims[i].value == 1 || d.is_like(dims[i])) continue;
    d = d.value == 1 || dims[i].value > 1 ? dims[i] : KnownDim();
  }
}

struct Scope {
  const Scope* outer;
  const pb::GraphProto& graph;
  std::unordered_map<std::string_view, const pb::TensorProto*> constants;
  Inference::Values declared;
};

class Rules {
 public:
  Rules(const Inference& inference, const Scope& scope, const pb::NodeProto& n)
      : inference_(inference), scope_(scope), n_(n) {}

  Result run(int output) const {
    const std::string op = cat(" ", n_.op_type(), " ");
    const Row* row = std::ranges::find_if(kRows, [&](const Row& r) { return r.ops.find(op) != r.ops.npos; });
    if (row == std::end(kRows)) return {};
    const Dims* x = dims(0);
    if (row->rule == Rule::line) return open(1);
    if (row->rule == Rule::boxes) return Dims{{}, fixed(3)};
    if (row->rule == Rule::from_shape) return n_.input_size() > 1 ? reshaped() : of_shape(0);
    if (row->rule == Rule::broadcast) return all_broadcast();
    if (!x) return row->rule == Rule::or_line && !attribute(n_, "axis") ? Result(open(1)) : std::nullopt;
    const auto rank = std::ssize(*x);
    switch (row->rule) {
      case Rule::same:
        return output == 0 ? Result(*x) : std::nullopt;
      case Rule::same_rank:
        return open(rank);
      case Rule::count:
        return attribute(n_, "start") || attribute(n_, "end") ? open(1) : Dims{fixed(rank)};
      case Rule::transpose:
        return transposed(*x);
      case Rule::second:
        return dims(1) ? Result(*dims(1)) : std::nullopt;
      case Rule::expand: {
        Result y = of_shape(1);
        if (y) broadcast(*y, *x);
        return y;
      }
      case Rule::rows:
        return Dims{rank > 0 ? fixed(rank) : KnownDim(), {}};
      case Rule::along_axis:
        return without(*x, int_attribute(n_, "axis", n_.op_type() == "TopK" ? -1 : 0));
      case Rule::or_line:
        return attribute(n_, "axis") && output == 0 ? without(*x, int_attribute(n_, "axis", 0)) : open(1);
      case Rule::one_hot: {
        Dims y = *x;
        const int64_t at = int_attribute(n_, "axis", -1), axis = at < 0 ? at + rank + 1 : at;
        if (axis < 0 || axis > rank) return {};
        y.insert(y.begin() + axis, KnownDim());
        return y;
      }
      case Rule::slice:
        return sliced(*x);
      case Rule::concat:
        return joined(*x);
      case Rule::squeeze:
        return squeezed(*x);
      case Rule::reduce:
        return reduced(*x);
      case Rule::product:
        return product(*x);
      case Rule::gemm:
        return dims(1) && dims(1)->size() == 2 && rank == 2
                   ? Result(Dims{(*x)[int_attribute(n_, "transA", 0) != 0],
                                 (*dims(1))[int_attribute(n_, "transB", 0) == 0]})
                   : std::nullopt;
      case Rule::convolution: {
        if (!dims(1) || std::ssize(*dims(1)) != rank || rank < 3) return {};
        Dims y = open(rank);
        y[0] = (*x)[0];
        y[1] = (*dims(1))[0];
        return y;
      }
      case Rule::regions:
        return rank == 4 && dims(1) && !dims(1)->empty()
                   ? Result(Dims{(*dims(1))[0], (*x)[1], fixed(int_attribute(n_, "output_height", 1)),
                                 fixed(int_attribute(n_, "output_width", 1))})
                   : std::nullopt;
      case Rule::gather: {
        const int64_t at = int_attribute(n_, "axis", 0), axis = at < 0 ? at + rank : at;
        if (!dims(1) || axis < 0 || axis >= rank) return {};
        Dims y(x->begin(), x->begin() + axis);
        y.insert(y.end(), dims(1)->begin(), dims(1)->end());
        y.insert(y.end(), x->begin() + axis + 1, x->end());
        return y;
      }
      default:
        return {};
    }
  }

 private:
  const Dims* dims(int i) const {
    if (i >= n_.input_size() || n_.input(i).empty()) return nullptr;
    for (const Scope* s = &scope_; s; s = s->outer) {
      const auto own = s->declared.find(n_.input(i));
      if (own != s->declared.end()) return &own->second.dims;
      const auto& values = inference_.values(s->graph);
      const auto found = values.find(n_.input(i));
      if (found != values.end()) return found->second.has_shape ? &found->second.dims : nullptr;
    }
    return nullptr;
  }

  // The elements of an input that is constant, or follows from shapes.
  std::optional<std::vector<int64_t>> elements(int i) const {
    if (i >= n_.input_size()) return {};
    for (const Scope* s = &scope_; s; s = s->outer) {
      const auto constant = s->constants.find(n_.input(i));
      if (constant != s->constants.end()) return integers_of(constant->second);
      const auto& computed = inference_.computed(s->graph);
      const auto found = computed.find(n_.input(i));
      if (found != computed.end()) return found->second;
    }
    return {};
  }

  // Of an attribute, or of the input that took its place.
  std::optional<std::vector<int64_t>> listed(std::string_view name, int input) const {
    return attribute(n_, name) ? ints_attribute(n_, name) : elements(input);
  }

  // What a list of sizes gives, which may be known only by its length.
  Result of_shape(int i) const {
    const Dims* list = dims(i);
    if (!list || list->size() != 1 || (*list)[0].value < 0 || (*list)[0].value > 64) return {};
    Dims y = open((*list)[0].value);
    const auto sizes = elements(i);
    for (size_t d = 0; sizes && d < std::min(y.size(), sizes->size()); d++)
      if ((*sizes)[d] > 0) y[d] = fixed((*sizes)[d]);
    return y;
  }

  // 0 keeps a dimension, -1 is what is left.
  Result reshaped() const {
    Result y = of_shape(1);
    const auto sizes = elements(1);
    const Dims* x = dims(0);
    if (!y || !sizes || !x || int_attribute(n_, "allowzero", 0) != 0) return y;
    int64_t left = 1;
    for (const KnownDim& d : *x)
      if (d.value <= 0 || left <= 0 || __builtin_mul_overflow(left, d.value, &left)) left = 0;
    size_t rest = y->size();
    for (size_t d = 0; d < std::min(y->size(), sizes->size()); d++) {
      if ((*sizes)[d] == 0 && d < x->size()) (*y)[d] = (*x)[d];
      if ((*sizes)[d] < 0) rest = d;
      if ((*y)[d].value > 0) left /= (*y)[d].value;
    }
    if (rest < y->size() && left > 0) (*y)[rest] = fixed(left);
    return y;
  }

  Result all_broadcast() const {
    Dims y;
    for (int i = 0; i < n_.input_size(); i++) {
      if (!dims(i)) return {};
      broadcast(y, *dims(i));
    }
    return y;
  }

  static Result without(const Dims& x, int64_t axis) {
    Dims y = x;
    if (axis < 0) axis += std::ssize(x);
    if (axis < 0 || axis >= std::ssize(x)) return {};
    y[static_cast<size_t>(axis)] = {};
    return y;
  }

  Result transposed(const Dims& x) const {
    Dims y(x.rbegin(), x.rend());
    const auto perm = ints_attribute(n_, "perm");
    if (perm.size() == x.size())
      for (size_t d = 0; d < y.size(); d++) {
        if (perm[d] < 0 || perm[d] >= std::ssize(x)) return {};
        y[d] = x[static_cast<size_t>(perm[d])];
      }
    return y;
  }

  Result sliced(const Dims& x) const {
    const auto axes = listed("axes", 3);
    if (!axes) return open(std::ssize(x));
    Result y = x;
    for (const int64_t axis : *axes)
      if (y) y = without(*y, axis);
    return y;
  }

  Result joined(const Dims& x) const {
    Result y = without(x, int_attribute(n_, "axis", 0));
    if (!y) return y;
    const int64_t at = int_attribute(n_, "axis", 0);
    const auto axis = static_cast<size_t>(at < 0 ? at + std::ssize(x) : at);
    int64_t sum = 0;
    for (int i = 0; i < n_.input_size(); i++) {
      if (!dims(i) || dims(i)->size() != x.size()) return {};
      for (size_t d = 0; d < x.size(); d++)
        if (d != axis && (*dims(i))[d].value >= 0) (*y)[d] = (*dims(i))[d];
      const int64_t size = (*dims(i))[axis].value;
      if (size < 0 || sum < 0 || __builtin_add_overflow(sum, size, &sum)) sum = -1;
    }
    (*y)[axis] = fixed(sum);
    return y;
  }

  Result squeezed(const Dims& x) const {
    const auto axes = listed("axes", 1);
    if (!axes) return {};
    const bool fewer = n_.op_type() == "Squeeze";
    const int64_t rank = std::ssize(x), full = fewer ? rank : rank + std::ssize(*axes);
    std::vector<char> chosen(static_cast<size_t>(full), 0);
    for (const int64_t axis : *axes) {
      const int64_t at = axis < 0 ? axis + full : axis;
      if (at < 0 || at >= full) return {};
      chosen[static_cast<size_t>(at)] = 1;
    }
    Dims y;
    auto next = x.begin();
    for (const char is_chosen : chosen) {
      if (fewer && !is_chosen) y.push_back(*next);
      if (fewer) next++;
      if (!fewer) y.push_back(is_chosen || next == x.end() ? fixed(1) : *next++);
    }
    return y;
  }

  Result reduced(const Dims& x) const {
    const auto axes = listed("axes", 1);
    const bool keeps = int_attribute(n_, "keepdims", 1) != 0;
    const bool all = !axes && n_.input_size() < 2;
    if (all) return keeps ? Dims(x.size(), fixed(1)) : Dims();
    if (!axes) return keeps ? Result(open(std::ssize(x))) : std::nullopt;
    Result y = x;
    for (const int64_t axis : *axes)
      if (y) y = without(*y, axis);
    if (!y || keeps) return y;
    return open(std::ssize(x) - std::ssize(*axes));
  }

  Result product(const Dims& x) const {
    if (!dims(1) || x.size() < 2 || dims(1)->size() < 2) return {};
    Dims a = x, b = *dims(1);
    const KnownDim rows = a[a.size() - 2], columns = b.back();
    a.resize(a.size() - 2);
    b.resize(b.size() - 2);
    broadcast(a, b);
    a.push_back(rows);
    a.push_back(columns);
    return a;
  }

  const Inference& inference_;
  const Scope& scope_;
  const pb::NodeProto& n_;
};

bool declare(pb::GraphProto& g, const Inference& inference, const Scope* outer) {
  Scope scope{outer, g, {}, {}};
  for (const auto& t : g.initializer()) scope.constants[t.name()] = &t;
  for (const auto& n : g.node()) {
    const auto* value = is_op(n, "Constant") && n.output_size() == 1 ? attribute(n, "value") : nullptr;
    if (value) scope.constants[n.output(0)] = &value->t();
  }
  const auto& values = inference.values(g);
  bool changed = false;
  for (auto& n : *g.mutable_node()) {
    for_each_subgraph(n, [&](pb::GraphProto& inner) { changed = declare(inner, inference, &scope) || changed; });
    for (int o = 0; o < n.output_size(); o++) {
      const auto known = values.find(n.output(o));
      if (!is_standard(n) || known == values.end()) continue;
      const Known& before = known->second;
      if (before.code.empty() || before.code[0] > '9') continue;  // no tensor
      const auto is_open = [](const KnownDim& d) { return d.value < 0 && d.name.empty(); };
      if (before.has_shape && std::ranges::none_of(before.dims, is_open)) continue;
      Result shape = Rules(inference, scope, n).run(o);
      if (!shape || (before.has_shape && shape->size() != before.dims.size())) continue;
      for (size_t d = 0; d < before.dims.size(); d++)
        if (!is_open(before.dims[d])) (*shape)[d] = before.dims[d];
      scope.declared[n.output(o)] = {before.code, true, std::move(*shape)};
    }
  }
  const auto update = [&](pb::ValueInfoProto& v) {
    const auto found = scope.declared.find(v.name());
    if (found == scope.declared.end()) return;
    const Known before = known_of(v.type());
    bool more = !before.has_shape;
    for (size_t d = 0; d < std::min(before.dims.size(), found->second.dims.size()); d++)
      more = more || (before.dims[d].value < 0 && found->second.dims[d].value >= 0);
    if (more) to_type(found->second, *v.mutable_type());
    changed = changed || more;
  };
  for (auto& v : *g.mutable_value_info()) update(v);
  for (auto& v : *g.mutable_output()) update(v);
  return changed;
}

}  // namespace

bool declare_open_results(pb::ModelProto& model, const Inference& inference) {
  return declare(*model.mutable_graph(), inference, nullptr);
}

}  // namespace sardonyx::tools
