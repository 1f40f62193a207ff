// Pass: LayerNormalization and RMSNormalization that are written out become one node each.
#include <algorithm>

#include "ops/operator.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

// x / sqrt(mean(x^2) + epsilon), over the last axes.
struct Normalized {
  ValueId x;
  int64_t axis;  // the first of the axes, negative
  double epsilon;
};

class Norms {
 public:
  explicit Norms(Rewriter& r) : r_(r) {}

  // Roots are Add (with a bias) and Mul (without).
  void visit(size_t n) {
    if (r_.is(n, "Add")) {
      for (size_t i = 0; i < 2; i++) {
        const int mul = only_maker(r_.node(n).inputs[i]);
        if (mul >= 0 && r_.is(static_cast<size_t>(mul), "Mul") &&
            scaled(n, static_cast<size_t>(mul), r_.node(n).inputs[1 - i]))
          return;
      }
    }
    if (r_.is(n, "Mul")) scaled(n, n, kNoValue);
  }

 private:
  int only_maker(ValueId id) const { return id != kNoValue && r_.uses(id) == 1 ? r_.producer(id) : -1; }

  bool scaled(size_t root, size_t mul, ValueId bias) {
    for (size_t i = 0; i < 2; i++) {
      const ValueId scale = r_.node(mul).inputs[1 - i];
      const auto norm = normalized(r_.node(mul).inputs[i]);
      if (norm && fits(*norm, scale) && (bias == kNoValue || fits(*norm, bias)) && make(root, *norm, scale, bias)) {
        return true;
      }
    }
    return false;
  }

  // Does it have the same values for every row, and the type of x? Then it is broadcast as the standard's operators do.
  bool fits(const Normalized& norm, ValueId id) const {
    const StaticType &x = r_.types[norm.x], &t = r_.types[id];
    if (!x.known() || !t.known() || x.dtype != t.dtype || t.rank() > -norm.axis) return false;
    for (int i = 1; i <= t.rank(); i++) {
      const int64_t d = t.dim(t.rank() - i);
      if (d != 1 && (d < 0 || d != x.dim(x.rank() - i))) return false;
    }
    return true;
  }

  bool make(size_t root, const Normalized& norm, ValueId scale, ValueId bias) {
    Attributes a;
    a.add("axis", norm.axis);
    a.add("epsilon", static_cast<float>(norm.epsilon));
    const auto outputs = r_.node(root).outputs;
    if (const auto x = centered(norm.x, norm.axis)) {
      std::vector<ValueId> inputs{*x, scale};
      if (bias != kNoValue) inputs.push_back(bias);
      return r_.replace(root, make_node("LayerNormalization", 17, std::move(inputs), outputs, std::move(a)));
    }
    if (bias != kNoValue) return false;  // the Mul alone will do
    return r_.replace(root, make_node("RMSNormalization", 23, {norm.x, scale}, outputs, std::move(a)));
  }

  // x / sqrt(v), x * (1 / sqrt(v)) or x * v^-0.5
  std::optional<Normalized> normalized(ValueId id) {
    if (const Node* div = r_.only_producer(id, "Div")) {
      const Node* root = r_.only_producer(div->inputs[1], "Sqrt");
      return root ? with_variance(div->inputs[0], root->inputs[0]) : std::nullopt;
    }
    const Node* mul = r_.only_producer(id, "Mul");
    for (size_t i = 0; mul && i < 2; i++) {
      const auto v = inverse_root(mul->inputs[1 - i]);
      if (!v) continue;
      if (auto norm = with_variance(mul->inputs[i], *v)) return norm;
    }
    return std::nullopt;
  }

  std::optional<ValueId> inverse_root(ValueId id) {
    if (const Node* pow = r_.only_producer(id, "Pow")) {
      return r_.scalar(pow->inputs[1]) == -0.5 ? std::optional(pow->inputs[0]) : std::nullopt;
    }
    const Node* inverse = r_.only_producer(id, "Reciprocal");
    ValueId root = inverse ? inverse->inputs[0] : kNoValue;
    if (const Node* div = r_.only_producer(id, "Div"); div && r_.scalar(div->inputs[0]) == 1.0) root = div->inputs[1];
    const Node* sqrt = r_.only_producer(root, "Sqrt");
    return sqrt ? std::optional(sqrt->inputs[0]) : std::nullopt;
  }

  // v: mean(x * x) + epsilon
  std::optional<Normalized> with_variance(ValueId x, ValueId v) {
    const Node* add = r_.only_producer(v, "Add");
    for (size_t i = 0; add && i < 2; i++) {
      const auto epsilon = r_.scalar(add->inputs[i]);
      const Node* mean = epsilon ? r_.only_producer(add->inputs[1 - i], "ReduceMean") : nullptr;
      const auto axis = mean ? last_axes(*mean, x) : std::nullopt;
      if (!axis || *epsilon < 0 || r_.constant(add->inputs[i])->rank() > r_.types[x].rank()) continue;
      if (is_square(mean->inputs[0], x)) return Normalized{x, *axis, *epsilon};
    }
    return std::nullopt;
  }

  bool is_square(ValueId id, ValueId x) {
    if (const Node* pow = r_.only_producer(id, "Pow")) {
      return pow->inputs[0] == x && r_.scalar(pow->inputs[1]) == 2.0 &&
             r_.constant(pow->inputs[1])->rank() <= r_.types[x].rank();
    }
    const Node* mul = r_.only_producer(id, "Mul");
    return mul && mul->inputs[0] == x && mul->inputs[1] == x;
  }

  // The first of the axes, as a negative number, where they are the last ones of x and are kept.
  std::optional<int64_t> last_axes(const Node& mean, ValueId x) const {
    if (!r_.types[x].known() || mean.attributes.integer("keepdims", 1) == 0) return std::nullopt;
    std::vector<int64_t> axes = mean.attributes.ints("axes");
    if (mean.inputs.size() > 1) {
      const auto given = r_.integers(mean.inputs[1]);
      if (!given) return std::nullopt;
      axes = *given;
    }
    const int64_t rank = r_.types[x].rank();
    for (int64_t& a : axes) a = a < 0 ? a : a - rank;
    std::sort(axes.begin(), axes.end());
    for (size_t i = 0; i < axes.size(); i++) {
      if (axes[axes.size() - 1 - i] != -1 - static_cast<int64_t>(i)) return std::nullopt;
    }
    if (axes.empty() || static_cast<int64_t>(axes.size()) > rank) return std::nullopt;
    return axes[0];
  }

  // The x of x - mean(x).
  std::optional<ValueId> centered(ValueId id, int64_t axis) {
    const Node* sub = r_.producer(id, "Sub");
    const Node* mean = sub ? r_.producer(sub->inputs[1], "ReduceMean") : nullptr;
    if (!mean || mean->inputs[0] != sub->inputs[0] || last_axes(*mean, sub->inputs[0]) != axis) return std::nullopt;
    return sub->inputs[0];
  }

  Rewriter& r_;
};

}  // namespace

void recognize_norms(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  Norms norms(r);
  for (size_t n = r.size(); n-- > 0;) norms.visit(n);  // with the bias first
}

}  // namespace sardonyx
