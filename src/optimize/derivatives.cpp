// The rules, one function for each kind of operator.
#include "optimize/derivatives.h"

#include <algorithm>

#include "base/error.h"

namespace sardonyx {
namespace {

constexpr int kOpset = 22;

using Ids = std::vector<ValueId>;

// One node's rule: x(i) are its inputs, y its output, g the output's gradient.
struct Rule {
  const Node& node;
  ValueId g;
  NodeWriter& w;

  ValueId x(size_t i) const { return node.inputs.at(i); }
  ValueId y() const { return node.outputs[0]; }
  ValueId mul(ValueId a, ValueId b) const { return w.node("Mul", {a, b}); }
  ValueId div(ValueId a, ValueId b) const { return w.node("Div", {a, b}); }
  ValueId sub(ValueId a, ValueId b) const { return w.node("Sub", {a, b}); }
  ValueId neg(ValueId a) const { return w.node("Neg", {a}); }
  ValueId shape(ValueId a) const { return w.node("Shape", {a}); }
  ValueId times(ValueId a, float factor) const {
    return factor == 1 ? a : mul(a, w.node("CastLike", {w.constant(Tensor::scalar(factor)), a}));
  }
};

using Derive = Ids (*)(const Rule&);

template <class T>
Attributes with(std::string name, T value) {
  Attributes a;
  a.add(std::move(name), std::move(value));
  return a;
}

// ---- Elementwise ----------------------------------------------------------------------------------------------------

Ids of_add(const Rule& r) {
  Ids ids;
  for (ValueId x : r.node.inputs) ids.push_back(r.w.sum_to(r.g, x));
  return ids;
}
Ids of_sub(const Rule& r) { return {r.w.sum_to(r.g, r.x(0)), r.w.sum_to(r.neg(r.g), r.x(1))}; }
Ids of_mul(const Rule& r) { return {r.w.sum_to(r.mul(r.g, r.x(1)), r.x(0)), r.w.sum_to(r.mul(r.g, r.x(0)), r.x(1))}; }
Ids of_div(const Rule& r) {
  const ValueId d = r.div(r.g, r.x(1));
  return {r.w.sum_to(d, r.x(0)), r.w.sum_to(r.neg(r.mul(d, r.y())), r.x(1))};
}
Ids of_pow(const Rule& r) {
  const ValueId exponent = r.w.node("CastLike", {r.x(1), r.x(0)});
  const ValueId less = r.w.node("Pow", {r.x(0), r.sub(exponent, r.w.filled(1, exponent))});
  const ValueId by_exponent = r.mul(r.mul(r.g, r.y()), r.w.node("Log", {r.x(0)}));
  return {r.w.sum_to(r.mul(r.mul(r.g, exponent), less), r.x(0)),
          r.w.node("CastLike", {r.w.sum_to(by_exponent, r.x(1)), r.x(1)})};
}
Ids of_identity(const Rule& r) { return {r.g}; }
Ids of_neg(const Rule& r) { return {r.neg(r.g)}; }
Ids of_abs(const Rule& r) { return {r.mul(r.g, r.w.node("Sign", {r.x(0)}))}; }
Ids of_exp(const Rule& r) { return {r.mul(r.g, r.y())}; }
Ids of_log(const Rule& r) { return {r.div(r.g, r.x(0))}; }
Ids of_sqrt(const Rule& r) { return {r.div(r.g, r.w.node("Add", {r.y(), r.y()}))}; }
Ids of_reciprocal(const Rule& r) { return {r.neg(r.mul(r.g, r.mul(r.y(), r.y())))}; }
Ids of_sin(const Rule& r) { return {r.mul(r.g, r.w.node("Cos", {r.x(0)}))}; }
Ids of_cos(const Rule& r) { return {r.neg(r.mul(r.g, r.w.node("Sin", {r.x(0)})))}; }
Ids of_sigmoid(const Rule& r) { return {r.mul(r.g, r.sub(r.y(), r.mul(r.y(), r.y())))}; }
Ids of_tanh(const Rule& r) { return {r.sub(r.g, r.mul(r.g, r.mul(r.y(), r.y())))}; }
Ids of_softplus(const Rule& r) { return {r.mul(r.g, r.w.node("Sigmoid", {r.x(0)}))}; }
// The output is never negative: its sign is 1 where the input passed, 0 where it did not.
Ids of_relu(const Rule& r) { return {r.mul(r.g, r.w.node("Sign", {r.y()}))}; }
Ids of_cast(const Rule& r) { return {r.w.node("CastLike", {r.g, r.x(0)})}; }
Ids of_where(const Rule& r) {
  const ValueId yes = r.w.node("CastLike", {r.x(0), r.g});
  const ValueId no = r.w.node("CastLike", {r.w.node("Not", {r.x(0)}), r.g});
  return {kNoValue, r.w.sum_to(r.mul(r.g, yes), r.x(1)), r.w.sum_to(r.mul(r.g, no), r.x(2))};
}

// ---- Softmax --------------------------------------------------------------------------------------------------------

ValueId sum_along(const Rule& r, ValueId v) {
  check(r.node.opset >= 13, ErrorCode::unsupported_operator, "cannot differentiate ", r.node.op_type,
        " before opset 13");
  const int64_t axis = r.node.attributes.integer("axis", -1);
  return r.w.node("ReduceSum", {v, r.w.constant(Tensor::of(std::span(&axis, 1)))});
}
Ids of_softmax(const Rule& r) { return {r.mul(r.y(), r.sub(r.g, sum_along(r, r.mul(r.g, r.y()))))}; }
Ids of_log_softmax(const Rule& r) { return {r.sub(r.g, r.mul(r.w.node("Exp", {r.y()}), sum_along(r, r.g)))}; }

// ---- Products -------------------------------------------------------------------------------------------------------

// Of matrices and batches of them; a vector makes Einsum fail with its own message.
Ids of_mat_mul(const Rule& r) {
  const ValueId a = r.w.node("Einsum", {r.g, r.x(1)}, with("equation", std::string("...ik,...jk->...ij")));
  const ValueId b = r.w.node("Einsum", {r.x(0), r.g}, with("equation", std::string("...ki,...kj->...ij")));
  return {r.w.sum_to(a, r.x(0)), r.w.sum_to(b, r.x(1))};
}

ValueId gemm(const Rule& r, ValueId a, bool trans_a, ValueId b, bool trans_b) {
  Attributes t;
  t.add("transA", int64_t{trans_a});
  t.add("transB", int64_t{trans_b});
  return r.times(r.w.node("Gemm", {a, b}, std::move(t)), r.node.attributes.number("alpha", 1.0f));
}
Ids of_gemm(const Rule& r) {
  const bool ta = r.node.attributes.flag("transA", false), tb = r.node.attributes.flag("transB", false);
  Ids ids{ta ? gemm(r, r.x(1), tb, r.g, true) : gemm(r, r.g, false, r.x(1), !tb),
          tb ? gemm(r, r.g, true, r.x(0), ta) : gemm(r, r.x(0), !ta, r.g, false)};
  if (r.node.inputs.size() > 2 && r.x(2) != kNoValue) {
    ids.push_back(r.w.sum_to(r.times(r.g, r.node.attributes.number("beta", 1.0f)), r.x(2)));
  }
  return ids;
}

// ---- Shapes ---------------------------------------------------------------------------------------------------------

ValueId reshape(const Rule& r, ValueId v, ValueId shape) {
  return r.w.node("Reshape", {v, shape}, with("allowzero", int64_t{1}));
}
Ids of_reshape(const Rule& r) { return {reshape(r, r.g, r.shape(r.x(0)))}; }
Ids of_expand(const Rule& r) { return {r.w.sum_to(r.g, r.x(0))}; }
Ids of_transpose(const Rule& r) {
  const std::vector<int64_t> perm = r.node.attributes.ints("perm");
  if (perm.empty()) return {r.w.node("Transpose", {r.g})};
  std::vector<int64_t> back(perm.size());
  for (size_t i = 0; i < perm.size(); i++) {
    check(perm[i] >= 0 && static_cast<size_t>(perm[i]) < perm.size(), ErrorCode::invalid_model,
          "attribute \"perm\" has ", perm[i]);
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  return {r.w.node("Transpose", {r.g}, with("perm", back))};
}
Ids of_concat(const Rule& r) {
  const int64_t axis = r.node.attributes.integer("axis", 1);
  const ValueId at = r.w.constant(Tensor::of(std::span(&axis, 1)));
  std::vector<ValueId> sizes;
  for (ValueId x : r.node.inputs) sizes.push_back(r.w.node("Gather", {r.shape(x), at}));
  const ValueId split = r.w.node("Concat", sizes, with("axis", int64_t{0}));
  Ids ids{r.w.node("Split", {r.g, split}, with("axis", axis))};
  while (ids.size() < sizes.size()) ids.push_back(r.w.one_more_output());
  return ids;
}

// The output of a reduction with its axes kept, as the input's shape.
Ids of_reduce_sum(const Rule& r) {
  Attributes a;
  for (const Attribute& old : r.node.attributes.all()) {
    if (old.name != "keepdims") a.add(old.name, old.value);
  }
  const ValueId whole = r.w.node(r.node.op_type, r.node.inputs, std::move(a));
  r.w.nodes.back().opset = r.node.opset;
  const ValueId g = reshape(r, r.g, r.shape(whole));
  Ids ids{r.w.node("Expand", {g, r.shape(r.x(0))})};
  if (r.node.op_type == "ReduceMean") {
    const ValueId count = r.div(r.w.node("Size", {r.x(0)}), r.w.node("Size", {r.y()}));
    ids[0] = r.div(ids[0], r.w.node("CastLike", {count, r.g}));
  }
  return ids;
}

// What has no slope: shapes, comparisons, signs.
Ids of_flat(const Rule& r) { return Ids(r.node.inputs.size(), kNoValue); }

struct Entry {
  std::string_view type;
  Derive derive;
};

constexpr Entry kRules[] = {
    {"Abs", of_abs},
    {"Add", of_add},
    {"Cast", of_cast},
    {"CastLike", of_cast},
    {"Concat", of_concat},
    {"ConstantOfShape", of_flat},
    {"Cos", of_cos},
    {"Div", of_div},
    {"Equal", of_flat},
    {"Exp", of_exp},
    {"Expand", of_expand},
    {"Flatten", of_reshape},
    {"Gemm", of_gemm},
    {"Greater", of_flat},
    {"Identity", of_identity},
    {"Less", of_flat},
    {"Log", of_log},
    {"LogSoftmax", of_log_softmax},
    {"MatMul", of_mat_mul},
    {"Mul", of_mul},
    {"Neg", of_neg},
    {"NonZero", of_flat},
    {"Not", of_flat},
    {"Pow", of_pow},
    {"Reciprocal", of_reciprocal},
    {"ReduceMean", of_reduce_sum},
    {"ReduceSum", of_reduce_sum},
    {"Relu", of_relu},
    {"Reshape", of_reshape},
    {"Shape", of_flat},
    {"Sigmoid", of_sigmoid},
    {"Sign", of_flat},
    {"Sin", of_sin},
    {"Size", of_flat},
    {"Softmax", of_softmax},
    {"Softplus", of_softplus},
    {"Sqrt", of_sqrt},
    {"Squeeze", of_reshape},
    {"Sub", of_sub},
    {"Sum", of_add},
    {"Tanh", of_tanh},
    {"Transpose", of_transpose},
    {"Unsqueeze", of_reshape},
    {"Where", of_where},
};

}  // namespace

ValueId NodeWriter::node(std::string type, std::vector<ValueId> inputs, Attributes attributes) {
  Node n;
  n.op_type = std::move(type);
  n.opset = kOpset;
  n.inputs = std::move(inputs);
  n.attributes = std::move(attributes);
  n.outputs = {graph_.add_value()};
  nodes.push_back(std::move(n));
  return nodes.back().outputs[0];
}

ValueId NodeWriter::one_more_output() {
  nodes.back().outputs.push_back(graph_.add_value());
  return nodes.back().outputs.back();
}

ValueId NodeWriter::constant(Tensor tensor) {
  const ValueId id = graph_.add_value();
  graph_.value(id).constant = std::move(tensor);
  return id;
}

ValueId NodeWriter::filled(float value, ValueId like) {
  Tensor one = Tensor::allocate(DType::float32, Shape{1});
  *one.data<float>() = value;
  Attributes a;
  a.add("value", std::move(one));
  return node("CastLike", {node("ConstantOfShape", {node("Shape", {like})}, std::move(a)), like});
}

ValueId NodeWriter::sum_to(ValueId g, ValueId like) {
  // The shape of `like` with ones in front; the axes where it differs from that of g are those to sum over.
  const ValueId from = node("Shape", {g}), to = node("Shape", {like});
  Tensor one = Tensor::allocate(DType::int64, Shape{1});
  *one.data<int64_t>() = 1;
  const int64_t flat = -1;
  const auto list = [&](ValueId v) { return node("Reshape", {v, constant(Tensor::of(std::span(&flat, 1)))}); };
  Attributes fill, axis, none;
  fill.add("value", one);
  axis.add("axis", int64_t{0});
  none.add("noop_with_empty_axes", int64_t{1});
  const ValueId more = list(node("Sub", {node("Size", {from}), node("Size", {to})}));
  const ValueId ones = node("ConstantOfShape", {more}, std::move(fill));
  const ValueId padded = node("Concat", {ones, to}, std::move(axis));
  const ValueId differ = node("Not", {node("Equal", {padded, from})});
  const ValueId axes = list(node("NonZero", {differ}));
  Attributes zero;
  zero.add("allowzero", int64_t{1});
  return node("Reshape", {node("ReduceSum", {g, axes}, std::move(none)), to}, std::move(zero));
}

std::vector<ValueId> derivatives(const Node& node, ValueId gradient, NodeWriter& writer) {
  const auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                                 [&](const Entry& e) { return e.type == node.op_type && node.domain.empty(); });
  check(rule != std::end(kRules), ErrorCode::unsupported_operator, "Gradient cannot differentiate ", node.domain,
        node.domain.empty() ? "" : ".", node.op_type);
  return rule->derive({node, gradient, writer});
}

}  // namespace sardonyx
