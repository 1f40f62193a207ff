// Elements chosen by value or position: NonZero, Compress, ReverseSequence, CenterCropPad here; TopK, Unique and
// NonMaxSuppression in files of their own.
#include "ops/selection.h"

#include <algorithm>
#include <cstring>

#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/numbers.h"
#include "ops/util/strided.h"

namespace sardonyx {
namespace {

// Calls f(i) for each element that is not zero (not false, not empty), in order.
template <class F>
void for_nonzero(const Tensor& x, F&& f) {
  if (x.dtype() == DType::string) {
    for (int64_t i = 0; i < x.count(); i++) {
      if (!x.data<std::string>()[i].empty()) f(i);
    }
    return;
  }
  if (kComplex.has(x.dtype())) {
    const auto each = [&]<class T>(const T* parts) {
      for (int64_t i = 0; i < x.count(); i++) {
        if (parts[2 * i] != 0 || parts[2 * i + 1] != 0) f(i);
      }
    };
    const void* data = x.bytes();
    return x.dtype() == DType::complex64 ? each(static_cast<const float*>(data))
                                         : each(static_cast<const double*>(data));
  }
  with_number(x.dtype(), [&]<class T>(T) {
    for (int64_t i = 0; i < x.count(); i++) {
      if (x.data<T>()[i] != T(0)) f(i);
    }
  });
}

// ONNX NonZero: the coordinates of the elements that are not zero, [rank, number].
class NonZero final : public Operator {
 public:
  explicit NonZero(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kNumeric | kComplex | kBool | DTypeSet{DType::string});
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    int64_t count = 0;
    for_nonzero(x, [&](int64_t) { count++; });
    int64_t* y = c.allocate(0, DType::int64, Shape{x.rank(), count}).data<int64_t>();
    int64_t column = 0;
    for_nonzero(x, [&](int64_t i) {
      for (int axis = x.rank() - 1; axis >= 0; axis--) {
        y[axis * count + column] = i % x.dim(axis);
        i /= x.dim(axis);
      }
      column++;
    });
  }
};

// ONNX Compress: the slices along `axis` (without it: the elements) where the condition is true.
class Compress final : public Operator {
 public:
  explicit Compress(const Attributes& a) : flat_(!a.has("axis")), axis_(a.integer("axis", 0)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kAddressable);
    c.require_dtype(1, kBool);
    c.require_rank(1, 1, 1);
    if (!flat_) normalize_axis(axis_, c.rank(0));
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const std::span<const bool> condition = c.input(1).values<bool>();
    const int axis = flat_ ? 0 : normalize_axis(axis_, x.rank());
    const int64_t outer = flat_ ? 1 : x.shape().count(0, axis);
    const int64_t dim = flat_ ? x.count() : x.dim(axis);
    const int64_t inner = flat_ ? 1 : x.shape().count(axis + 1, x.rank());
    std::vector<int64_t> kept;
    for (size_t i = 0; i < condition.size(); i++) {
      if (condition[i]) kept.push_back(static_cast<int64_t>(i));
    }
    check(kept.empty() || kept.back() < dim, ErrorCode::runtime_error, "the condition picks element ",
          kept.empty() ? 0 : kept.back(), " of ", dim);
    Shape shape = flat_ ? Shape{0} : x.shape();
    shape[axis] = static_cast<int64_t>(kept.size());
    Tensor& y = c.allocate(0, x.dtype(), shape);
    const RunCopier copy(x.dtype());
    int64_t to = 0;
    for (int64_t o = 0; o < outer && y.count() > 0; o++) {
      for (int64_t i : kept) {
        copy(y.bytes(), to, x.bytes(), (o * dim + i) * inner, inner);
        to += inner;
      }
    }
  }

 private:
  bool flat_;
  int64_t axis_;
};

// ONNX ReverseSequence: turns the first sequence_lens[b] steps of each batch around.
class ReverseSequence final : public Operator {
 public:
  explicit ReverseSequence(const Attributes& a) {
    const int64_t batch = a.integer("batch_axis", 1), time = a.integer("time_axis", 0);
    check((batch == 0 && time == 1) || (batch == 1 && time == 0), ErrorCode::invalid_model, "batch_axis is ", batch,
          ", time_axis ", time, "; they must be 0 and 1 or 1 and 0");
    batch_ = static_cast<int>(batch);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kAddressable);
    c.require_dtype(1, {DType::int64});
    c.require_rank(0, 2);
    check(c.shape(1) == Shape{c.shape(0)[batch_]}, ErrorCode::invalid_model, "sequence_lens must be ",
          Shape{c.shape(0)[batch_]}, ", not ", c.shape(1));
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &lengths = c.input(1);
    Tensor& y = c.output(0);
    const int64_t batches = x.dim(batch_), steps = x.dim(1 - batch_), inner = x.shape().count(2, x.rank());
    const RunCopier copy(x.dtype());
    for (int64_t b = 0; b < batches; b++) {
      const int64_t length = lengths.data<int64_t>()[b];
      check(length >= 0 && length <= steps, ErrorCode::runtime_error, "sequence length ", length,
            " is out of range for ", steps, " steps");
      const auto place = [&](int64_t t) { return (batch_ == 0 ? b * steps + t : t * batches + b) * inner; };
      for (int64_t t = 0; t < steps && inner > 0; t++) {
        copy(y.bytes(), place(t), x.bytes(), place(t < length ? length - 1 - t : t), inner);
      }
    }
  }

 private:
  int batch_;
};

// ONNX CenterCropPad: crops or pads with zeros around the centre, up to the dimensions that input 1 gives.
class CenterCropPad final : public Operator {
 public:
  explicit CenterCropPad(const Attributes& a) : given_(a.has("axes")), axes_(a.ints("axes")) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kAddressable);
    Shape y = c.shape(0);
    const size_t n = given_ ? axes_.size() : static_cast<size_t>(y.rank());
    if (given_) axis_bits(axes_, y.rank());
    const KnownInts sizes = known_ints(c, 1);
    if (!sizes.known) return c.defer();
    check(sizes.values.size() == n, ErrorCode::invalid_model, "there are ", sizes.values.size(), " sizes for ", n,
          " axes");
    for (size_t i = 0; i < n; i++) {
      check(sizes.values[i] >= 0, ErrorCode::invalid_model, "shape has the dimension ", sizes.values[i]);
      y[given_ ? normalize_axis(axes_[i], y.rank()) : static_cast<int>(i)] = sizes.values[i];
    }
    c.set_output(0, c.dtype(0), y);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    if (y.dtype() != DType::string) memset(y.bytes(), 0, y.byte_size());
    const auto xs = x.shape().strides(), ys = y.shape().strides();
    StridedBox box;
    int64_t from = 0, to = 0;
    for (int i = 0; i < x.rank(); i++) {
      const int64_t dx = x.dim(i), dy = y.dim(i);
      from += dx > dy ? (dx - dy) / 2 * xs[static_cast<size_t>(i)] : 0;
      to += dy > dx ? (dy - dx) / 2 * ys[static_cast<size_t>(i)] : 0;
      box.add(std::min(dx, dy), xs[static_cast<size_t>(i)], ys[static_cast<size_t>(i)]);
    }
    box.copy(x.dtype(), x.bytes(), from, y.bytes(), to);
  }

 private:
  bool given_;
  std::vector<int64_t> axes_;
};

constexpr OpEntry kOps[] = {
    {"TopK", 1, make_top_k},
    {"TopK", 10, make_top_k},
    {"TopK", 11, make_top_k},
    {"NonZero", 9, make_operator<NonZero>},
    {"Compress", 9, make_operator<Compress>},
    {"Unique", 11, make_unique_operator},
    {"NonMaxSuppression", 10, make_non_max_suppression},
    {"ReverseSequence", 10, make_operator<ReverseSequence>},
    {"CenterCropPad", 18, make_operator<CenterCropPad>},
};

}  // namespace

std::span<const OpEntry> selection_ops() { return kOps; }

}  // namespace sardonyx
