// Pass: what follows a convolution or a matrix product and can be done in its epilogue; scales and shifts by the
// channel that follow one another.
#include <optional>
#include <utility>
#include <vector>

#include "ops/fusible.h"
#include "ops/operator.h"
#include "optimize/affine.h"
#include "optimize/epilogue_steps.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

class Fusion {
 public:
  explicit Fusion(Rewriter& r) : r_(r), changed_(r.size(), 0) {}

  void visit(size_t n) {
    const Node& node = r_.node(n);
    if (!node.domain.empty() || node.inputs.empty() || node.outputs.empty() || node.outputs[0] == kNoValue) return;
    fuse_operands(n);
    if (fuse_affine(n) || fuse_residual(n)) return;
    const auto offer = [&](ValueId value, auto&& step) {
      const int product = product_of(value);
      if (product >= 0 && step(fusible(product))) take(n, product);
    };
    if (const auto s = read_clamp(r_, node)) {
      offer(node.inputs[s->input], [&](Fusible& f) { return f.fuse_clamp(s->lo, s->hi); });
    } else if (const auto a = read_activation(node)) {
      offer(node.inputs[0], [&](Fusible& f) { return f.fuse_activation(a->kind, a->alpha, a->beta); });
    } else if (const auto m = read_factor(r_, node)) {
      offer(node.inputs[m->input], [&](Fusible& f) { return f.fuse_factor(m->factor); });
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
    changed_[static_cast<size_t>(product)] = 1;
  }

  // What a product can do with its operands: a constant weight that scales, a Transpose, a factor.
  void fuse_operands(size_t n) {
    if (r_.is(n, "Conv")) fuse_conv_operand(n);
    for (size_t i = 0; i < 2 && r_.is(n, "MatMul"); i++) fuse_matmul_operand(n, i);
  }

  void fuse_conv_operand(size_t n) {
    const ValueId value = r_.node(n).inputs[0];
    const int before = value != kNoValue && r_.uses(value) == 1 ? r_.producer(value) : -1;
    if (before < 0 || changed_[static_cast<size_t>(before)]) return;
    const Node& scaling = r_.node(static_cast<size_t>(before));
    if (scaling.outputs[0] != value) return;
    if (const auto a = read_batch_normalization(r_, scaling)) {
      if (scale_weights(r_, n, *a)) skip(n, 0, scaling.inputs[0]);
      return;
    }
    for (size_t x = 0; x < 2 && scaling.inputs.size() == 2; x++) {
      const StaticType& type = r_.types[scaling.inputs[x]];
      if (!type.known() || type.rank() < 3) continue;
      const auto a = read_affine(r_, scaling, x, {type.rank(), 1, type.dim(1)});
      if (a && scale_weights(r_, n, *a)) return skip(n, 0, scaling.inputs[x]);
    }
  }

  void fuse_matmul_operand(size_t n, size_t i) {
    const ValueId value = r_.node(n).inputs[i];
    if (r_.types[value].dtype != DType::float32) return;
    Fusible& matmul = fusible(static_cast<int>(n));
    if (const Node* turn = r_.only_producer(value, "Transpose")) {
      const std::vector<int64_t> perm = turn->attributes.ints("perm");
      if (perm.size() >= 2 && matmul.fuse_transpose(static_cast<int>(i), perm)) skip(n, i, turn->inputs[0]);
      return;
    }
    const int before = r_.uses(value) == 1 ? r_.producer(value) : -1;
    const auto m = before >= 0 ? read_factor(r_, r_.node(static_cast<size_t>(before))) : std::nullopt;
    if (m && matmul.fuse_factor(m->factor)) skip(n, i, r_.node(static_cast<size_t>(before)).inputs[m->input]);
  }

  // Node n reads `to` instead of what the node before, which no one else reads, made of it.
  void skip(size_t n, size_t input, ValueId to) {
    const int before = r_.producer(r_.node(n).inputs[input]);
    r_.set_input(n, input, to);
    r_.remove(static_cast<size_t>(before));
  }

  bool is_float32(int product) const {
    const Node& node = r_.graph.nodes[static_cast<size_t>(product)];
    if (node.op->fusible()->widens()) return true;
    const Tensor* w = node.inputs.size() > 1 ? r_.constant(node.inputs[1]) : nullptr;
    return (w ? w->dtype() : r_.types[node.outputs[0]].dtype) == DType::float32;
  }

  // Is the sum of two values, with numpy's broadcasting?
  static bool is_sum(const Node& node) {
    return node.inputs.size() == 2 && ((node.op_type == "Add" && node.opset >= 7) || node.op_type == "Sum");
  }

  // Offers the other addend to the product that is made last; it must be there before that runs.
  bool fuse_residual(size_t n) {
    const Node& node = r_.node(n);
    if (!is_sum(node)) return false;
    int products[] = {product_of(node.inputs[0]), product_of(node.inputs[1])};
    for (int turn = 0; turn < 2; turn++) {
      const size_t i = products[0] > products[1] ? 0 : 1;
      const int product = std::exchange(products[i], -1);
      const ValueId other = node.inputs[1 - i];
      if (product < 0 || other == kNoValue || r_.producer(other) >= product || !is_float32(product)) continue;
      const int at = fusible(product).fuse_residual();
      if (at < 0) continue;
      take(n, product);
      r_.add_input(static_cast<size_t>(product), static_cast<size_t>(at), other);
      return true;
    }
    return false;
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
    if (node.op_type == "Conv" || node.op_type == "ConvInteger") return Channels{w.rank(), 1, w[0]};
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
    if (changed_[before]) return false;
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

  Rewriter& r_;
  std::vector<char> changed_;  // by node: has it taken something over?
};

}  // namespace

void fuse_products(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  Fusion fusion(r);
  for (size_t n = 0; n < r.size(); n++) fusion.visit(n);
}

}  // namespace sardonyx
