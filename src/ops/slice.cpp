// Slice: ranges with steps along any axes.
#include <algorithm>
#include <cstdint>

#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

// The range of one axis, resolved.
struct Range {
  int64_t start, step, count;
};

// numpy's rules: out-of-range bounds are clamped, negative ones count from the end.
Range resolve(int64_t dim, int64_t start, int64_t end, int64_t step) {
  const int64_t most = dim + (dim < INT64_MAX);  // beside a dimension of 0, one may be as large as it likes
  step = std::clamp(step, -most, most);
  start += start < 0 ? dim : 0;
  end += end < 0 ? dim : 0;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, dim);
    end = std::clamp<int64_t>(end, 0, dim);
    return {start, step, end > start ? (end - start - 1) / step + 1 : 0};
  }
  start = std::clamp<int64_t>(start, -1, dim - 1);
  end = std::clamp<int64_t>(end, -1, dim - 1);
  return {start, step, start > end ? (start - end - 1) / -step + 1 : 0};
}

using Ints = std::span<const int64_t>;

// The ranges of all axes. Empty axes: the first ones; empty steps: 1.
std::vector<Range> resolve_all(const Shape& x, Ints starts, Ints ends, Ints axes, bool axes_given, Ints steps,
                               bool steps_given) {
  const size_t n = starts.size();
  check(ends.size() == n, ErrorCode::invalid_model, "there are ", n, " starts and ", ends.size(), " ends");
  check(!axes_given || axes.size() == n, ErrorCode::invalid_model, "there are ", n, " starts and ", axes.size(),
        " axes");
  check(!steps_given || steps.size() == n, ErrorCode::invalid_model, "there are ", n, " starts and ", steps.size(),
        " steps");
  check(n <= static_cast<size_t>(x.rank()), ErrorCode::invalid_model, "there are ", n, " starts for rank ", x.rank());
  if (axes_given) axis_bits(axes, x.rank());
  std::vector<Range> ranges;
  ranges.reserve(static_cast<size_t>(x.rank()));
  for (int64_t d : x.dims()) ranges.push_back({0, 1, d});
  for (size_t i = 0; i < n; i++) {
    const int axis = axes_given ? normalize_axis(axes[i], x.rank()) : static_cast<int>(i);
    const int64_t step = steps_given ? steps[i] : 1;
    check(step != 0, ErrorCode::invalid_model, "the step of axis ", axis, " is 0");
    ranges[static_cast<size_t>(axis)] = resolve(x[axis], starts[i], ends[i], step);
  }
  return ranges;
}

// ONNX Slice: starts, ends, axes as attributes (version 1) or, with steps, as inputs.
class Slice final : public Operator {
 public:
  explicit Slice(const Attributes& a) : by_attribute_(a.since < 10) {
    if (!by_attribute_) return;
    axes_given_ = a.has("axes");
    starts_ = a.ints("starts");
    ends_ = a.ints("ends");
    axes_ = a.ints("axes");
    check(a.has("starts") && a.has("ends"), ErrorCode::invalid_model, "attributes \"starts\" and \"ends\" are needed");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(by_attribute_ ? 1 : 3, by_attribute_ ? 1 : 5);
    c.require_dtype(0, kAll);
    const Shape& x = c.shape(0);
    if (by_attribute_) return state(c, resolve_all(x, starts_, ends_, axes_, axes_given_, {}, false));
    KnownInts lists[4];
    for (int i = 1; i <= 4; i++) {
      if (i > 2 && !c.has_input(i)) continue;
      lists[i - 1] = known_ints(c, i);
      if (!lists[i - 1].known) return c.defer();
    }
    state(c, resolve_all(x, lists[0].values, lists[1].values, lists[2].values, c.has_input(3), lists[3].values,
                         c.has_input(4)));
  }

  void run(RunContext& c) const override {
    const Tensor& whole = c.input(0);
    const std::vector<Range> ranges = resolve_for_run(c, whole.shape());
    if (c.output(0).count() == 0) return;
    const Tensor x = unpacked(whole);
    Tensor y = unpacked_like(c.output(0));
    const auto xs = x.shape().strides(), ys = y.shape().strides();
    StridedBox box;
    int64_t first = 0;
    for (size_t i = 0; i < ranges.size(); i++) {
      first += ranges[i].start * xs[i];
      box.add(ranges[i].count, ranges[i].step * xs[i], ys[i]);
    }
    box.copy(x.dtype(), x.bytes(), first, y.bytes(), 0);
    pack(y, c.output(0));
  }

 private:
  static void state(InferContext& c, const std::vector<Range>& ranges) {
    Shape y;
    for (const Range& r : ranges) y.push_back(r.count);
    c.set_output(0, c.dtype(0), y);
  }
  std::vector<Range> resolve_for_run(RunContext& c, const Shape& x) const {
    if (by_attribute_) return resolve_all(x, starts_, ends_, axes_, axes_given_, {}, false);
    std::vector<int64_t> lists[4];
    for (int i = 1; i <= 4; i++) {
      if (c.has_input(i)) lists[i - 1] = c.input(i).to_int64();
    }
    return resolve_all(x, lists[0], lists[1], lists[2], c.has_input(3), lists[3], c.has_input(4));
  }

  bool by_attribute_, axes_given_ = false;
  std::vector<int64_t> starts_, ends_, axes_;
};

constexpr OpEntry kOps[] = {{"Slice", 1, make_operator<Slice>}, {"Slice", 10, make_operator<Slice>}};

}  // namespace

std::span<const OpEntry> slice_ops() { return kOps; }

}  // namespace sardonyx
