// ArgMax and ArgMin.
#include "kernels/reduce/reduce.h"
#include "ops/families.h"
#include "ops/util/convert.h"
#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

// The positions along one axis; NaN counts as the largest and as the smallest value, as in numpy.
class ArgExtreme final : public Operator {
 public:
  ArgExtreme(const Attributes& a, bool max)
      : max_(max),
        last_(a.opset >= 12 && a.flag("select_last_index", false)),
        keep_(a.flag("keepdims", true)),
        axis_(a.integer("axis", 0)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kNumeric);
    c.require_rank(0, 1);
    Shape y = c.shape(0);
    const int axis = normalize_axis(axis_, y.rank());
    const int64_t length = y[axis];
    y[axis] = 1;
    check(length > 0 || y.count() == 0, ErrorCode::invalid_input, "there is no extreme along axis ", axis,
          ", which is empty");
    if (!keep_) y.erase(axis);
    c.set_output(0, DType::int64, y);
  }
  void run(RunContext& c) const override {
    const Tensor& given = c.input(0);
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const int axis = normalize_axis(axis_, given.rank());
    const int64_t outer = given.shape().count(0, axis), length = given.dim(axis);
    const int64_t inner = given.shape().count(axis + 1, given.rank());
    const Tensor x = is_half(given.dtype())                                            ? to_float32(given)
                     : given.dtype() == DType::int16 || given.dtype() == DType::uint16 ? convert(given, DType::int32)
                                                                                       : given;
    dispatch<float, double, int32_t, int64_t, uint32_t, uint64_t, int8_t, uint8_t>(x.dtype(), [&]<class T>(TypeTag<T>) {
      const int64_t grain = std::max<int64_t>(1, 32768 / (length * inner));
      c.pool().parallel_for(outer, grain, [&](int64_t from, int64_t to) {
        kernels::arg_reduce(max_, last_, x.data<T>() + from * length * inner, y.data<int64_t>() + from * inner,
                            static_cast<size_t>(to - from), static_cast<size_t>(length), static_cast<size_t>(inner));
      });
    });
  }

 private:
  bool max_, last_, keep_;
  int64_t axis_;
};

template <bool kMax>
std::unique_ptr<Operator> make(const Attributes& a) {
  return std::make_unique<ArgExtreme>(a, kMax);
}

constexpr OpEntry kOps[] = {{"ArgMax", 1, make<true>}, {"ArgMin", 1, make<false>}};

}  // namespace

std::span<const OpEntry> arg_ops() { return kOps; }

}  // namespace sardonyx
