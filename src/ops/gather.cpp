// Gather, GatherElements, GatherND: reads by index.
#include "ops/families.h"
#include "ops/util/elements.h"
#include "ops/util/indices.h"

namespace sardonyx {
namespace {

// ONNX Gather: y[o, i, n] = x[o, indices[i], n] around `axis`.
class Gather final : public Operator {
 public:
  explicit Gather(const Attributes& a) : axis_(a.integer("axis", 0)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kAll);
    c.require_dtype(1, kIndex);
    const Shape& x = c.shape(0);
    const int axis = normalize_axis(axis_, x.rank());
    Shape y;
    for (int i = 0; i < axis; i++) y.push_back(x[i]);
    for (int64_t d : c.shape(1).dims()) y.push_back(d);
    for (int i = axis + 1; i < x.rank(); i++) y.push_back(x[i]);
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor& indices = c.input(1);
    const Tensor x = unpacked(c.input(0));
    Tensor y = unpacked_like(c.output(0));
    const int axis = normalize_axis(axis_, x.rank());
    const int64_t n = indices.count(), dim = x.dim(axis);
    auto* at = c.scratch<int64_t>(n);
    normalize_indices(indices, dim, axis, at);
    if (y.count() == 0) return;
    const int64_t outer = x.shape().count(0, axis), inner = x.shape().count(axis + 1, x.rank());
    if (inner == 1) {
      with_element(x.dtype(), [&]<class T>(T) { single<T>(c.pool(), x.data<T>(), y.data<T>(), at, outer, dim, n); });
    } else {
      const RunCopier copy(x.dtype());
      const std::byte* from = x.bytes();
      std::byte* to = y.bytes();
      const auto body = [&](int64_t first, int64_t last) {
        int64_t o = first / n, i = first % n;
        for (int64_t row = first; row < last; row++) {
          copy(to, row * inner, from, (o * dim + at[i]) * inner, inner);
          if (++i == n) i = 0, o++;
        }
      };
      c.pool().parallel_for(outer * n, grain_of_bytes(inner * static_cast<int64_t>(copy.size())), body);
    }
    pack(y, c.output(0));
  }

 private:
  template <class T>
  static void single(ThreadPool& pool, const T* x, T* y, const int64_t* at, int64_t outer, int64_t dim, int64_t n) {
    pool.parallel_for(outer, grain_of_bytes(n * static_cast<int64_t>(sizeof(T))), [&](int64_t first, int64_t last) {
      for (int64_t o = first; o < last; o++) {
        for (int64_t i = 0; i < n; i++) y[o * n + i] = x[o * dim + at[i]];
      }
    });
  }
  int64_t axis_;
};

// ONNX GatherElements: y has the shape of the indices; each replaces its own coordinate at `axis`.
class GatherElements final : public Operator {
 public:
  explicit GatherElements(const Attributes& a) : axis_(a.integer("axis", 0)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kAddressable);
    c.require_dtype(1, kIndex);
    const Shape &x = c.shape(0), &y = c.shape(1);
    c.require_rank(1, x.rank(), x.rank());
    const int axis = normalize_axis(axis_, x.rank());
    for (int i = 0; i < x.rank(); i++) {
      check(i == axis || y[i] <= x[i], ErrorCode::invalid_model, "the indices' dimension ", i, " is ", y[i],
            ", the data's ", x[i]);
    }
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    const int axis = normalize_axis(axis_, x.rank());
    auto* at = c.scratch<int64_t>(y.count());
    normalize_indices(c.input(1), x.dim(axis), axis, at);
    if (y.count() == 0) return;
    with_element(x.dtype(), [&]<class T>(T) { gather<T>(c.pool(), x, y, axis, at); });
  }

 private:
  template <class T>
  static void gather(ThreadPool& pool, const Tensor& x, Tensor& y, int axis, const int64_t* at) {
    const IndexedRows rows(x.shape(), y.shape(), axis);
    const T* from = x.data<T>();
    T* to = y.data<T>();
    const auto body = [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; r++) {
        const T* row = from + rows.offset(r);
        for (int64_t j = r * rows.length; j < (r + 1) * rows.length; j++) {
          to[j] = row[at[j] * rows.axis_stride + (j - r * rows.length) * rows.step];
        }
      }
    };
    pool.parallel_for(rows.count, grain_of_bytes(rows.length * static_cast<int64_t>(sizeof(T))), body);
  }
  int64_t axis_;
};

// ONNX GatherND: each index tuple names a slice of x, after `batch_dims` common dimensions.
class GatherND final : public Operator {
 public:
  explicit GatherND(const Attributes& a) : batch_dims_(a.since >= 12 ? a.integer("batch_dims", 0) : 0) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kAddressable);
    c.require_dtype(1, kIndex);
    c.require_rank(0, 1);
    c.require_rank(1, 1);
    const Shape &x = c.shape(0), &indices = c.shape(1);
    const int last = indices.rank() - 1;
    check(batch_dims_ >= 0 && batch_dims_ <= last && batch_dims_ < x.rank(), ErrorCode::invalid_model, "batch_dims is ",
          batch_dims_, "; ranks are ", x.rank(), " and ", indices.rank());
    const int batch = static_cast<int>(batch_dims_);
    check(indices.back() >= 1 && indices.back() <= x.rank() - batch, ErrorCode::invalid_model, "index tuples of ",
          indices.back(), " for rank ", x.rank(), " with batch_dims ", batch);
    Shape y;
    for (int i = 0; i < batch; i++) {
      check(indices[i] == x[i], ErrorCode::invalid_model, "the indices' dimension ", i, " is ", indices[i],
            ", the data's ", x[i]);
    }
    for (int i = 0; i < last; i++) y.push_back(indices[i]);
    for (int i = batch + static_cast<int>(indices.back()); i < x.rank(); i++) y.push_back(x[i]);
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &indices = c.input(1);
    Tensor& y = c.output(0);
    const int batch = static_cast<int>(batch_dims_);
    const int rank = indices.rank(), used = batch + static_cast<int>(indices.shape().back());
    const int64_t tuples = indices.shape().count(0, rank - 1);
    auto* at = c.scratch<int64_t>(tuples);
    tuple_offsets(indices, x.shape(), batch, at);
    if (y.count() == 0) return;
    const int64_t inner = x.shape().count(used, x.rank());
    const int64_t batch_size = x.shape().count(batch, x.rank());
    const int64_t per_batch = indices.shape().count(batch, rank - 1);
    const RunCopier copy(x.dtype());
    const std::byte* from = x.bytes();
    std::byte* to = y.bytes();
    const auto body = [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; i++) copy(to, i * inner, from, i / per_batch * batch_size + at[i], inner);
    };
    c.pool().parallel_for(tuples, grain_of_bytes(inner * static_cast<int64_t>(copy.size())), body);
  }

 private:
  int64_t batch_dims_;
};

constexpr OpEntry kOps[] = {
    {"Gather", 1, make_operator<Gather>},
    {"GatherElements", 11, make_operator<GatherElements>},
    {"GatherND", 11, make_operator<GatherND>},
    {"GatherND", 12, make_operator<GatherND>},
};

}  // namespace

std::span<const OpEntry> gather_ops() { return kOps; }

}  // namespace sardonyx
