// Tensors made from few numbers: ConstantOfShape, Range, EyeLike, OneHot, Trilu; random.cpp has the random ones.
#include <algorithm>
#include <cmath>

#include "ops/families.h"
#include "ops/random.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/numbers.h"

namespace sardonyx {
namespace {

// ONNX ConstantOfShape: `value` (float32 0 without it) everywhere.
class ConstantOfShape final : public Operator {
 public:
  explicit ConstantOfShape(const Attributes& a) : value_(a.has("value") ? a.tensor("value") : Tensor::scalar(0.0f)) {
    check(value_.count() == 1, ErrorCode::invalid_model, "attribute \"value\" must be one element, not ",
          value_.shape());
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    const KnownInts shape = known_ints(c, 0);
    if (!shape.known) return c.defer();
    c.set_output(0, value_.dtype(), Shape(shape.values));
  }
  void run(RunContext& c) const override {
    const Tensor value = unpacked(value_);
    Tensor y = unpacked_like(c.output(0));
    with_element(y.dtype(), [&]<class T>(T) { std::fill_n(y.data<T>(), y.count(), *value.data<T>()); });
    pack(y, c.output(0));
  }

 private:
  Tensor value_;
};

// ONNX Range: start, start + delta, ... before limit.
class Range final : public Operator {
 public:
  explicit Range(const Attributes& a) {
    if (a.since >= 27) a.ignore("stash_type");  // computed in float32 at least, always
  }
  void infer(InferContext& c) const override {
    c.require_inputs(3, 3);
    c.require_dtype(0, kTypes);
    for (int i = 0; i < 3; i++) {
      c.require_same_dtype(0, i);
      check(c.shape(i).count() == 1, ErrorCode::invalid_model, "input ", i, " must be one number, not ", c.shape(i));
    }
    const Tensor *start = c.value(0), *limit = c.value(1), *delta = c.value(2);
    if (!start || !limit || !delta) return c.defer();
    int64_t count = 0;
    with_number(c.dtype(0),
                [&]<class T>(T) { count = steps(*start->data<T>(), *limit->data<T>(), *delta->data<T>()); });
    c.set_output(0, c.dtype(0), Shape{count});
  }
  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    with_number(y.dtype(), [&]<class T>(T) {
      const T start = *c.input(0).data<T>(), delta = *c.input(2).data<T>();
      T* to = y.data<T>();
      for (int64_t i = 0; i < y.count(); i++) {
        if constexpr (std::is_integral_v<T>) {
          to[i] =
              static_cast<T>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
        } else if constexpr (std::is_same_v<T, double>) {
          to[i] = start + static_cast<double>(i) * delta;
        } else {
          to[i] = T(static_cast<float>(start) + static_cast<float>(i) * static_cast<float>(delta));
        }
      }
    });
  }

 private:
  static constexpr DTypeSet kTypes = kFloat | kSignedInt | kUnsignedInt;

  // How many; throws Error (runtime_error) where delta is 0.
  template <class T>
  static int64_t steps(T start, T limit, T delta) {
    if constexpr (std::is_integral_v<T>) {
      check(delta != 0, ErrorCode::runtime_error, "delta is 0");
      const bool up = delta > 0;
      if (up ? start >= limit : start <= limit) return 0;
      const uint64_t from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(limit);
      const uint64_t distance = up ? to - from : from - to;
      const uint64_t step = up ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
      return static_cast<int64_t>(std::min<uint64_t>((distance - 1) / step + 1, kMost));
    } else {
      const double n =
          std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
      check(delta != T(0) && !std::isnan(n), ErrorCode::runtime_error, "delta is 0, or not a number");
      return n <= 0 ? 0 : n >= static_cast<double>(kMost) ? kMost : static_cast<int64_t>(n);
    }
  }
  static constexpr int64_t kMost = int64_t{1} << 60;  // too much to allocate: that error tells
};

// ONNX EyeLike: ones on the k-th diagonal.
class EyeLike final : public Operator {
 public:
  explicit EyeLike(const Attributes& a) : dtype_(a.dtype("dtype", DType::undefined)), k_(a.integer("k", 0)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_rank(0, 2, 2);
    const DType type = dtype_ == DType::undefined ? c.dtype(0) : dtype_;
    check((kNumeric | kBool).has(type), ErrorCode::invalid_model, "cannot make ", type);
    c.set_output(0, type, c.shape(0));
  }
  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    memset(y.bytes(), 0, y.byte_size());
    const int64_t rows = y.dim(0), columns = y.dim(1);
    with_number(y.dtype(), [&]<class T>(T) {
      for (int64_t r = 0; r < rows; r++) {
        if (k_ > columns || k_ < -rows) return;
        if (r + k_ >= 0 && r + k_ < columns) y.data<T>()[r * columns + r + k_] = T(1);
      }
    });
  }
  bool reads_shapes_only() const override { return true; }

 private:
  DType dtype_;
  int64_t k_;
};

// ONNX OneHot: along a new axis, values[1] where the index is, else values[0]; indices out of range give no hit.
class OneHot final : public Operator {
 public:
  explicit OneHot(const Attributes& a) : axis_(a.integer("axis", -1)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(3, 3);
    c.require_dtype(0, kNumeric);
    c.require_dtype(1, kNumeric);
    c.require_dtype(2, kAddressable);
    check(c.shape(1).count() == 1, ErrorCode::invalid_model, "depth must be one number, not ", c.shape(1));
    check(c.shape(2) == Shape{2}, ErrorCode::invalid_model, "values must be two, not ", c.shape(2));
    const int axis = normalize_axis(axis_, c.rank(0) + 1);
    const Tensor* depth = c.value(1);
    if (!depth) return c.defer();
    Shape y = c.shape(0);
    y.insert(axis, depth_of(*depth));
    c.set_output(0, c.dtype(2), y);
  }
  void run(RunContext& c) const override {
    const Tensor &indices = c.input(0), &values = c.input(2);
    Tensor& y = c.output(0);
    const int axis = normalize_axis(axis_, y.rank());
    const int64_t depth = y.dim(axis), inner = y.shape().count(axis + 1, y.rank());
    with_element(y.dtype(), [&]<class T>(T) {
      const T &off = values.data<T>()[0], &on = values.data<T>()[1];
      T* to = y.data<T>();
      std::fill_n(to, y.count(), off);
      with_number(indices.dtype(), [&]<class I>(I) {
        const I* index = indices.data<I>();
        for (int64_t i = 0; i < indices.count(); i++) {
          int64_t at = saturate_int64(index[i]);
          if (at < 0) at += depth;
          if (at >= 0 && at < depth) to[(i / inner * depth + at) * inner + i % inner] = on;
        }
      });
    });
  }

 private:
  static int64_t depth_of(const Tensor& depth) {
    int64_t n = 0;
    with_number(depth.dtype(), [&]<class T>(T) { n = saturate_int64(*depth.data<T>()); });
    check(n >= 0, ErrorCode::runtime_error, "depth is ", n);
    return n;
  }
  int64_t axis_;
};

// ONNX Trilu: the upper or lower triangle of the last two dimensions, from the k-th diagonal on; zeros elsewhere.
class Trilu final : public Operator {
 public:
  explicit Trilu(const Attributes& a) : upper_(a.flag("upper", true)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 2);
    c.require_dtype(0, kAddressable);
    c.require_rank(0, 2);
    if (c.has_input(1)) {
      c.require_dtype(1, {DType::int64});
      check(c.shape(1).count() == 1, ErrorCode::invalid_model, "k must be one number, not ", c.shape(1));
    }
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const int64_t rows = x.dim(x.rank() - 2), columns = x.shape().back();
    const int64_t k = c.has_input(1) ? std::clamp(*c.input(1).data<int64_t>(), -rows, columns) : 0;
    with_element(x.dtype(), [&]<class T>(T) {
      const T* from = x.data<T>();
      T* to = y.data<T>();
      for (int64_t row = 0; row < x.count() / columns; row++, from += columns, to += columns) {
        // Columns before `edge` are below the diagonal.
        const int64_t edge = std::clamp<int64_t>(row % rows + k + (upper_ ? 0 : 1), 0, columns);
        const int64_t first = upper_ ? edge : 0, last = upper_ ? columns : edge;
        if (from != to) std::copy(from + first, from + last, to + first);
        std::fill(to, to + first, T{});
        std::fill(to + last, to + columns, T{});
      }
    });
  }
  uint32_t in_place() const override { return 1; }

 private:
  bool upper_;
};

constexpr OpEntry kOps[] = {
    {"ConstantOfShape", 9, make_operator<ConstantOfShape>},
    {"Range", 11, make_operator<Range>},
    {"Range", 27, make_operator<Range>},
    {"EyeLike", 9, make_operator<EyeLike>},
    {"OneHot", 9, make_operator<OneHot>},
    {"Trilu", 14, make_operator<Trilu>},
    {"RandomNormal", 1, make_random_normal},
    {"RandomNormalLike", 1, make_random_normal_like},
    {"RandomUniform", 1, make_random_uniform},
    {"RandomUniformLike", 1, make_random_uniform_like},
    {"Multinomial", 7, make_multinomial},
    {"Bernoulli", 15, make_bernoulli},
};

}  // namespace

std::span<const OpEntry> fill_ops() { return kOps; }

}  // namespace sardonyx
