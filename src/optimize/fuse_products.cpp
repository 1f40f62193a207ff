// Pass: what follows a convolution or a matrix product and can be done in its epilogue; scales and shifts by the
// channel that follow one another.
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ops/fusible.h"
#include "ops/operator.h"
#include "optimize/affine.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

struct Range {
  float lo = -std::numeric_limits<float>::infinity(), hi = std::numeric_limits<float>::infinity();
};

class Fusion {
 public:
  explicit Fusion(Rewriter& r) : r_(r) {}

  void visit(size_t n) {
    const Node& node = r_.node(n);
    if (!node.domain.empty() || node.inputs.empty() || node.outputs.empty() || node.outputs[0] == kNoValue) return;
    if (fuse_affine(n)) return;
    if (const auto range = clamp_range(node)) {
      const int product = product_of(node.inputs[0]);
      if (range->lo <= range->hi && product >= 0 && fusible(product).fuse_clamp(range->lo, range->hi)) take(n, product);
    }
  }

 private:
  Fusible& fusible(int n) { return *r_.node(static_cast<size_t>(n)).op->fusible(); }

  // The position of the product that makes the value for its only reader, or -1.
  int product_of(ValueId id) const {
    const int n = id != kNoValue && r_.uses(id) == 1 ? r_.producer(id) : -1;
    if (n < 0) return -1;
    const Node& node = r_.graph.nodes[static_cast<size_t>(n)];
    return node.op->fusible() && node.outputs[0] == id ? n : -1;
  }

  // The product took node n over.
  void take(size_t n, int product) {
    const ValueId y = r_.node(n).outputs[0];
    r_.remove(n);
    r_.set_output(static_cast<size_t>(product), y);
  }

  // The channels of a product's or a BatchNormalization's result, where they are known.
  std::optional<Channels> channels(int n) const {
    const Node& node = r_.graph.nodes[static_cast<size_t>(n)];
    const StaticType& y = r_.types[node.outputs[0]];
    if (node.op_type == "BatchNormalization") {
      const StaticType& scale = r_.types[node.inputs[1]];
      const Tensor* constant = r_.constant(node.inputs[1]);
      const int64_t count = constant ? constant->count() : scale.known() ? scale.dim(0) : -1;
      return y.known() && y.rank() >= 2 ? std::optional(Channels{y.rank(), 1, count}) : std::nullopt;
    }
    if (node.op_type == "MatMul" || node.op_type == "Gemm") {
      if (y.known() && y.rank() >= 2) return Channels{y.rank(), y.rank() - 1, y.dim(y.rank() - 1)};
      return std::nullopt;
    }
    if (node.inputs.size() < 2 || !r_.constant(node.inputs[1])) return std::nullopt;
    const Shape& w = r_.constant(node.inputs[1])->shape();
    if (w.rank() < 3) return std::nullopt;
    if (node.op_type == "Conv") return Channels{w.rank(), 1, w[0]};
    if (node.op_type == "ConvTranspose") return Channels{w.rank(), 1, w[1] * node.attributes.integer("group", 1)};
    return std::nullopt;
  }

  bool fuse_affine(size_t n) {
    if (const auto a = read_batch_normalization(r_, r_.node(n))) {
      const int product = product_of(r_.node(n).inputs[0]);
      if (product < 0 || r_.node(static_cast<size_t>(product)).op_type == "BatchNormalization") return false;
      if (!fusible(product).fuse_scale_shift(a->scale, a->shift)) return false;
      take(n, product);
      return true;
    }
    for (size_t x = 0; x < 2 && r_.node(n).inputs.size() == 2; x++) {
      if (fuse_affine_operand(n, x)) return true;
    }
    return false;
  }

  bool fuse_affine_operand(size_t n, size_t x) {
    const ValueId value = r_.node(n).inputs[x];
    const int before = value != kNoValue && r_.uses(value) == 1 ? r_.producer(value) : -1;
    if (before < 0) return false;
    if (const int product = product_of(value); product >= 0) {
      const auto at = channels(product);
      const auto a = at ? read_affine(r_, r_.node(n), x, *at) : std::nullopt;
      if (a && fusible(product).fuse_scale_shift(a->scale, a->shift)) {
        take(n, product);
        return true;
      }
    }
    return chain_affine(n, x, static_cast<size_t>(before));
  }

  // Two scales or shifts in a row become one BatchNormalization.
  bool chain_affine(size_t n, size_t x, size_t before) {
    const Node& first = r_.node(before);
    if (!first.domain.empty() || first.outputs[0] != r_.node(n).inputs[x]) return false;
    if (const auto a = read_batch_normalization(r_, first)) {
      const auto at = channels(static_cast<int>(before));
      const auto b = at ? read_affine(r_, r_.node(n), x, *at) : std::nullopt;
      return b && join(n, before, first.inputs[0], chained(*a, *b));
    }
    for (size_t i = 0; i < 2 && first.inputs.size() == 2; i++) {
      const StaticType& type = r_.types[first.inputs[i]];
      if (!type.known() || type.rank() < 2 || type.dim(1) <= 0 || type.dtype != DType::float32) continue;
      const Channels at{type.rank(), 1, type.dim(1)};
      const auto a = read_affine(r_, first, i, at), b = read_affine(r_, r_.node(n), x, at);
      if (a && b) return join(n, before, first.inputs[i], chained(*a, *b));
    }
    return false;
  }

  bool join(size_t n, size_t before, ValueId x, const Affine& affine) {
    if (!r_.replace(n, make_batch_normalization(r_, x, affine, r_.node(n).outputs))) return false;
    r_.remove(before);
    return true;
  }

  // A constant float32 input.
  const Tensor* constant_floats(const Node& node, size_t input) const {
    const Tensor* t = input < node.inputs.size() ? r_.constant(node.inputs[input]) : nullptr;
    return t && t->dtype() == DType::float32 ? t : nullptr;
  }

  // The bounds of a Relu, or of a Clip whose bounds are constant.
  std::optional<Range> clamp_range(const Node& node) const {
    Range range;
    if (node.op_type == "Relu") {
      range.lo = 0;
      return range;
    }
    if (node.op_type != "Clip") return std::nullopt;
    if (node.opset < 11) {
      range.lo = node.attributes.number("min", std::numeric_limits<float>::lowest());
      range.hi = node.attributes.number("max", std::numeric_limits<float>::max());
      return range;
    }
    float* bounds[] = {&range.lo, &range.hi};
    for (size_t i = 1; i < node.inputs.size(); i++) {
      if (node.inputs[i] == kNoValue) continue;
      const Tensor* t = constant_floats(node, i);
      if (!t || t->count() != 1) return std::nullopt;
      *bounds[i - 1] = *t->data<float>();
    }
    return range;
  }

  Rewriter& r_;
};

}  // namespace

void fuse_products(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  Fusion fusion(r);
  for (size_t n = 0; n < r.size(); n++) fusion.visit(n);
}

}  // namespace sardonyx
