// MaxUnpool: puts the maxima of a MaxPool back where they came from.
#include "ops/families.h"
#include "ops/util/conv_geometry.h"
#include "ops/util/elements.h"

namespace sardonyx {
namespace {

class MaxUnpool final : public Operator {
 public:
  explicit MaxUnpool(const Attributes& a) : window_(a) {
    check(!window_.kernel_shape().empty(), ErrorCode::invalid_model, "kernel_shape is missing");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(2, 3);
    c.require_dtype(0, kFloat | kInt);
    c.require_dtype(1, {DType::int64});
    c.require_rank(0, 3);
    check(c.shape(0) == c.shape(1), ErrorCode::invalid_input, "X has shape ", c.shape(0), ", I ", c.shape(1));
    if (!c.has_input(2)) return c.set_output(0, c.dtype(0), natural_shape(c.shape(0)));
    c.require_dtype(2, {DType::int64});
    const Tensor* given = c.value(2);
    if (!given) return c.defer();
    const Shape y(given->values<int64_t>());
    const Shape& x = c.shape(0);
    check(y.rank() == x.rank() && y[0] == x[0] && y[1] == x[1], ErrorCode::invalid_input, "output_shape ", y,
          " for an input ", x);
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &indices = c.input(1);
    Tensor& y = c.output(0);
    // The positions are those of the tensor that was pooled; with an output_shape of its own, of one that is smaller.
    const Shape natural = natural_shape(x.shape());
    const int64_t count = natural.count();
    const RunCopier copy(x.dtype());
    std::fill_n(y.bytes(), y.byte_size(), std::byte{0});
    for (int64_t i = 0; i < x.count(); i++) {
      int64_t at = indices.data<int64_t>()[i];
      check(at >= 0 && at < count, ErrorCode::runtime_error, "the position ", at, " is not in [0, ", count, ")");
      if (!(natural == y.shape())) at = moved(natural, y.shape(), at);
      if (at >= 0) copy(y.bytes(), at, x.bytes(), i, 1);
    }
  }

 private:
  Shape natural_shape(const Shape& x) const {
    return window_output_shape(x[0], x[1], window_.transposed(x, window_.kernel_shape(), {}, {}));
  }

  // The same coordinates in another shape; -1 where they lie outside.
  static int64_t moved(const Shape& from, const Shape& to, int64_t at) noexcept {
    int64_t result = 0, step = 1;
    for (int d = from.rank() - 1; d >= 0; d--) {
      const int64_t p = at % from[d];
      if (p >= to[d]) return -1;
      result += p * step;
      step *= to[d];
      at /= from[d];
    }
    return result;
  }

  WindowAttributes window_;
};

constexpr OpEntry kOps[] = {{"MaxUnpool", 9, make_operator<MaxUnpool>},
                            {"MaxUnpool", 11, make_operator<MaxUnpool>},
                            {"MaxUnpool", 22, make_operator<MaxUnpool>}};

}  // namespace

std::span<const OpEntry> unpool_ops() { return kOps; }

}  // namespace sardonyx
