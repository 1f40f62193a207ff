// CumSum and CumProd.
#include "ops/families.h"
#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

struct Direction {
  bool exclusive, reverse;
};

// T is unsigned for integers, so they wrap.
template <class T, bool kProduct>
void accumulate_row(const T* x, T* y, int64_t n, Direction d) noexcept {
  T total{kProduct};
  const int64_t step = d.reverse ? -1 : 1;
  int64_t at = d.reverse ? n - 1 : 0;
  for (int64_t k = 0; k < n; k++, at += step) {
    const T before = total;
    if constexpr (kProduct) {
      total *= x[at];
    } else {
      total += x[at];
    }
    y[at] = d.exclusive ? before : total;
  }
}

// One [axis][inner] slice; each step combines whole runs of `inner`.
template <class T, bool kProduct>
void accumulate(const T* x, T* y, int64_t axis, int64_t inner, Direction d) noexcept {
  if (inner == 1) return accumulate_row<T, kProduct>(x, y, axis, d);
  const int64_t step = d.reverse ? -inner : inner;
  const T* in = x + (d.reverse ? (axis - 1) * inner : 0);
  T* out = y + (d.reverse ? (axis - 1) * inner : 0);
  for (int64_t i = 0; i < inner; i++) out[i] = d.exclusive ? T{kProduct} : in[i];
  for (int64_t k = 1; k < axis; k++) {
    const T* next = d.exclusive ? in : in + step;
    for (int64_t i = 0; i < inner; i++) {
      if constexpr (kProduct) {
        out[step + i] = out[i] * next[i];
      } else {
        out[step + i] = out[i] + next[i];
      }
    }
    in += step;
    out += step;
  }
}

template <bool kProduct>
class Cumulative final : public Operator {
 public:
  explicit Cumulative(const Attributes& a) : direction_{a.flag("exclusive", false), a.flag("reverse", false)} {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kFloat | DTypeSet{DType::int32, DType::int64, DType::uint32, DType::uint64});
    c.require_dtype(1, kIndex);
    c.require_rank(0, 1);
    check(c.shape(1).count() == 1, ErrorCode::invalid_model, "axis must be a scalar, not of shape ", c.shape(1));
    if (const Tensor* axis = c.value(1)) normalize_axis(axis->to_int64()[0], c.rank(0));
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    const int axis = normalize_axis(c.input(1).to_int64()[0], x.rank());
    if (x.count() == 0) return;
    if (x.dtype() == DType::float32) return run_as<float>(c.pool(), x, y, axis);
    if (x.dtype() == DType::float64) return run_as<double>(c.pool(), x, y, axis);
    if (!is_half(x.dtype())) {
      return element_bytes(x.dtype()) == 4 ? run_as<uint32_t>(c.pool(), x, y, axis)
                                           : run_as<uint64_t>(c.pool(), x, y, axis);
    }
    Tensor result = Tensor::allocate(DType::float32, y.shape());
    run_as<float>(c.pool(), to_float32(x), result, axis);
    store_floats(y.dtype(), result.data<float>(), y.bytes(), 0, y.count());
  }

 private:
  template <class T>
  void run_as(ThreadPool& pool, const Tensor& x, Tensor& y, int axis) const {
    const int64_t length = x.dim(axis), inner = x.shape().count(axis + 1, x.rank()), size = length * inner;
    pool.parallel_for(x.shape().count(0, axis), std::max<int64_t>(1, 16384 / size), [&](int64_t from, int64_t to) {
      for (; from < to; from++) {
        accumulate<T, kProduct>(x.data<T>() + from * size, y.data<T>() + from * size, length, inner, direction_);
      }
    });
  }
  Direction direction_;
};

constexpr OpEntry kOps[] = {
    {"CumSum", 11, make_operator<Cumulative<false>>},
    {"CumProd", 26, make_operator<Cumulative<true>>},
};

}  // namespace

std::span<const OpEntry> cumulative_ops() { return kOps; }

}  // namespace sardonyx
