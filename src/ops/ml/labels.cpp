// Words and numbers for one another: LabelEncoder, CategoryMapper, OneHotEncoder.
#include "ops/families.h"
#include "ops/ml/positions.h"
#include "ops/util/dispatch.h"
#include "ops/util/elements.h"
#include "ops/util/numbers.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kKeys{DType::string, DType::int64, DType::int32, DType::int16, DType::float32, DType::float64};

// Elements of one list for those of another; `otherwise`, one element of the values' type, for all that is not in it.
class Mapping {
 public:
  Mapping(const Tensor& keys, Tensor values, Tensor otherwise, bool last = false)
      : keys_(keys.dtype()), positions_(keys, last), values_(std::move(values)), otherwise_(std::move(otherwise)) {
    check(keys.count() == values_.count(), ErrorCode::invalid_model, "there are ", keys.count(), " keys and ",
          values_.count(), " values");
  }
  DType from() const { return keys_; }
  DType to() const { return values_.dtype(); }
  void apply(const Tensor& x, Tensor& y) const {
    with_element(to(), [&]<class T>(T) {
      for (int64_t i = 0; i < x.count(); i++) {
        const int64_t at = positions_.of(x, i);
        y.data<T>()[i] = at < 0 ? *otherwise_.data<T>() : values_.data<T>()[at];
      }
    });
  }

 private:
  DType keys_;
  Positions positions_;
  Tensor values_, otherwise_;
};

Tensor text(std::string word) { return Tensor::scalar(std::move(word)); }

// What two lists of one length map in both directions: the input's type tells which.
class TwoWays : public Operator {
 public:
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, {DType::string, DType::int64});
    c.set_output(0, c.dtype(0) == DType::string ? DType::int64 : DType::string, c.shape(0));
  }
  void run(RunContext& c) const override {
    (c.input(0).dtype() == DType::string ? to_number_ : to_word_).apply(c.input(0), c.output(0));
  }

 protected:
  TwoWays(const Attributes& a, const Tensor& words, const Tensor& numbers)
      : to_number_(words, numbers, Tensor::scalar(a.integer("default_int64", -1))),
        to_word_(numbers, words, text(a.string("default_string", "_Unused"))) {}

 private:
  Mapping to_number_, to_word_;
};

Tensor counted(size_t count) {
  std::vector<int64_t> numbers(count);
  for (size_t i = 0; i < count; i++) numbers[i] = static_cast<int64_t>(i);
  return tensor_of(numbers);
}

// ONNX LabelEncoder-1: a word for its position in a list, and back.
class ListedLabels final : public TwoWays {
 public:
  explicit ListedLabels(const Attributes& a)
      : TwoWays(a, tensor_of(a.strings("classes_strings")), counted(a.strings("classes_strings").size())) {}
};

// ONNX CategoryMapper.
class CategoryMapper final : public TwoWays {
 public:
  explicit CategoryMapper(const Attributes& a)
      : TwoWays(a, tensor_of(a.strings("cats_strings")), tensor_of(a.ints("cats_int64s"))) {}
};

// keys_* or values_* of a LabelEncoder: the one that is there.
Tensor listed(const Attributes& a, const std::string& what) {
  const std::string names[] = {what + "_strings", what + "_int64s", what + "_floats", what + "_tensor"};
  int given = 0;
  for (const std::string& name : names) given += a.has(name);
  check(given == 1, ErrorCode::invalid_model, "one of the attributes ", names[0], ", ", names[1], ", ", names[2],
        a.since >= 4 ? cat(", ", names[3]) : "", " must be there, not ", given);
  if (a.has(names[0])) return tensor_of(a.strings(names[0]));
  if (a.has(names[1])) return tensor_of(a.ints(names[1]));
  if (a.has(names[2])) return tensor_of(a.floats(names[2]));
  const Tensor& t = a.tensor(names[3]);
  check(kKeys.has(t.dtype()), ErrorCode::invalid_model, "attribute \"", names[3], "\" is of ", t.dtype());
  return t;
}

// What a LabelEncoder gives for keys that it does not know.
Tensor default_of(const Attributes& a, DType type) {
  const int64_t number = a.integer("default_int64", -1);
  const float real = a.number("default_float", -0.0f);
  const std::string word = a.string("default_string", "_Unused");
  if (a.since >= 4 && a.has("default_tensor")) {
    const Tensor& t = a.tensor("default_tensor");
    check(t.dtype() == type && t.count() == 1, ErrorCode::invalid_model, "attribute \"default_tensor\" is ", t,
          ", the values are ", type);
    return t;
  }
  if (type == DType::string) return text(word);
  if (type == DType::float32) return Tensor::scalar(real);
  if (type == DType::float64) return Tensor::scalar(static_cast<double>(real));
  Tensor t = Tensor::allocate(type, Shape{});
  dispatch_signed(type, [&]<class T>(TypeTag<T>) { *t.data<T>() = static_cast<T>(number); });
  return t;
}

// ONNX LabelEncoder from version 2 on: values for keys.
class LabelEncoder final : public Operator {
 public:
  explicit LabelEncoder(const Attributes& a) : LabelEncoder(a, listed(a, "keys"), listed(a, "values")) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, {mapping_.from()});
    c.set_output(0, mapping_.to(), c.shape(0));
  }
  void run(RunContext& c) const override { mapping_.apply(c.input(0), c.output(0)); }

 private:
  LabelEncoder(const Attributes& a, const Tensor& keys, const Tensor& values)
      : mapping_(keys, values, default_of(a, values.dtype()), a.since >= 4) {}
  Mapping mapping_;
};

// ONNX OneHotEncoder: along a new last axis, 1 at the element's place in the list of categories.
class OneHotEncoder final : public Operator {
 public:
  explicit OneHotEncoder(const Attributes& a)
      : words_(tensor_of(a.strings("cats_strings"))),
        numbers_(tensor_of(a.ints("cats_int64s"))),
        position_(words_.count() ? words_ : numbers_),
        zeros_(a.flag("zeros", true)) {
    check((words_.count() == 0) != (numbers_.count() == 0), ErrorCode::invalid_model,
          "one of the attributes \"cats_strings\" and \"cats_int64s\" must have the categories");
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, words_.count() ? DTypeSet{DType::string}
                                      : DTypeSet{DType::int64, DType::int32, DType::float32, DType::float64});
    Shape y = c.shape(0);
    y.push_back(categories());
    c.set_output(0, DType::float32, y);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    auto* y = c.output(0).data<float>();
    std::fill_n(y, c.output(0).count(), 0.0f);
    for (int64_t i = 0; i < x.count(); i++) {
      const int64_t at = position(x, i);
      check(at >= 0 || zeros_, ErrorCode::runtime_error, "element ", i, " is none of the categories");
      if (at >= 0) y[i * categories() + at] = 1;
    }
  }

 private:
  int64_t categories() const { return words_.count() + numbers_.count(); }
  int64_t position(const Tensor& x, int64_t i) const {
    if (x.dtype() == DType::string) return position_.of(x, i);
    int64_t number = 0;
    with_number(x.dtype(), [&]<class T>(T) { number = saturate_int64(x.data<T>()[i]); });
    return position_.of_bits(static_cast<uint64_t>(number));
  }
  Tensor words_, numbers_;
  Positions position_;
  bool zeros_;
};

constexpr OpEntry kOps[] = {
    {"LabelEncoder", 1, make_operator<ListedLabels>},   {"LabelEncoder", 2, make_operator<LabelEncoder>},
    {"LabelEncoder", 4, make_operator<LabelEncoder>},   {"CategoryMapper", 1, make_operator<CategoryMapper>},
    {"OneHotEncoder", 1, make_operator<OneHotEncoder>},
};

}  // namespace

std::span<const OpEntry> ml_label_ops() { return kOps; }

}  // namespace sardonyx
