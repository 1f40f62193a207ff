// Operators that prepare features: ArrayFeatureExtractor, Binarizer, FeatureVectorizer, Imputer, Normalizer, Scaler.
#include <algorithm>
#include <cmath>

#include "ops/families.h"
#include "ops/util/dispatch.h"
#include "ops/util/elements.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kMl{DType::float32, DType::float64, DType::int64, DType::int32};

template <class F>
void with_ml(DType type, F&& f) {
  dispatch<float, double, int64_t, int32_t>(type, f);
}

// ONNX ArrayFeatureExtractor: elements of the last axis by their indices.
class ArrayFeatureExtractor final : public Operator {
 public:
  explicit ArrayFeatureExtractor(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kMl | DTypeSet{DType::string});
    c.require_dtype(1, {DType::int64});
    c.require_rank(0, 1);
    Shape y = c.shape(0);
    y[y.rank() - 1] = c.shape(1).count();
    if (y.rank() == 1) y.insert(0, 1);
    c.set_output(0, c.dtype(0), y);
  }
  void run(RunContext& c) const override {
    const Tensor &x = c.input(0), &indices = c.input(1);
    const int64_t columns = x.shape().back(), wanted = indices.count();
    for (int64_t index : indices.values<int64_t>()) {
      check(index >= 0 && index < columns, ErrorCode::runtime_error, "index ", index, " is out of range for ", columns,
            " features");
    }
    if (wanted == 0) return;
    Tensor& y = c.output(0);
    with_element(x.dtype(), [&]<class T>(T) {
      for (int64_t i = 0; i < y.count(); i++) {
        y.data<T>()[i] = x.data<T>()[i / wanted * columns + indices.data<int64_t>()[i % wanted]];
      }
    });
  }
};

// ONNX Binarizer: 1 above the threshold, else 0.
class Binarizer final : public Operator {
 public:
  explicit Binarizer(const Attributes& a) : threshold_(a.number("threshold", 0.0f)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kMl);
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    with_ml(x.dtype(), [&]<class T>(TypeTag<T>) {
      for (int64_t i = 0; i < x.count(); i++) {
        c.output(0).data<T>()[i] = static_cast<double>(x.data<T>()[i]) > static_cast<double>(threshold_) ? T{1} : T{0};
      }
    });
  }
  uint32_t in_place() const override { return 1; }

 private:
  float threshold_;
};

// ONNX FeatureVectorizer: [N, C] tensors one beside the other, each cut or filled with zeros to its width.
class FeatureVectorizer final : public Operator {
 public:
  explicit FeatureVectorizer(const Attributes& a) : widths_(a.ints("inputdimensions")) {
    check(widths_.empty() || widths_.size() == static_cast<size_t>(a.inputs), ErrorCode::invalid_model,
          "attribute \"inputdimensions\" has ", widths_.size(), " numbers for ", a.inputs, " inputs");
    for (int64_t w : widths_) check(w >= 0, ErrorCode::invalid_model, "attribute \"inputdimensions\" has ", w);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, InferContext::kAnyCount);
    int64_t total = 0;
    for (int i = 0; i < c.input_count(); i++) {
      c.require_dtype(i, kMl);
      c.require_rank(i, 1);
      check(rows(c.shape(i)) == rows(c.shape(0)), ErrorCode::invalid_model, "inputs 0 and ", i,
            " have different numbers of rows");
      const int64_t width = width_of(c.shape(i), i);
      check(width <= INT64_MAX - total, ErrorCode::invalid_model, "the output is too wide");
      total += width;
    }
    c.set_output(0, DType::float32, Shape{rows(c.shape(0)), total});
  }
  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    std::fill_n(y.data<float>(), y.count(), 0.0f);
    int64_t first = 0;
    for (int i = 0; i < c.input_count(); i++) {
      const Tensor& x = c.input(i);
      const int64_t columns = columns_of(x.shape()), width = width_of(x.shape(), i);
      for (int64_t row = 0; row < y.dim(0); row++) {
        load_floats(x.dtype(), x.bytes(), row * columns, std::min(columns, width),
                    y.data<float>() + row * y.dim(1) + first);
      }
      first += width;
    }
  }

 private:
  static int64_t rows(const Shape& x) { return x.rank() == 1 ? 1 : x[0]; }
  static int64_t columns_of(const Shape& x) { return x.rank() == 1 ? x[0] : x.count(1, x.rank()); }
  int64_t width_of(const Shape& x, int i) const {
    return widths_.empty() ? columns_of(x) : widths_[static_cast<size_t>(i)];
  }
  std::vector<int64_t> widths_;
};

// ONNX Imputer: one value for another, one for all features or one for each of the last axis.
class Imputer final : public Operator {
 public:
  explicit Imputer(const Attributes& a)
      : floats_(a.floats("imputed_value_floats")),
        ints_(a.ints("imputed_value_int64s")),
        old_float_(a.number("replaced_value_float", 0.0f)),
        old_int_(a.integer("replaced_value_int64", 0)) {
    check(floats_.empty() != ints_.empty(), ErrorCode::invalid_model,
          "one of the attributes \"imputed_value_floats\" and \"imputed_value_int64s\" must have values");
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, ints_.empty() ? DTypeSet{DType::float32, DType::float64} : kIndex);
    const int64_t values = static_cast<int64_t>(floats_.size() + ints_.size());
    c.require_rank(0, values == 1 ? 0 : 1);
    check(values == 1 || values == c.shape(0).back(), ErrorCode::invalid_model, "there are ", values,
          " values to impute, the input is of shape ", c.shape(0));
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    with_ml(x.dtype(), [&]<class T>(TypeTag<T>) {
      T* y = c.output(0).data<T>();
      for (int64_t i = 0; i < x.count(); i++) y[i] = imputed(x.data<T>()[i], static_cast<size_t>(i));
    });
  }
  uint32_t in_place() const override { return 1; }

 private:
  template <class T>
  T imputed(T x, size_t i) const {
    if constexpr (std::is_integral_v<T>) {
      return x == old_int_ ? static_cast<T>(ints_[i % ints_.size()]) : x;
    } else {
      const bool old = std::isnan(old_float_) ? std::isnan(x) : x == static_cast<T>(old_float_);
      return old ? static_cast<T>(floats_[i % floats_.size()]) : x;
    }
  }
  std::vector<float> floats_;
  std::vector<int64_t> ints_;
  float old_float_;
  int64_t old_int_;
};

// ONNX Normalizer: rows divided by their largest element, the sum of their absolute values, or their length.
class Normalizer final : public Operator {
 public:
  explicit Normalizer(const Attributes& a) : norm_(static_cast<Norm>(a.choice("norm", {"MAX", "L1", "L2"}, 0))) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kMl);
    c.require_rank(0, 1, 2);
    c.set_output(0, DType::float32, c.shape(0));
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const int64_t columns = x.shape().back();
    float* y = c.output(0).data<float>();
    for (int64_t row = 0; columns > 0 && row < x.count() / columns; row++, y += columns) {
      load_floats(x.dtype(), x.bytes(), row * columns, columns, y);
      const double divisor = divisor_of({y, static_cast<size_t>(columns)});
      if (divisor == 0) continue;
      for (int64_t i = 0; i < columns; i++) y[i] = static_cast<float>(static_cast<double>(y[i]) / divisor);
    }
  }

 private:
  enum class Norm : uint8_t { max, l1, l2 };
  double divisor_of(std::span<const float> row) const {
    if (norm_ == Norm::max) return static_cast<double>(*std::max_element(row.begin(), row.end()));
    double sum = 0;
    for (float value : row) {
      const double v = static_cast<double>(value);
      sum += norm_ == Norm::l1 ? std::abs(v) : v * v;
    }
    return norm_ == Norm::l1 ? sum : std::sqrt(sum);
  }
  Norm norm_;
};

// ONNX Scaler: (x - offset) * scale, each one for all features or one for each of the last axis.
class Scaler final : public Operator {
 public:
  explicit Scaler(const Attributes& a) : scale_(a.floats("scale")), offset_(a.floats("offset")) {
    check(!scale_.empty() && scale_.size() == offset_.size(), ErrorCode::invalid_model, "attribute \"scale\" has ",
          scale_.size(), " values, \"offset\" ", offset_.size());
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kMl);
    c.require_rank(0, scale_.size() == 1 ? 0 : 1);
    check(scale_.size() == 1 || static_cast<int64_t>(scale_.size()) == c.shape(0).back(), ErrorCode::invalid_model,
          "attribute \"scale\" has ", scale_.size(), " values, the input is of shape ", c.shape(0));
    c.set_output(0, DType::float32, c.shape(0));
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    float* y = c.output(0).data<float>();
    load_floats(x.dtype(), x.bytes(), 0, x.count(), y);
    for (size_t i = 0; i < static_cast<size_t>(x.count()); i++) {
      y[i] = (y[i] - offset_[i % offset_.size()]) * scale_[i % scale_.size()];
    }
  }

 private:
  std::vector<float> scale_, offset_;
};

constexpr OpEntry kOps[] = {
    {"ArrayFeatureExtractor", 1, make_operator<ArrayFeatureExtractor>},
    {"Binarizer", 1, make_operator<Binarizer>},
    {"FeatureVectorizer", 1, make_operator<FeatureVectorizer>},
    {"Imputer", 1, make_operator<Imputer>},
    {"Normalizer", 1, make_operator<Normalizer>},
    {"Scaler", 1, make_operator<Scaler>},
};

}  // namespace

std::span<const OpEntry> ml_feature_ops() { return kOps; }

}  // namespace sardonyx
