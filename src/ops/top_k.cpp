// TopK: the largest or smallest elements along an axis.
#include <algorithm>

#include "ops/selection.h"
#include "ops/util/elements.h"
#include "ops/util/order.h"

namespace sardonyx {
namespace {

// ONNX TopK: k is an attribute (version 1) or input 1. Equal elements: the lower index first. NaN is the largest.
class TopK final : public Operator {
 public:
  explicit TopK(const Attributes& a) : by_attribute_(a.since < 10), axis_(a.integer("axis", -1)) {
    if (by_attribute_) k_ = a.integer("k");
    if (a.since >= 11) {
      largest_ = a.flag("largest", true);
      a.ignore("sorted");  // sorted is one of the orders that "not sorted" allows
    }
  }

  void infer(InferContext& c) const override {
    c.require_inputs(by_attribute_ ? 1 : 2, by_attribute_ ? 1 : 2);
    c.require_dtype(0, kNumeric);
    Shape y = c.shape(0);
    const int axis = normalize_axis(axis_, y.rank());
    int64_t k = k_;
    if (!by_attribute_) {
      c.require_dtype(1, {DType::int64});
      check(c.shape(1).count() == 1, ErrorCode::invalid_model, "k must be one number, not ", c.shape(1));
      const Tensor* given = c.value(1);
      if (!given) return c.defer();
      k = *given->data<int64_t>();
    }
    check(k >= 0 && k <= y[axis], ErrorCode::invalid_model, "k is ", k, ", dimension ", axis, " is ", y[axis]);
    y[axis] = k;
    c.set_output(0, c.dtype(0), y);
    c.set_output(1, DType::int64, y);
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const int axis = normalize_axis(axis_, x.rank());
    const int64_t n = x.dim(axis), inner = x.shape().count(axis + 1, x.rank()), outer = x.shape().count(0, axis);
    const int64_t k = by_attribute_ ? k_ : *c.input(1).data<int64_t>();
    if (k == 0 || outer * inner == 0) return;
    std::vector<int64_t> keys = order_keys(x);
    if (largest_) {
      for (int64_t& key : keys) key = ~key;
    }
    std::vector<int64_t> order(static_cast<size_t>(n));
    const RunCopier copy(x.dtype());
    for (int64_t column = 0; column < outer * inner; column++) {
      const int64_t from = column / inner * n * inner + column % inner;
      const int64_t to = column / inner * k * inner + column % inner;
      select(keys.data() + from, inner, k, order);
      for (int64_t i = 0; i < k; i++) {
        const int64_t at = order[static_cast<size_t>(i)];
        if (c.has_output(0)) copy(c.output(0).bytes(), to + i * inner, x.bytes(), from + at * inner, 1);
        if (c.has_output(1)) c.output(1).data<int64_t>()[to + i * inner] = at;
      }
    }
  }

 private:
  // order[0, k) becomes the positions of the k smallest keys, in order.
  static void select(const int64_t* keys, int64_t step, int64_t k, std::vector<int64_t>& order) {
    for (size_t i = 0; i < order.size(); i++) order[i] = static_cast<int64_t>(i);
    const auto before = [keys, step](int64_t a, int64_t b) {
      const int64_t ka = keys[a * step], kb = keys[b * step];
      return ka < kb || (ka == kb && a < b);
    };
    const auto middle = order.begin() + static_cast<ptrdiff_t>(k);
    if (middle != order.end()) std::nth_element(order.begin(), middle, order.end(), before);
    std::sort(order.begin(), middle, before);
  }

  bool by_attribute_, largest_ = true;
  int64_t axis_, k_ = 0;
};

}  // namespace

std::unique_ptr<Operator> make_top_k(const Attributes& a) { return std::make_unique<TopK>(a); }

}  // namespace sardonyx
