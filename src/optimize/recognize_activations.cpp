// Pass: Gelu, Swish, HardSwish and HardSigmoid that are written out become one node each.
#include <cmath>

#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

constexpr size_t kMostFactors = 4;

// Constants that exporters write are rounded to float32, or to a few digits.
bool is_near(double v, double wanted) { return std::abs(v - wanted) <= 2e-4 * std::abs(wanted); }

// factor * values[0] * values[1]...: a tree of Mul, and of Div by constants, multiplied out.
struct Product {
  double factor = 1;
  std::vector<ValueId> values;
};

// x + term, or c - x and the like: not taken.
struct Shifted {
  ValueId value;
  double term;
};

class Activations {
 public:
  explicit Activations(Rewriter& r) : r_(r) {}

  void visit(size_t n) {
    if (!r_.is(n, "Mul") && !r_.is(n, "Div")) return;
    if (!is_float_scalar_safe(n)) return;
    Product p;
    if (!collect(n, p, 0)) return;
    if (p.values.size() == 1) return hard_sigmoid(n, p);
    if (p.values.size() != 2) return;
    if (!sigmoid_product(n, p.factor, p.values[0], p.values[1])) sigmoid_product(n, p.factor, p.values[1], p.values[0]);
  }

 private:
  // Is the result a float tensor of the same type and rank as it would be without its constants? What passes make here
  // has the operand's shape.
  bool is_float_scalar_safe(size_t n) const {
    const StaticType& type = r_.types[r_.node(n).outputs[0]];
    return type.dtype == DType::undefined || kFloat.has(type.dtype);
  }

  // A constant of one element that does not raise the rank of what it meets.
  std::optional<double> factor(ValueId id, ValueId other) const {
    const auto v = r_.scalar(id);
    const int rank = v ? r_.constant(id)->rank() : 0;
    if (rank > 0 && !(r_.types[other].known() && rank <= r_.types[other].rank())) return std::nullopt;
    return v;
  }

  // Multiplies out node n; inner nodes must have no other readers.
  bool collect(size_t n, Product& p, int depth) {
    const Node& node = r_.node(n);
    const ValueId a = node.inputs[0], b = node.inputs[1];
    if (const auto c = factor(b, a)) {
      p.factor = node.op_type == "Mul" ? p.factor * *c : p.factor / *c;
      return operand(a, p, depth);
    }
    if (node.op_type == "Div") return false;
    if (const auto c = factor(a, b)) {
      p.factor *= *c;
      return operand(b, p, depth);
    }
    return operand(a, p, depth) && operand(b, p, depth);
  }

  bool operand(ValueId id, Product& p, int depth) {
    const int n = r_.producer(id);
    const bool open = depth < 3 && n >= 0 && r_.uses(id) == 1 && !ends_here(static_cast<size_t>(n)) &&
                      (r_.is(static_cast<size_t>(n), "Mul") || r_.is(static_cast<size_t>(n), "Div"));
    if (open) {
      Product inner = p;
      if (collect(static_cast<size_t>(n), inner, depth + 1) && inner.values.size() <= kMostFactors) {
        p = std::move(inner);
        return true;
      }
    }
    p.values.push_back(id);
    return p.values.size() <= kMostFactors;
  }
  bool ends_here(size_t n) const { return r_.graph.nodes[n].inputs.size() != 2; }

  // value + term, by an Add of a constant.
  std::optional<Shifted> shifted(ValueId id) {
    const Node* add = r_.only_producer(id, "Add");
    if (!add) return std::nullopt;
    for (size_t i = 0; i < 2; i++) {
      if (const auto c = factor(add->inputs[i], add->inputs[1 - i])) return Shifted{add->inputs[1 - i], *c};
    }
    return std::nullopt;
  }

  // The input of Clip(x, 0, top).
  std::optional<ValueId> clipped(ValueId id, double top) {
    const Node* clip = r_.only_producer(id, "Clip");
    if (!clip) return std::nullopt;
    double lo = -HUGE_VAL, hi = HUGE_VAL;
    if (clip->opset < 11) {
      lo = static_cast<double>(clip->attributes.number("min", -HUGE_VALF));
      hi = static_cast<double>(clip->attributes.number("max", HUGE_VALF));
    } else {
      if (clip->inputs.size() != 3) return std::nullopt;
      lo = r_.scalar(clip->inputs[1]).value_or(-HUGE_VAL);
      hi = r_.scalar(clip->inputs[2]).value_or(HUGE_VAL);
    }
    if (lo != 0 || hi != top) return std::nullopt;
    return clip->inputs[0];
  }

  // clip(x + 3, 0, 6) / 6 is HardSigmoid with alpha 1/6.
  void hard_sigmoid(size_t n, const Product& p) {
    if (!is_near(p.factor, 1.0 / 6)) return;
    const auto clip = clipped(p.values[0], 6);
    const auto sum = clip ? shifted(*clip) : std::nullopt;
    if (!sum || sum->term != 3) return;
    Attributes a;
    a.add("alpha", 1.0f / 6);
    a.add("beta", 0.5f);
    r_.replace(n, make_node("HardSigmoid", 6, {sum->value}, r_.node(n).outputs, std::move(a)));
  }

  // factor * x * gate(x)
  bool sigmoid_product(size_t n, double factor, ValueId x, ValueId gate) {
    return hard_swish(n, factor, x, gate) || swish(n, factor, x, gate) || gelu(n, factor, x, gate);
  }

  bool hard_swish(size_t n, double factor, ValueId x, ValueId gate) {
    if (is_near(factor, 1.0 / 6)) {
      const auto clip = clipped(gate, 6);
      const auto sum = clip ? shifted(*clip) : std::nullopt;
      return sum && sum->value == x && sum->term == 3 && make(n, "HardSwish", 14, x);
    }
    const Node* hard = factor == 1 ? r_.only_producer(gate, "HardSigmoid") : nullptr;
    return hard && hard->inputs[0] == x &&
           is_near(static_cast<double>(hard->attributes.number("alpha", 0.2f)), 1.0 / 6) &&
           hard->attributes.number("beta", 0.5f) == 0.5f && make(n, "HardSwish", 14, x);
  }

  bool swish(size_t n, double factor, ValueId x, ValueId gate) {
    const Node* sigmoid = factor == 1 ? r_.only_producer(gate, "Sigmoid") : nullptr;
    if (!sigmoid) return false;
    if (sigmoid->inputs[0] == x) return make(n, "Swish", 24, x);
    const int inner = r_.producer(sigmoid->inputs[0]);  // x * sigmoid(alpha * x)
    Product p;
    if (inner < 0 || r_.uses(sigmoid->inputs[0]) != 1) return false;
    if (!r_.is(static_cast<size_t>(inner), "Mul") || !collect(static_cast<size_t>(inner), p, 0)) return false;
    if (p.values.size() != 1 || p.values[0] != x) return false;
    Attributes a;
    a.add("alpha", static_cast<float>(p.factor));
    return make(n, "Swish", 24, x, std::move(a));
  }

  // 0.5 * x * (1 + erf(x / sqrt(2))), or with tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)).
  bool gelu(size_t n, double factor, ValueId x, ValueId gate) {
    const auto sum = is_near(factor, 0.5) ? shifted(gate) : std::nullopt;
    if (!sum || sum->term != 1) return false;
    if (const Node* erf = r_.only_producer(sum->value, "Erf")) {
      const auto inner = scaled(erf->inputs[0]);
      return inner && inner->values[0] == x && is_near(inner->factor, 0.7071067812) && make(n, "Gelu", 20, x);
    }
    const Node* tanh = r_.only_producer(sum->value, "Tanh");
    const auto inner = tanh ? scaled(tanh->inputs[0]) : std::nullopt;
    if (!inner || !is_near(inner->factor, 0.7978845608) || !is_cubic(inner->values[0], x)) return false;
    Attributes a;
    a.add("approximate", std::string("tanh"));
    return make(n, "Gelu", 20, x, std::move(a));
  }

  // A constant times one value.
  std::optional<Product> scaled(ValueId id) {
    const int n = r_.producer(id);
    Product p;
    if (n < 0 || r_.uses(id) != 1 || (!r_.is(static_cast<size_t>(n), "Mul") && !r_.is(static_cast<size_t>(n), "Div")))
      return std::nullopt;
    if (!collect(static_cast<size_t>(n), p, 0) || p.values.size() != 1) return std::nullopt;
    return p;
  }

  // x + 0.044715 * x^3
  bool is_cubic(ValueId id, ValueId x) {
    const Node* add = r_.only_producer(id, "Add");
    if (!add) return false;
    for (size_t i = 0; i < 2; i++) {
      if (add->inputs[i] != x) continue;
      const int n = r_.producer(add->inputs[1 - i]);
      Product p;
      if (n < 0 || !r_.is(static_cast<size_t>(n), "Mul") || r_.uses(add->inputs[1 - i]) != 1) continue;
      if (collect(static_cast<size_t>(n), p, 0) && is_near(p.factor, 0.044715) && is_cube(p.values, x)) return true;
    }
    return false;
  }
  bool is_cube(const std::vector<ValueId>& values, ValueId x) {
    if (values.size() == 3) return values[0] == x && values[1] == x && values[2] == x;
    if (values.size() != 1) return false;
    const Node* pow = r_.only_producer(values[0], "Pow");
    return pow && pow->inputs[0] == x && r_.scalar(pow->inputs[1]) == 3.0;
  }

  bool make(size_t n, std::string_view type, int opset, ValueId x, Attributes attributes = {}) {
    return r_.replace(n, make_node(type, opset, {x}, r_.node(n).outputs, std::move(attributes)));
  }

  Rewriter& r_;
};

}  // namespace

void recognize_activations(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  Activations activations(r);
  for (size_t n = r.size(); n-- > 0;) activations.visit(n);  // the largest first
}

}  // namespace sardonyx
