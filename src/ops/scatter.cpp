// Scatter, ScatterElements, ScatterND, TensorScatter: writes by index.
#include <algorithm>
#include <cmath>

#include "ops/families.h"
#include "ops/util/elements.h"
#include "ops/util/indices.h"
#include "ops/util/numbers.h"

namespace sardonyx {
namespace {

enum class Reduction : uint8_t { none, add, mul, max, min };

Reduction read_reduction(const Attributes& a) {
  if (a.since < 16) return Reduction::none;
  return static_cast<Reduction>(a.choice("reduction", {"none", "add", "mul", "max", "min"}, 0));
}

// Integers wrap; NaNs win in max and min, as in numpy.
template <class T>
T reduce(Reduction r, T a, T b) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return r == Reduction::add || r == Reduction::max ? a || b : a && b;
  } else if constexpr (std::is_integral_v<T>) {
    switch (r) {
      case Reduction::add:
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      case Reduction::mul:
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      case Reduction::max:
        return std::max(a, b);
      default:
        return std::min(a, b);
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    switch (r) {
      case Reduction::add:
        return a + b;
      case Reduction::mul:
        return a * b;
      case Reduction::max:
        return std::isnan(a) || a > b ? a : b;
      default:
        return std::isnan(a) || a < b ? a : b;
    }
  } else {
    return T(reduce(r, static_cast<float>(a), static_cast<float>(b)));
  }
}

// Types and shapes that all have in common: y is like the data, updates have its type.
void infer_common(InferContext& c, Reduction reduction) {
  c.require_inputs(3, 3);
  c.require_dtype(0, reduction == Reduction::none ? kAddressable : kNumeric | kBool);
  c.require_dtype(1, kIndex);
  c.require_same_dtype(0, 2);
  c.set_output_like(0, 0);
}

// y begins as the data, where it is not the data's own memory.
void copy_data(const Tensor& x, Tensor& y) {
  if (x.bytes() != y.bytes()) RunCopier(x.dtype())(y.bytes(), 0, x.bytes(), 0, x.count());
}

// ONNX ScatterElements (before 11: Scatter): y = data, then each update goes where its index points along `axis`.
class ScatterElements final : public Operator {
 public:
  explicit ScatterElements(const Attributes& a) : axis_(a.integer("axis", 0)), reduction_(read_reduction(a)) {}

  void infer(InferContext& c) const override {
    infer_common(c, reduction_);
    const Shape &x = c.shape(0), &indices = c.shape(1);
    c.require_rank(1, x.rank(), x.rank());
    const int axis = normalize_axis(axis_, x.rank());
    check(indices == c.shape(2), ErrorCode::invalid_model, "indices are ", indices, ", updates ", c.shape(2));
    for (int i = 0; i < x.rank(); i++) {
      check(i == axis || indices[i] <= x[i], ErrorCode::invalid_model, "the indices' dimension ", i, " is ", indices[i],
            ", the data's ", x[i]);
    }
  }

  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &indices = c.input(1), &updates = c.input(2);
    Tensor& y = c.output(0);
    const int axis = normalize_axis(axis_, x.rank());
    auto* at = c.scratch<int64_t>(indices.count());
    normalize_indices(indices, x.dim(axis), axis, at);
    copy_data(x, y);
    if (indices.count() == 0) return;
    if (reduction_ == Reduction::none) {
      with_element(x.dtype(), [&]<class T>(T) {
        scatter<T>(y, updates, axis, at, [](const T&, const T& update) { return update; });
      });
    } else {
      with_number(x.dtype(), [&]<class T>(T) {
        scatter<T>(y, updates, axis, at, [r = reduction_](T a, T b) { return reduce(r, a, b); });
      });
    }
  }
  uint32_t in_place() const override { return 1; }

 private:
  template <class T, class F>
  static void scatter(Tensor& y, const Tensor& updates, int axis, const int64_t* at, F&& combine) {
    const IndexedRows rows(y.shape(), updates.shape(), axis);
    const T* update = updates.data<T>();
    for (int64_t r = 0; r < rows.count; r++) {
      T* row = y.data<T>() + rows.offset(r);
      for (int64_t j = 0; j < rows.length; j++, at++, update++) {
        T& to = row[*at * rows.axis_stride + j * rows.step];
        to = combine(to, *update);
      }
    }
  }
  int64_t axis_;
  Reduction reduction_;
};

// ONNX ScatterND: y = data, then each slice of the updates goes where its index tuple points.
class ScatterND final : public Operator {
 public:
  explicit ScatterND(const Attributes& a) : reduction_(read_reduction(a)) {}

  void infer(InferContext& c) const override {
    infer_common(c, reduction_);
    c.require_rank(0, 1);
    c.require_rank(1, 1);
    const Shape &x = c.shape(0), &indices = c.shape(1);
    check(indices.back() <= x.rank(), ErrorCode::invalid_model, "index tuples of ", indices.back(), " for rank ",
          x.rank());
    Shape updates;
    for (int i = 0; i + 1 < indices.rank(); i++) updates.push_back(indices[i]);
    for (int i = static_cast<int>(indices.back()); i < x.rank(); i++) updates.push_back(x[i]);
    check(updates == c.shape(2), ErrorCode::invalid_model, "updates must be ", updates, ", not ", c.shape(2));
  }

  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &indices = c.input(1), &updates = c.input(2);
    Tensor& y = c.output(0);
    const int64_t tuples = indices.shape().count(0, indices.rank() - 1);
    auto* at = c.scratch<int64_t>(tuples);
    tuple_offsets(indices, x.shape(), 0, at);
    copy_data(x, y);
    if (updates.count() == 0) return;
    const int64_t inner = x.shape().count(static_cast<int>(indices.shape().back()), x.rank());
    if (reduction_ == Reduction::none) {
      const RunCopier copy(x.dtype());
      for (int64_t i = 0; i < tuples; i++) copy(y.bytes(), at[i], updates.bytes(), i * inner, inner);
      return;
    }
    with_number(x.dtype(), [&]<class T>(T) {
      const T* update = updates.data<T>();
      for (int64_t i = 0; i < tuples; i++) {
        T* to = y.data<T>() + at[i];
        for (int64_t j = 0; j < inner; j++, update++) to[j] = reduce(reduction_, to[j], *update);
      }
    });
  }
  uint32_t in_place() const override { return 1; }

 private:
  Reduction reduction_;
};

// ONNX TensorScatter: writes a stretch of updates into a cache along `axis`, at one position per batch; circular: it
// wraps around.
class TensorScatter final : public Operator {
 public:
  explicit TensorScatter(const Attributes& a)
      : axis_(a.integer("axis", -2)), circular_(a.choice("mode", {"linear", "circular"}, 0) == 1) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 3);
    c.require_dtype(0, kAll);
    c.require_same_dtype(0, 1);
    c.require_rank(0, 2);
    const Shape &x = c.shape(0), &update = c.shape(1);
    c.require_rank(1, x.rank(), x.rank());
    const int axis = normalize_axis(axis_, x.rank());
    check(axis > 0, ErrorCode::invalid_model, "axis is the batch dimension");
    for (int i = 0; i < x.rank(); i++) {
      check(i == axis ? update[i] <= x[i] : update[i] == x[i], ErrorCode::invalid_model, "update ", update,
            " does not fit into ", x);
    }
    if (c.has_input(2)) {
      c.require_dtype(2, {DType::int64});
      check(c.shape(2) == Shape{x[0]}, ErrorCode::invalid_model, "write_indices must be ", Shape{x[0]}, ", not ",
            c.shape(2));
    }
    c.set_output_like(0, 0);
  }

  void run(RunContext& c) const override {
    const Tensor x = unpacked(c.input(0)), update = unpacked(c.input(1));
    Tensor y = unpacked_like(c.output(0));
    const int axis = normalize_axis(axis_, x.rank());
    const int64_t dim = x.dim(axis), length = update.dim(axis);
    const int64_t batches = x.dim(0);
    for (int64_t b = 0; c.has_input(2) && b < batches; b++) {
      const int64_t at = c.input(2).data<int64_t>()[b];
      check(at >= 0 && (circular_ || at <= dim - length), ErrorCode::runtime_error, "write index ", at, " for ", length,
            " elements is out of range for dimension ", axis, " of ", dim);
    }
    copy_data(x, y);
    const int64_t middle = x.shape().count(1, axis), inner = x.shape().count(axis + 1, x.rank());
    const RunCopier copy(x.dtype());
    for (int64_t row = 0; update.count() > 0 && row < batches * middle; row++) {
      const int64_t at = c.has_input(2) ? c.input(2).data<int64_t>()[row / middle] % dim : 0;
      const int64_t straight = std::min(length, dim - at);
      copy(y.bytes(), (row * dim + at) * inner, update.bytes(), row * length * inner, straight * inner);
      copy(y.bytes(), row * dim * inner, update.bytes(), (row * length + straight) * inner,
           (length - straight) * inner);
    }
    pack(y, c.output(0));
  }
  uint32_t in_place() const override { return 1; }

 private:
  int64_t axis_;
  bool circular_;
};

constexpr OpEntry kOps[] = {
    {"Scatter", 9, make_operator<ScatterElements>},
    {"ScatterElements", 11, make_operator<ScatterElements>},
    {"ScatterElements", 16, make_operator<ScatterElements>},
    {"ScatterND", 11, make_operator<ScatterND>},
    {"ScatterND", 16, make_operator<ScatterND>},
    {"TensorScatter", 24, make_operator<TensorScatter>},
};

}  // namespace

std::span<const OpEntry> scatter_ops() { return kOps; }

}  // namespace sardonyx
