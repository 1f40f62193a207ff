// The same bytes under another shape: Reshape, Flatten, Squeeze, Unsqueeze, Identity.
#include "ops/families.h"
#include "ops/util/axes.h"

namespace sardonyx {
namespace {

// What all have in common: output 0 is input 0's bytes.
class ViewOp : public Operator {
 public:
  void run(RunContext& c) const override { c.set(0, c.value(0).owned()); }
  int view_of() const final { return 0; }
};

// ONNX Reshape: 0 keeps the input's dimension (unless `allowzero`), one -1 takes what is left.
class Reshape final : public ViewOp {
 public:
  explicit Reshape(const Attributes& a) : by_attribute_(a.since < 5) {
    if (by_attribute_) {
      shape_ = a.ints("shape");
      a.ignore("consumed_inputs");
    }
    if (a.since >= 14) allow_zero_ = a.flag("allowzero", false);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(by_attribute_ ? 1 : 2, by_attribute_ ? 1 : 2);
    c.require_dtype(0, kAll);
    if (by_attribute_) return c.set_output(0, c.dtype(0), resolve(c.shape(0), shape_));
    const KnownInts shape = known_ints(c, 1);
    if (!shape.known) return c.defer();
    c.set_output(0, c.dtype(0), resolve(c.shape(0), shape.values));
  }

 private:
  Shape resolve(const Shape& x, std::span<const int64_t> wanted) const {
    Shape y;
    int open = -1;
    bool zero = false;
    for (int64_t d : wanted) {
      const int i = y.rank();
      check(d >= -1, ErrorCode::invalid_model, "shape has the dimension ", d);
      zero |= d == 0;
      if (d == 0 && !allow_zero_) {
        check(i < x.rank(), ErrorCode::invalid_model, "shape keeps dimension ", i, " of a tensor of rank ", x.rank());
        d = x[i];
      } else if (d == -1) {
        check(open < 0, ErrorCode::invalid_model, "shape has more than one -1");
        open = i;
        d = 1;
      }
      y.push_back(d);
    }
    const int64_t count = x.count(), rest = y.count();
    if (open >= 0) {
      check(!(allow_zero_ && zero), ErrorCode::invalid_model, "shape has both 0 and -1, with allowzero");
      check(rest > 0 && count % rest == 0, ErrorCode::invalid_model, "shape ", x, " does not divide into ",
            text(wanted));
      y[open] = count / rest;
    } else {
      check(count == rest, ErrorCode::invalid_model, "shape ", x, " cannot become ", text(wanted));
    }
    return y;
  }
  static std::string text(std::span<const int64_t> dims) {
    std::string s = "[";
    for (size_t i = 0; i < dims.size(); i++) s += cat(i ? ", " : "", dims[i]);
    return s + "]";
  }

  bool by_attribute_;
  bool allow_zero_ = false;
  std::vector<int64_t> shape_;
};

// ONNX Flatten: a matrix of the dimensions before `axis` by those from it on.
class Flatten final : public ViewOp {
 public:
  explicit Flatten(const Attributes& a) : axis_(a.integer("axis", 1)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kAll);
    const Shape& x = c.shape(0);
    const int rank = x.rank();
    check(axis_ >= -rank && axis_ <= rank, ErrorCode::invalid_model, "axis ", axis_, " is out of range for rank ",
          rank);
    const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
    c.set_output(0, c.dtype(0), Shape{x.count(0, axis), x.count(axis, rank)});
  }

 private:
  int64_t axis_;
};

// Axes as an attribute (before 13) or as input 1.
class AxesOp : public ViewOp {
 public:
  explicit AxesOp(const Attributes& a) : by_attribute_(a.since < 13), given_(by_attribute_ && a.has("axes")) {
    if (by_attribute_) axes_ = a.ints("axes");
  }

 protected:
  bool axes_given(const InferContext& c) const { return by_attribute_ ? given_ : c.has_input(1); }
  KnownInts axes(const InferContext& c) const { return by_attribute_ ? KnownInts{true, axes_} : known_ints(c, 1); }
  void require(InferContext& c, int least) const {
    c.require_inputs(by_attribute_ ? 1 : least, by_attribute_ ? 1 : 2);
    c.require_dtype(0, kAll);
  }

 private:
  bool by_attribute_, given_;
  std::vector<int64_t> axes_;
};

// ONNX Squeeze: takes out dimensions of 1, those of `axes` or all.
class Squeeze final : public AxesOp {
 public:
  using AxesOp::AxesOp;
  void infer(InferContext& c) const override {
    require(c, 1);
    const Shape& x = c.shape(0);
    const bool all = !axes_given(c);
    uint32_t bits = 0;
    if (!all) {
      const KnownInts list = axes(c);
      if (!list.known) return c.defer();
      bits = axis_bits(list.values, x.rank());
    }
    Shape y;
    for (int i = 0; i < x.rank(); i++) {
      const bool named = bits >> i & 1;
      check(!named || x[i] == 1, ErrorCode::invalid_model, "axis ", i, " has dimension ", x[i], ", not 1");
      if (!(named || (all && x[i] == 1))) y.push_back(x[i]);
    }
    c.set_output(0, c.dtype(0), y);
  }
};

// ONNX Unsqueeze: puts in dimensions of 1; `axes` count in the output.
class Unsqueeze final : public AxesOp {
 public:
  using AxesOp::AxesOp;
  void infer(InferContext& c) const override {
    require(c, 2);
    check(axes_given(c), ErrorCode::invalid_model, "axes are missing");
    const KnownInts list = axes(c);
    if (!list.known) return c.defer();
    const Shape& x = c.shape(0);
    check(list.values.size() <= Shape::kMaxRank, ErrorCode::invalid_model, "there are ", list.values.size(), " axes");
    const int rank = x.rank() + static_cast<int>(list.values.size());
    check(rank <= Shape::kMaxRank, ErrorCode::invalid_model, "rank ", rank, " is above the limit of ", Shape::kMaxRank);
    const uint32_t bits = axis_bits(list.values, rank);
    Shape y;
    for (int i = 0, from = 0; i < rank; i++) y.push_back(bits >> i & 1 ? 1 : x[from++]);
    c.set_output(0, c.dtype(0), y);
  }
};

// ONNX Identity: any kind of value.
class Identity final : public ViewOp {
 public:
  explicit Identity(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_input(0);
    if (!c.is_tensor(0)) return c.set_output_deferred(0);
    c.set_output_like(0, 0);
  }
};

constexpr OpEntry kOps[] = {
    {"Reshape", 1, make_operator<Reshape>},     {"Reshape", 5, make_operator<Reshape>},
    {"Reshape", 14, make_operator<Reshape>},    {"Flatten", 1, make_operator<Flatten>},
    {"Squeeze", 1, make_operator<Squeeze>},     {"Squeeze", 13, make_operator<Squeeze>},
    {"Unsqueeze", 1, make_operator<Unsqueeze>}, {"Unsqueeze", 13, make_operator<Unsqueeze>},
    {"Identity", 1, make_operator<Identity>},
};

}  // namespace

std::span<const OpEntry> reshape_ops() { return kOps; }

}  // namespace sardonyx
