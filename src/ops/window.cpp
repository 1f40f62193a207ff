// BlackmanWindow, HannWindow, HammingWindow, MelWeightMatrix.
#include <array>
#include <cmath>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/convert.h"

namespace sardonyx {
namespace {

DType output_type(const Attributes& a) {
  const DType type = a.dtype("output_datatype", DType::float32);
  check(kNumeric.has(type), ErrorCode::invalid_model, "attribute \"output_datatype\" is ", type);
  return type;
}

void require_one(const InferContext& c, int i, DTypeSet types) {
  c.require_dtype(i, types);
  check(c.shape(i).count() == 1, ErrorCode::invalid_model, "input ", i, " must be one number, not ", c.shape(i));
}

// The three windows: a sum of cosines, w[n] = c0 + c1 cos(2 pi n / N) + c2 cos(4 pi n / N); N is the size, one less
// where not periodic.
class CosineWindow final : public Operator {
 public:
  CosineWindow(const Attributes& a, std::array<double, 3> factors)
      : type_(output_type(a)), periodic_(a.flag("periodic", true)), factors_(factors) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    require_one(c, 0, kIndex);
    const Tensor* size = c.value(0);
    if (!size) return c.defer();
    const int64_t n = size->to_int64()[0];
    check(n >= 0, ErrorCode::runtime_error, "size is ", n);
    c.set_output(0, type_, Shape{n});
  }
  void run(RunContext& c) const override {
    constexpr double kTurn = 6.283185307179586;
    Tensor& y = c.output(0);
    const int64_t size = y.count(), period = periodic_ ? size : size - 1;
    Tensor w = Tensor::allocate(DType::float64, y.shape());
    for (int64_t n = 0; n < size; n++) {
      const double angle = period ? kTurn * static_cast<double>(n) / static_cast<double>(period) : kTurn / 2;
      w.data<double>()[n] = factors_[0] + factors_[1] * std::cos(angle) + factors_[2] * std::cos(2 * angle);
    }
    convert(c.pool(), w, y, {});
  }

 private:
  DType type_;
  bool periodic_;
  std::array<double, 3> factors_;
};

std::unique_ptr<Operator> make_blackman(const Attributes& a) {
  return std::make_unique<CosineWindow>(a, std::array{0.42, -0.5, 0.08});
}
std::unique_ptr<Operator> make_hann(const Attributes& a) {
  return std::make_unique<CosineWindow>(a, std::array{0.5, -0.5, 0.0});
}
std::unique_ptr<Operator> make_hamming(const Attributes& a) {
  return std::make_unique<CosineWindow>(a, std::array{25.0 / 46, -21.0 / 46, 0.0});
}

// ONNX MelWeightMatrix: [dft_length / 2 + 1, num_mel_bins], triangles that are as wide on the mel scale.
class MelWeightMatrix final : public Operator {
 public:
  explicit MelWeightMatrix(const Attributes& a) : type_(output_type(a)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(5, 5);
    for (int i = 0; i < 3; i++) require_one(c, i, kIndex);
    for (int i = 3; i < 5; i++) require_one(c, i, kFloat);
    const Tensor *bins = c.value(0), *length = c.value(1);
    if (!bins || !length) return c.defer();
    const int64_t columns = bins->to_int64()[0], n = length->to_int64()[0];
    check(columns >= 0 && columns <= kMost, ErrorCode::runtime_error, "num_mel_bins is ", columns);
    check(n >= 0 && n <= kMost, ErrorCode::runtime_error, "dft_length is ", n);
    c.set_output(0, type_, Shape{n / 2 + 1, columns});
  }
  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    const int64_t rows = y.dim(0), columns = y.dim(1);
    const std::vector<int64_t> points = edges(c, columns, rows);
    Tensor w = Tensor::allocate(DType::float64, y.shape());
    double* to = w.data<double>();
    std::fill_n(to, w.count(), 0.0);
    for (int64_t i = 0; i < columns; i++) {
      const int64_t *p = points.data() + i, left = p[0], center = p[1], right = p[2];
      if (left == center) to[center * columns + i] = 1;
      for (int64_t j = left; left < center && j <= center; j++) {
        to[j * columns + i] = static_cast<double>(j - left) / static_cast<double>(center - left);
      }
      for (int64_t j = center; j < right; j++) {
        to[j * columns + i] = static_cast<double>(right - j) / static_cast<double>(right - center);
      }
    }
    convert(c.pool(), w, y, {});
  }

 private:
  static constexpr int64_t kMost = int64_t{1} << 31;
  // The rows where triangles begin, peak and end: triangle i has points i, i + 1 and i + 2.
  static std::vector<int64_t> edges(const RunContext& c, int64_t columns, int64_t rows) {
    const double length = static_cast<double>(c.input(1).to_int64()[0]);
    const int64_t rate = c.input(2).to_int64()[0];
    const double low = float_at(c.input(3), 0), high = float_at(c.input(4), 0);
    check(rate > 0, ErrorCode::runtime_error, "sample_rate is ", rate);
    check(low >= 0 && high >= low && std::isfinite(high), ErrorCode::runtime_error, "there are no frequencies from ",
          low, " to ", high);
    const double from = mel(low), step = (mel(high) - from) / static_cast<double>(columns + 2);
    std::vector<int64_t> points;
    for (int64_t i = 0; i < columns + 2; i++) {
      const double hertz = 700 * (std::pow(10.0, (from + step * static_cast<double>(i)) / 2595) - 1);
      const double row = std::floor((length + 1) * hertz / static_cast<double>(rate));
      check(row < static_cast<double>(rows), ErrorCode::runtime_error, "the frequency ", hertz,
            " is above half of the sample_rate ", rate);
      points.push_back(static_cast<int64_t>(row));
    }
    return points;
  }
  static double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
  DType type_;
};

constexpr OpEntry kOps[] = {
    {"BlackmanWindow", 17, make_blackman},
    {"HannWindow", 17, make_hann},
    {"HammingWindow", 17, make_hamming},
    {"MelWeightMatrix", 17, make_operator<MelWeightMatrix>},
};

}  // namespace

std::span<const OpEntry> window_ops() { return kOps; }

}  // namespace sardonyx
