// Pass: attention that is written out in products, a Softmax and transpositions becomes one node.
#include "ops/scaled_attention.h"
#include "optimize/epilogue_steps.h"
#include "optimize/passes.h"
#include "optimize/rewriter.h"

namespace sardonyx {
namespace {

using Form = ScaledAttentionForm;
using Perm = std::vector<int64_t>;

// y = MatMul(Softmax(scale * MatMul(q, Transpose(k)) + mask), v), with the factor on whichever side of the first
// product, q, v and y transposed or not, heads of k and v repeated for groups of q's, and what keeps a Softmax of
// nothing from being NaN.
class Attentions {
 public:
  explicit Attentions(Rewriter& r) : r_(r) {}

  // Roots are the Transpose of the result, or else the last product.
  void visit(size_t n) {
    if (r_.uses(r_.node(n).outputs.empty() ? kNoValue : r_.node(n).outputs[0]) == 0) return;
    if (r_.is(n, "MatMul")) {
      make(n, r_.node(n), false);
    } else if (r_.is(n, "Transpose") && perm_of(r_.node(n)) == kHeadsAndRows) {
      const Node* product = r_.only_producer(r_.node(n).inputs[0], "MatMul");
      if (product) make(n, *product, true);
    }
  }

 private:
  inline static const Perm kHeadsAndRows = {0, 2, 1, 3}, kColumns = {0, 1, 3, 2}, kRowsToColumns = {0, 2, 3, 1};

  static Perm perm_of(const Node& node) { return node.attributes.ints("perm"); }

  bool is_matrix_stack(ValueId id) const {
    const StaticType& type = r_.types[id];
    return type.known() && type.rank() == 4 && type.dtype == DType::float32;
  }

  bool make(size_t root, const Node& product, bool turned) {
    Form form;
    form.rows_first[Form::kResult] = turned;
    const Node* softmax = softmax_of(product.inputs[0], form);
    if (!softmax || !is_matrix_stack(softmax->inputs[0]) || !is_over_rows(*softmax)) return false;
    ValueId mask = kNoValue;
    const Node* scores = scores_of(softmax->inputs[0], mask, form);
    if (!scores) return false;
    const ValueId q = without_factor(rows_of(without_factor(scores->inputs[0], form), form, Form::kQuery), form);
    ValueId k = keys_of(scores->inputs[1], form), v = rows_of(product.inputs[1], form, Form::kValue);
    for (ValueId id : {q, k, v}) {
      if (id == kNoValue || !is_matrix_stack(id)) return false;
    }
    if (!form.rows_first[Form::kKey] && !form.rows_first[Form::kValue]) share_heads(k, v, form);
    Node node = make_node("Attention", 1, {q, k, v}, r_.node(root).outputs);
    node.domain = "sardonyx";
    if (mask != kNoValue) node.inputs.push_back(mask);
    node.op = make_scaled_attention(form);
    return r_.replace(root, std::move(node));
  }

  // The Softmax behind the weights of the values: alone, or as Where(IsNaN(s), 0, s).
  const Node* softmax_of(ValueId weights, Form& form) {
    if (const Node* softmax = r_.only_producer(weights, "Softmax")) return softmax;
    const Node* where = r_.only_producer(weights, "Where");
    if (!where || r_.scalar(where->inputs[1]) != 0.0 || r_.uses(where->inputs[2]) != 2) return nullptr;
    const Node* nan = r_.only_producer(where->inputs[0], "IsNaN");
    if (!nan || nan->inputs[0] != where->inputs[2]) return nullptr;
    form.zeros = true;
    return r_.producer(where->inputs[2], "Softmax");
  }

  static bool is_over_rows(const Node& softmax) {
    const int64_t axis = softmax.attributes.integer("axis", softmax.opset < 13 ? 1 : -1);
    return axis == -1 || axis == 3;
  }

  // The first product, and the mask that is added to it.
  const Node* scores_of(ValueId id, ValueId& mask, Form& form) {
    if (const Node* product = r_.only_producer(without_factor(id, form), "MatMul")) return product;
    const Node* add = r_.only_producer(id, "Add");
    if (!add || add->opset < 7) return nullptr;
    for (size_t i = 0; i < 2; i++) {
      const StaticType& type = r_.types[add->inputs[1 - i]];
      if (!type.known() || type.rank() > 4 || type.dtype != DType::float32) continue;
      form.scale = 1;
      if (const Node* product = r_.only_producer(without_factor(add->inputs[i], form), "MatMul")) {
        mask = add->inputs[1 - i];
        return product;
      }
    }
    return nullptr;
  }

  // What is multiplied by constant numbers, which go into the scale.
  ValueId without_factor(ValueId id, Form& form) {
    while (id != kNoValue && r_.uses(id) == 1 && r_.producer(id) >= 0) {
      const Node& node = r_.node(static_cast<size_t>(r_.producer(id)));
      const auto m = node.outputs[0] == id ? read_factor(r_, node) : std::nullopt;
      if (!m) break;
      form.scale *= m->factor;
      id = node.inputs[m->input];
    }
    return id;
  }

  ValueId rows_of(ValueId id, Form& form, Form::Tensor which) {
    const Node* turn = r_.producer(id, "Transpose");
    if (!turn || perm_of(*turn) != kHeadsAndRows) return id;
    form.rows_first[which] = true;
    return turn->inputs[0];
  }

  // The keys, which the product has as columns.
  ValueId keys_of(ValueId columns, Form& form) {
    const Node* turn = r_.producer(without_factor(columns, form), "Transpose");
    if (!turn) return kNoValue;
    const Perm perm = perm_of(*turn);
    form.rows_first[Form::kKey] = perm == kRowsToColumns;
    if (perm != kColumns && perm != kRowsToColumns) return kNoValue;
    const ValueId keys = without_factor(turn->inputs[0], form);
    return perm == kColumns ? rows_of(keys, form, Form::kKey) : keys;
  }

  void share_heads(ValueId& k, ValueId& v, Form& form) {
    int64_t group = 1, other = 1;
    const ValueId keys = without_repeats(k, group), values = without_repeats(v, other);
    if (group == 1 || group != other) return;
    k = keys, v = values;
    form.group = group;
  }

  // x of Reshape(Expand(Unsqueeze(x, 2))), which is each of its heads `group` times; else `id`.
  ValueId without_repeats(ValueId id, int64_t& group) {
    const Node* joined = r_.producer(id, "Reshape");
    const Node* repeated = joined ? r_.producer(joined->inputs[0], "Expand") : nullptr;
    if (!repeated) return id;
    const Node* apart = r_.producer(repeated->inputs[0], "Unsqueeze");
    if (!apart) apart = r_.producer(repeated->inputs[0], "Reshape");
    if (!apart) return id;
    const StaticType &x = r_.types[apart->inputs[0]], &one = r_.types[repeated->inputs[0]],
                     &many = r_.types[joined->inputs[0]], &y = r_.types[id];
    if (!x.known() || x.rank() != 4 || !many.known() || many.rank() != 5 || !one.known() || many.dim(2) < 1) return id;
    const int64_t n = many.dim(2);
    const auto fits = [n](const Shape& s, const Shape& single, const Shape& repeats, const Shape& all) {
      return single == Shape{s[0], s[1], 1, s[2], s[3]} && repeats == Shape{s[0], s[1], n, s[2], s[3]} &&
             all == Shape{s[0], s[1] * n, s[2], s[3]};
    };
    if (!fits(x.first, one.first, many.first, y.first) || !fits(x.second, one.second, many.second, y.second)) return id;
    group = n;
    return apart->inputs[0];
  }

  Rewriter& r_;
};

}  // namespace

void recognize_attention(Graph& graph, const StaticTypes& types) {
  Rewriter r(graph, types);
  Attentions attentions(r);
  for (size_t n = r.size(); n-- > 0;) attentions.visit(n);  // with the Transpose first
}

}  // namespace sardonyx
