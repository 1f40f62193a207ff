// Unique: the different elements, or slices along an axis.
#include <algorithm>

#include "ops/selection.h"
#include "ops/util/elements.h"
#include "ops/util/order.h"

namespace sardonyx {
namespace {

// The tensor as n items of outer x inner elements each.
struct Items {
  int64_t outer, n, inner;
  int64_t at(int64_t item, int64_t o) const noexcept { return (o * n + item) * inner; }
};

// ONNX Unique. NaNs count as equal to each other.
class Unique final : public Operator {
 public:
  explicit Unique(const Attributes& a)
      : flat_(!a.has("axis")), axis_(a.integer("axis", 0)), sorted_(a.flag("sorted", true)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kOrdered);
    if (!flat_) normalize_axis(axis_, c.rank(0));
    for (int i = 0; i < c.output_count(); i++) c.set_output_deferred(i);
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const int axis = flat_ ? 0 : normalize_axis(axis_, x.rank());
    const Items items = flat_ ? Items{1, x.count(), 1}
                              : Items{x.shape().count(0, axis), x.dim(axis), x.shape().count(axis + 1, x.rank())};
    std::vector<int64_t> first, inverse(static_cast<size_t>(items.n)), counts;
    group(order_keys(x), items, first, inverse, counts);
    if (c.has_output(0)) {
      Shape shape = flat_ ? Shape{0} : x.shape();
      shape[axis] = static_cast<int64_t>(first.size());
      Tensor& y = c.allocate(0, x.dtype(), shape);
      const RunCopier copy(x.dtype());
      const Items to{items.outer, shape[axis], items.inner};
      for (int64_t o = 0; o < items.outer; o++) {
        for (size_t g = 0; g < first.size(); g++) {
          copy(y.bytes(), to.at(static_cast<int64_t>(g), o), x.bytes(), items.at(first[g], o), items.inner);
        }
      }
    }
    if (c.has_output(1)) c.set(1, Tensor::of(first));
    if (c.has_output(2)) c.set(2, Tensor::of(inverse));
    if (c.has_output(3)) c.set(3, Tensor::of(counts));
  }

 private:
  void group(const std::vector<int64_t>& keys, const Items& items, std::vector<int64_t>& first,
             std::vector<int64_t>& inverse, std::vector<int64_t>& counts) const {
    // Below, equal or above 0, as item a is before, equal to or after item b.
    const auto compare = [&](int64_t a, int64_t b) {
      for (int64_t o = 0; o < items.outer; o++) {
        const int64_t *ka = keys.data() + items.at(a, o), *kb = keys.data() + items.at(b, o);
        for (int64_t i = 0; i < items.inner; i++) {
          if (ka[i] != kb[i]) return ka[i] < kb[i] ? -1 : 1;
        }
      }
      return 0;
    };
    std::vector<int64_t> order(static_cast<size_t>(items.n));
    for (size_t i = 0; i < order.size(); i++) order[i] = static_cast<int64_t>(i);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const int by_key = compare(a, b);
      return by_key < 0 || (by_key == 0 && a < b);
    });
    for (size_t i = 0; i < order.size(); i++) {
      if (i == 0 || compare(order[i - 1], order[i]) != 0) {
        first.push_back(order[i]);
        counts.push_back(0);
      }
      counts.back()++;
      inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(first.size()) - 1;
    }
    if (!sorted_) by_occurrence(first, inverse, counts);
  }

  static void by_occurrence(std::vector<int64_t>& first, std::vector<int64_t>& inverse, std::vector<int64_t>& counts) {
    std::vector<size_t> order(first.size());
    for (size_t i = 0; i < order.size(); i++) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return first[a] < first[b]; });
    std::vector<int64_t> place(order.size()), new_first, new_counts;
    for (size_t i = 0; i < order.size(); i++) {
      place[order[i]] = static_cast<int64_t>(i);
      new_first.push_back(first[order[i]]);
      new_counts.push_back(counts[order[i]]);
    }
    for (int64_t& g : inverse) g = place[static_cast<size_t>(g)];
    first = std::move(new_first);
    counts = std::move(new_counts);
  }

  bool flat_;
  int64_t axis_;
  bool sorted_;
};

}  // namespace

std::unique_ptr<Operator> make_unique_operator(const Attributes& a) { return std::make_unique<Unique>(a); }

}  // namespace sardonyx
