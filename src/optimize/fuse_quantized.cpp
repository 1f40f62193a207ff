// Pass: operators between DequantizeLinear and QuantizeLinear become operators on the quantized values.
#include <algorithm>
#include <cmath>

#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

// A quantized value with its scale and its zero point (kNoValue: 0).
struct Quantized {
  ValueId value, scale, zero;
};

class QuantizedOperators {
 public:
  explicit QuantizedOperators(Rewriter& r) : r_(r) {}

  // Roots are the QuantizeLinear behind an operator, and products without one.
  void visit(size_t n) {
    if (r_.is(n, "QuantizeLinear")) {
      const auto to = params(r_.node(n), true);
      if (to) quantized(n, *to);
    } else if (r_.is(n, "MatMul")) {
      product_to_float(n);
    }
  }

 private:
  // Scale and zero point of a (De)QuantizeLinear of 8 bits whose parameters are constants.
  std::optional<Quantized> params(const Node& node, bool per_tensor) {
    if (node.inputs.size() < 3 || node.inputs[2] == kNoValue) return std::nullopt;
    const Tensor *scale = r_.constant(node.inputs[1]), *zero = r_.constant(node.inputs[2]);
    if (!scale || !zero || scale->dtype() != DType::float32 || scale->rank() > 1 || zero->count() != scale->count() ||
        (zero->dtype() != DType::int8 && zero->dtype() != DType::uint8) ||
        node.attributes.integer("block_size", 0) != 0)
      return std::nullopt;
    if (per_tensor && scale->count() != 1) return std::nullopt;
    return Quantized{node.inputs[0], node.inputs[1], node.inputs[2]};
  }

  std::optional<Quantized> dequantized(ValueId id, bool per_tensor = true) {
    const Node* node = r_.producer(id, "DequantizeLinear");
    return node ? params(*node, per_tensor) : std::nullopt;
  }

  float scale_at(ValueId id, int64_t i) {
    const Tensor& t = *r_.constant(id);
    return t.data<float>()[t.count() == 1 ? 0 : i];
  }

  // Does the quantization cut off everything below 0?
  bool cuts_below_zero(const Quantized& to) {
    const Tensor& zero = *r_.constant(to.zero);
    return zero.dtype() == DType::uint8 ? *zero.data<uint8_t>() == 0 : *zero.data<int8_t>() == -128;
  }

  void quantized(size_t root, const Quantized& to) {
    ValueId from = to.value;
    if (const Node* relu = r_.only_producer(from, "Relu"); relu && cuts_below_zero(to)) from = relu->inputs[0];
    const int n = from != kNoValue && r_.uses(from) == 1 ? r_.producer(from) : -1;
    if (n < 0 || !r_.graph.nodes[static_cast<size_t>(n)].domain.empty()) return;
    const Node& node = r_.node(static_cast<size_t>(n));
    if (node.outputs.size() != 1) return;
    if (node.op_type == "Conv") return conv(root, node, to);
    if (node.op_type == "MatMul") return matmul(root, node, to);
    if (node.op_type == "Gemm") return gemm(root, node, to);
    if (node.op_type == "Add" || node.op_type == "Mul") return binary(root, node, to);
    if (node.op_type == "Concat") return concat(root, node, to);
    moved(root, node, to);
  }

  bool make(size_t root, std::string_view type, std::string_view domain, std::vector<ValueId> inputs,
            const Attributes& attributes, int opset = 1) {
    Node node = make_node(type, opset, std::move(inputs), r_.node(root).outputs, attributes);
    node.domain = domain;
    return r_.replace(root, std::move(node));
  }

  // The int32 values of a bias whose scale is that of the products; kNoValue where there is none; nothing where it is
  // another.
  std::optional<ValueId> bias_of(const Node& node, const Quantized& x, const Quantized& w) {
    if (node.inputs.size() < 3 || node.inputs[2] == kNoValue) return kNoValue;
    const Node* dequantize = r_.producer(node.inputs[2], "DequantizeLinear");
    const Tensor* bias = dequantize ? r_.constant(dequantize->inputs[0]) : nullptr;
    const Tensor* scale = dequantize ? r_.constant(dequantize->inputs[1]) : nullptr;
    if (!bias || !scale || bias->dtype() != DType::int32 || bias->rank() != 1 || scale->dtype() != DType::float32 ||
        (scale->count() != 1 && scale->count() != bias->count()))
      return std::nullopt;
    if (dequantize->inputs.size() > 2 && dequantize->inputs[2] != kNoValue) {
      const auto zero = r_.integers(dequantize->inputs[2]);
      if (!zero || std::any_of(zero->begin(), zero->end(), [](int64_t z) { return z != 0; })) return std::nullopt;
    }
    for (int64_t i = 0; i < bias->count(); i++) {
      const float own = scale->data<float>()[scale->count() == 1 ? 0 : i];
      const float wanted = scale_at(x.scale, 0) * scale_at(w.scale, i);
      if (!(std::fabs(own - wanted) <= 1e-5f * std::fabs(wanted))) return std::nullopt;
    }
    return dequantize->inputs[0];
  }

  // Quantized weights, a constant, per tensor or per output.
  std::optional<Quantized> weights(ValueId id, int axis) {
    const auto w = dequantized(id, false);
    const Tensor* t = w ? r_.constant(w->value) : nullptr;
    if (!t || axis >= t->rank()) return std::nullopt;
    const int64_t scales = r_.constant(w->scale)->count();
    if (scales == 1) return w;
    const Node& node = *r_.producer(id, "DequantizeLinear");
    const int64_t given = node.attributes.integer("axis", 1);
    if ((given < 0 ? given + t->rank() : given) != axis || scales != t->dim(axis)) return std::nullopt;
    return w;
  }

  void conv(size_t root, const Node& node, const Quantized& to) {
    const auto x = dequantized(node.inputs[0]);
    const auto w = x ? weights(node.inputs[1], 0) : std::nullopt;
    const auto bias = w ? bias_of(node, *x, *w) : std::nullopt;
    if (!bias) return;
    std::vector<ValueId> inputs{x->value, x->scale, x->zero, w->value, w->scale, w->zero, to.scale, to.zero};
    if (*bias != kNoValue) inputs.push_back(*bias);
    make(root, "QLinearConv", "", std::move(inputs), node.attributes, 10);
  }

  void matmul(size_t root, const Node& node, const Quantized& to) {
    const auto a = dequantized(node.inputs[0]), b = dequantized(node.inputs[1]);
    if (!a || !b) return;
    make(root, "QLinearMatMul", "", {a->value, a->scale, a->zero, b->value, b->scale, b->zero, to.scale, to.zero}, {},
         10);
  }

  void product_to_float(size_t n) {
    const Node& node = r_.node(n);
    const auto a = dequantized(node.inputs[0]), b = weights(node.inputs[1], 1);
    if (!a || !b || r_.constant(b->value)->rank() != 2) return;
    make(n, "MatMulIntegerToFloat", "com.microsoft", {a->value, b->value, a->scale, b->scale, a->zero, b->zero}, {});
  }

  void gemm(size_t root, const Node& node, const Quantized& to) {
    const bool trans_b = node.attributes.integer("transB", 0) != 0;
    if (node.attributes.number("alpha", 1) != 1 || node.attributes.number("beta", 1) != 1) return;
    const auto a = dequantized(node.inputs[0]);
    const auto b = a ? weights(node.inputs[1], trans_b ? 0 : 1) : std::nullopt;
    const auto bias = b ? bias_of(node, *a, *b) : std::nullopt;
    if (!bias) return;
    Attributes attributes;
    attributes.add("transA", node.attributes.integer("transA", 0));
    attributes.add("transB", node.attributes.integer("transB", 0));
    make(root, "QGemm", "com.microsoft",
         {a->value, a->scale, a->zero, b->value, b->scale, b->zero, *bias, to.scale, to.zero}, attributes);
  }

  void binary(size_t root, const Node& node, const Quantized& to) {
    const auto a = dequantized(node.inputs[0]), b = dequantized(node.inputs[1]);
    if (!a || !b || !same_types({a->zero, b->zero, to.zero})) return;
    make(root, node.op_type == "Add" ? "QLinearAdd" : "QLinearMul", "com.microsoft",
         {a->value, a->scale, a->zero, b->value, b->scale, b->zero, to.scale, to.zero}, {});
  }

  void concat(size_t root, const Node& node, const Quantized& to) {
    std::vector<ValueId> inputs{to.scale, to.zero}, zeros{to.zero};
    for (ValueId id : node.inputs) {
      const auto part = dequantized(id);
      if (!part) return;
      inputs.insert(inputs.end(), {part->value, part->scale, part->zero});
      zeros.push_back(part->zero);
    }
    if (same_types(zeros)) make(root, "QLinearConcat", "com.microsoft", std::move(inputs), node.attributes);
  }

  // What only moves elements, or takes the largest, does so with quantized ones; the rest goes by tables or floats.
  void moved(size_t root, const Node& node, const Quantized& to) {
    if (node.inputs.empty()) return;
    const auto x = dequantized(node.inputs[0]);
    if (!x || !same_types({x->zero, to.zero})) return;
    static constexpr std::string_view kMoves[] = {"Reshape", "Transpose", "Squeeze", "Unsqueeze",    "Flatten",
                                                  "Slice",   "Gather",    "Expand",  "SpaceToDepth", "DepthToSpace"};
    const bool moves =
        std::ranges::find(kMoves, node.op_type) != std::end(kMoves) || (node.op_type == "MaxPool" && node.opset >= 12);
    if (moves && same_values(x->scale, to.scale) && same_values(x->zero, to.zero)) {
      std::vector<ValueId> inputs = node.inputs;
      inputs[0] = x->value;
      make(root, node.op_type, "", std::move(inputs), node.attributes, node.opset);
      return;
    }
    const std::vector<ValueId> inputs{x->value, x->scale, x->zero, to.scale, to.zero};
    if (node.op_type == "Sigmoid" || node.op_type == "LeakyRelu" || node.op_type == "GlobalAveragePool" ||
        (node.op_type == "AveragePool" && node.opset >= 10 && node.attributes.ints("dilations").empty())) {
      make(root, "QLinear" + node.op_type, "com.microsoft", inputs, node.attributes);
    }
  }

  bool same_types(std::span<const ValueId> zeros) {
    return std::ranges::all_of(zeros,
                               [&](ValueId id) { return r_.constant(id)->dtype() == r_.constant(zeros[0])->dtype(); });
  }
  bool same_types(std::initializer_list<ValueId> zeros) { return same_types(std::span(zeros.begin(), zeros.size())); }

  bool same_values(ValueId a, ValueId b) {
    const Tensor &x = *r_.constant(a), &y = *r_.constant(b);
    return x.dtype() == y.dtype() && x.byte_size() == y.byte_size() &&
           std::equal(x.bytes(), x.bytes() + x.byte_size(), y.bytes());
  }

  Rewriter& r_;
};

}  // namespace

void fuse_quantized(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  QuantizedOperators operators(r);
  for (size_t n = r.size(); n-- > 0;) operators.visit(n);
}

}  // namespace sardonyx
