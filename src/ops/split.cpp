// Split: cuts a tensor along one axis.
#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/parts.h"

namespace sardonyx {
namespace {

// ONNX Split: the sizes are an attribute (before 13) or input 1; without them the parts are even, since 18 the last may
// be smaller.
class Split final : public Operator {
 public:
  explicit Split(const Attributes& a) : since_(a.since), parts_(a.outputs), axis_(a.integer("axis", 0)) {
    check(parts_ > 0, ErrorCode::invalid_model, "has no outputs");
    if (since_ < 13 && a.has("split")) {
      sizes_ = a.ints("split");
      by_attribute_ = true;
    }
    if (since_ >= 18 && a.has("num_outputs")) {
      const int64_t n = a.integer("num_outputs");
      check(n == parts_, ErrorCode::invalid_model, "num_outputs is ", n, ", the node has ", parts_, " outputs");
    }
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, since_ == 2 ? 1 : 2);
    c.require_dtype(0, kAll);
    const Shape& x = c.shape(0);
    const int axis = normalize_axis(axis_, x.rank());
    std::vector<int64_t> sizes;
    if (by_attribute_) {
      sizes = sizes_;
    } else if (c.has_input(1)) {
      KnownInts given = known_ints(c, 1);
      if (!given.known) return c.defer();
      sizes = std::move(given.values);
    } else {
      sizes = even(x[axis], axis);
    }
    check(sizes.size() == static_cast<size_t>(parts_), ErrorCode::invalid_model, "there are ", sizes.size(),
          " sizes for ", parts_, " outputs");
    require_sizes(sizes, x[axis], axis);
    Shape y = x;
    for (int i = 0; i < parts_; i++) {
      y[axis] = sizes[static_cast<size_t>(i)];
      c.set_output(i, c.dtype(0), y);
    }
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const int axis = normalize_axis(axis_, x.rank());
    const std::vector<int64_t> sizes = by_attribute_    ? sizes_
                                       : c.has_input(1) ? c.input(1).to_int64()
                                                        : even(x.dim(axis), axis);
    int64_t from = 0;
    for (int i = 0; i < parts_; i++) {
      const int64_t size = sizes[static_cast<size_t>(i)];
      if (c.has_output(i)) cut(c.pool(), x, axis, from, size, c.output(i));
      from += size;
    }
  }

 private:
  std::vector<int64_t> even(int64_t dim, int axis) const {
    const int64_t chunk = (dim + parts_ - 1) / parts_, last = dim - chunk * (parts_ - 1);
    check(last >= 0 && (since_ >= 18 || last == chunk), ErrorCode::invalid_model, "dimension ", axis, " of ", dim,
          " cannot be split into ", parts_, since_ >= 18 ? " parts" : " equal parts");
    std::vector<int64_t> sizes(static_cast<size_t>(parts_), chunk);
    sizes.back() = last;
    return sizes;
  }

  int since_, parts_;
  int64_t axis_;
  bool by_attribute_ = false;
  std::vector<int64_t> sizes_;
};

constexpr OpEntry kOps[] = {
    {"Split", 1, make_operator<Split>},
    {"Split", 2, make_operator<Split>},
    {"Split", 13, make_operator<Split>},
    {"Split", 18, make_operator<Split>},
};

}  // namespace

std::span<const OpEntry> split_ops() { return kOps; }

}  // namespace sardonyx
