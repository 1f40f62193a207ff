// Pass: integer products whose sums are scaled to floats in nodes of their own become one node each.
#include "ops/conv_integer.h"
#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

// y = Cast(MatMulInteger(a, b, a_zero, b_zero)) * (a_scale * b_scale) (+ bias), a quantized by DynamicQuantizeLinear:
// as onnxruntime's dynamic quantization writes it.
class IntegerProducts {
 public:
  explicit IntegerProducts(Rewriter& r) : r_(r) {}

  // Roots are Add (with a bias) and Mul (without).
  void visit(size_t n) {
    if (r_.is(n, "Mul")) {
      if (!scaled(n, r_.node(n), kNoValue)) convolved(n);
    } else if (r_.is(n, "Add")) {
      for (size_t i = 0; i < 2; i++) {
        const Node* mul = r_.only_producer(r_.node(n).inputs[i], "Mul");
        if (mul && scaled(n, *mul, r_.node(n).inputs[1 - i])) return;
      }
    }
  }

 private:
  bool scaled(size_t root, const Node& mul, ValueId bias) {
    for (size_t i = 0; i < 2; i++) {
      const Node* cast = r_.only_producer(mul.inputs[i], "Cast");
      if (!cast || cast->attributes.integer("to") != static_cast<int64_t>(DType::float32)) continue;
      const Node* product = r_.only_producer(cast->inputs[0], "MatMulInteger");
      const Node* scales = r_.producer(mul.inputs[1 - i], "Mul");
      if (product && scales && make(root, *product, *scales, bias)) return true;
    }
    return false;
  }

  // y = Cast(ConvInteger(...)) * a number: an input of the convolution from now on. Biases and clamps are found by
  // fuse_products.
  void convolved(size_t root) {
    const Node& mul = r_.node(root);
    for (size_t i = 0; i < 2; i++) {
      const Node* cast = r_.only_producer(mul.inputs[i], "Cast");
      if (!cast || cast->attributes.integer("to") != static_cast<int64_t>(DType::float32)) continue;
      const Node* conv = r_.only_producer(cast->inputs[0], "ConvInteger");
      const ValueId factor = mul.inputs[1 - i];
      if (!conv || conv->inputs.size() != 4 || conv->inputs[2] == kNoValue || conv->inputs[3] == kNoValue ||
          !is_number(factor))
        continue;
      std::vector<ValueId> inputs = conv->inputs;
      inputs.push_back(factor);
      Node node = make_node("ConvInteger", conv->opset, std::move(inputs), mul.outputs, conv->attributes);
      node.op = make_scaled_conv_integer(conv->attributes);
      r_.replace(root, std::move(node));
      return;
    }
  }

  // A float32 of one element, which broadcasts to any shape without another axis.
  bool is_number(ValueId id) {
    if (const Tensor* t = r_.constant(id)) return t->dtype() == DType::float32 && t->rank() <= 1 && t->count() == 1;
    const StaticType& type = r_.types[id];
    return type.known() && type.dtype == DType::float32 && (type.rank() == 0 || (type.rank() == 1 && type.dim(0) == 1));
  }

  bool make(size_t root, const Node& product, const Node& scales, ValueId bias) {
    const Tensor* b = r_.constant(product.inputs[1]);
    const Node* quantize = r_.producer(product.inputs[0], "DynamicQuantizeLinear");
    if (!b || b->rank() != 2 || !quantize || product.inputs.size() < 3) return false;
    const ValueId a_scale = quantize->outputs[1], a_zero = quantize->outputs[2];
    if (a_scale == kNoValue || a_zero != product.inputs[2]) return false;
    for (size_t i = 0; i < 2; i++) {
      const ValueId b_scale = scales.inputs[1 - i];
      const Tensor* s = scales.inputs[i] == a_scale ? r_.constant(b_scale) : nullptr;
      if (!s || s->dtype() != DType::float32 || !is_row(*s, b->dim(1))) continue;
      if (bias != kNoValue) {
        const Tensor* t = r_.constant(bias);
        if (!t || t->dtype() != DType::float32 || t->rank() != 1 || t->dim(0) != b->dim(1)) return false;
      }
      Node node = make_node("MatMulIntegerToFloat", 1,
                            {product.inputs[0], product.inputs[1], a_scale, b_scale, a_zero,
                             product.inputs.size() > 3 ? product.inputs[3] : kNoValue},
                            r_.node(root).outputs);
      if (bias != kNoValue) node.inputs.push_back(bias);
      if (node.inputs.back() == kNoValue) node.inputs.pop_back();
      node.domain = "com.microsoft";
      return r_.replace(root, std::move(node));
    }
    return false;
  }

  static bool is_row(const Tensor& t, int64_t columns) {
    return t.rank() <= 1 && (t.count() == 1 || t.count() == columns);
  }

  Rewriter& r_;
};

}  // namespace

void fuse_integers(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  IntegerProducts products(r);
  for (size_t n = r.size(); n-- > 0;) products.visit(n);  // with the bias first
}

}  // namespace sardonyx
