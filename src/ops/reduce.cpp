// Reductions over sets of axes.
#include "kernels/reduce/reduce.h"

#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/dispatch.h"
#include "ops/util/elements.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

using kernels::ReduceKind;

// [outer][axis][inner] of a tensor whose reduced axes lie together.
struct Layout {
  int64_t outer = 1, axis = 1, inner = 1;
  bool contiguous = true;  // else the reduced axes must be moved to the end first
};

Layout layout_of(const Shape& shape, uint32_t axes) {
  Layout l;
  int changes = 0;  // outer -> axis -> inner
  for (int i = 0; i < shape.rank(); i++) {
    const bool reduced = axes >> i & 1;
    if (shape[i] == 1) continue;
    if (reduced && changes == 0) changes = 1;
    if (!reduced && changes == 1) changes = 2;
    if (reduced && changes == 2) l.contiguous = false;
    (reduced ? l.axis : changes == 0 ? l.outer : l.inner) *= shape[i];
  }
  if (l.axis == 1) l = {1, 1, l.outer * l.inner, l.contiguous};
  return l;
}

// The tensor with the axes of the mask moved to the end.
Tensor reduced_axes_last(const Tensor& x, uint32_t axes) {
  const int rank = x.rank();
  std::vector<int64_t> perm;
  for (int reduced = 0; reduced <= 1; reduced++) {
    for (int i = 0; i < rank; i++) {
      if (static_cast<int>(axes >> i & 1) == reduced) perm.push_back(i);
    }
  }
  Tensor y = Tensor::allocate(x.dtype(), x.shape());
  permute(x, perm, y);
  return y;
}

template <class T>
void reduce_tensor(ThreadPool& pool, ReduceKind kind, const T* x, T* y, const Layout& l) {
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, l.axis * l.inner));
  pool.parallel_for(l.outer, grain, [&](int64_t from, int64_t to) {
    const auto outer = static_cast<size_t>(to - from);
    const T* in = x + from * l.axis * l.inner;
    T* out = y + from * l.inner;
    const auto axis = static_cast<size_t>(l.axis), inner = static_cast<size_t>(l.inner);
    if constexpr (std::is_same_v<T, float>) {
      kernels::reduce_f32(kind, in, out, outer, axis, inner);
    } else {
      kernels::reduce(kind, in, out, outer, axis, inner);
    }
  });
}

class Reduce final : public Operator {
 public:
  Reduce(const Attributes& a, ReduceKind kind, bool axes_input)
      : kind_(kind), axes_input_(axes_input), keep_(a.flag("keepdims", true)) {
    if (axes_input) {
      no_axes_no_reduction_ = a.flag("noop_with_empty_axes", false);
    } else {
      axes_ = a.ints("axes");
    }
  }
  void infer(InferContext& c) const override;
  void run(RunContext& c) const override;

 private:
  uint32_t mask(std::span<const int64_t> axes, int rank) const {
    if (axes.empty()) return no_axes_no_reduction_ ? 0 : (1u << rank) - 1;
    return axis_bits(axes, rank);
  }

  ReduceKind kind_;
  bool axes_input_, keep_, no_axes_no_reduction_ = false;
  std::vector<int64_t> axes_;
};

void Reduce::infer(InferContext& c) const {
  c.require_inputs(1, axes_input_ ? 2 : 1);
  const bool extreme = kind_ == ReduceKind::kMax || kind_ == ReduceKind::kMin;
  constexpr DTypeSet kSums = kNumeric - DTypeSet{DType::int16, DType::uint16};  // int8 and uint8 beyond the standard
  c.require_dtype(0, extreme ? kSums | kBool : kSums);
  std::vector<int64_t> axes = axes_;
  if (c.has_input(1)) {
    c.require_dtype(1, kIndex);
    c.require_rank(1, 0, 1);
    const Tensor* given = c.value(1);
    if (!given) return c.defer();
    axes = given->to_int64();
  }
  const Shape& x = c.shape(0);
  const uint32_t reduced = mask(axes, x.rank());
  Shape y;
  for (int i = 0; i < x.rank(); i++) {
    if (!(reduced >> i & 1)) {
      y.push_back(x[i]);
    } else if (keep_) {
      y.push_back(1);
    }
  }
  c.set_output(0, c.dtype(0), y);
}

void Reduce::run(RunContext& c) const {
  Tensor x = c.input(0);
  Tensor& y = c.output(0);
  const DType type = x.dtype();
  const uint32_t reduced = mask(c.has_input(1) ? c.input(1).to_int64() : axes_, x.rank());
  if (y.count() == 0) return;
  Layout l = layout_of(x.shape(), reduced);
  if (!l.contiguous && x.count() > 0) {
    x = reduced_axes_last(x, reduced);
    l.outer = y.count();
    l.inner = 1;
  }
  if (type == DType::float32) return reduce_tensor(c.pool(), kind_, x.data<float>(), y.data<float>(), l);
  if (is_half(type)) {
    const Tensor wide = to_float32(x);
    Tensor result = Tensor::allocate(DType::float32, y.shape());
    reduce_tensor(c.pool(), kind_, wide.data<float>(), result.data<float>(), l);
    return store_floats(type, result.data<float>(), y.bytes(), 0, y.count());
  }
  if (type == DType::boolean) {
    reduce_tensor(c.pool(), kind_, x.data<uint8_t>(), y.data<uint8_t>(), l);
    for (int64_t i = 0; i < y.count(); i++) y.data<uint8_t>()[i] = y.data<uint8_t>()[i] != 0;
    return;
  }
  dispatch<double, int32_t, int64_t, uint32_t, uint64_t, int8_t, uint8_t>(
      type, [&]<class T>(TypeTag<T>) { reduce_tensor(c.pool(), kind_, x.data<T>(), y.data<T>(), l); });
}

template <ReduceKind kKind, bool kAxesInput>
std::unique_ptr<Operator> make(const Attributes& a) {
  return std::make_unique<Reduce>(a, kKind, kAxesInput);
}

constexpr OpEntry kOps[] = {
    {"ReduceSum", 1, make<ReduceKind::kSum, false>},
    {"ReduceSum", 13, make<ReduceKind::kSum, true>},
    {"ReduceMean", 1, make<ReduceKind::kMean, false>},
    {"ReduceMean", 18, make<ReduceKind::kMean, true>},
    {"ReduceMax", 1, make<ReduceKind::kMax, false>},
    {"ReduceMax", 18, make<ReduceKind::kMax, true>},
    {"ReduceMin", 1, make<ReduceKind::kMin, false>},
    {"ReduceMin", 18, make<ReduceKind::kMin, true>},
    {"ReduceProd", 1, make<ReduceKind::kProd, false>},
    {"ReduceProd", 18, make<ReduceKind::kProd, true>},
    {"ReduceL1", 1, make<ReduceKind::kL1, false>},
    {"ReduceL1", 18, make<ReduceKind::kL1, true>},
    {"ReduceL2", 1, make<ReduceKind::kL2, false>},
    {"ReduceL2", 18, make<ReduceKind::kL2, true>},
    {"ReduceLogSum", 1, make<ReduceKind::kLogSum, false>},
    {"ReduceLogSum", 18, make<ReduceKind::kLogSum, true>},
    {"ReduceLogSumExp", 1, make<ReduceKind::kLogSumExp, false>},
    {"ReduceLogSumExp", 18, make<ReduceKind::kLogSumExp, true>},
    {"ReduceSumSquare", 1, make<ReduceKind::kSumSquare, false>},
    {"ReduceSumSquare", 18, make<ReduceKind::kSumSquare, true>},
};

}  // namespace

std::span<const OpEntry> reduce_ops() { return kOps; }

}  // namespace sardonyx
