// Dropout: the identity with a mask of ones, or in training mode random zeros.
#include <cstring>
#include <random>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/elements.h"

namespace sardonyx {
namespace {

// Uniform in [0, 1) with 53 bits from two draws: what numpy's legacy generator gives for the same seed, on which the
// standard's test data rests.
double uniform(std::mt19937& engine) {
  const uint32_t high = static_cast<uint32_t>(engine()) >> 5, low = static_cast<uint32_t>(engine()) >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

class Dropout final : public Operator {
 public:
  explicit Dropout(const Attributes& a)
      : since_(a.since), plain_(a.outputs <= 1 && a.inputs < 3), has_mode_(a.inputs > 2) {
    if (since_ < 12) a.ignore("ratio");
    if (since_ < 7) a.ignore("is_test");
    if (since_ < 6) a.ignore("consumed_inputs");
    if (since_ >= 12 && a.has("seed")) seed_ = static_cast<uint32_t>(a.integer("seed"));
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, since_ < 12 ? 1 : 3);
    c.require_dtype(0, since_ < 10 ? kFloat : kFloat | kFloat8);
    if (c.has_input(1)) {
      c.require_dtype(1, kFloat);
      check(c.shape(1).count() == 1, ErrorCode::invalid_input, "ratio is not one number but ", c.shape(1));
    }
    if (c.has_input(2)) {
      c.require_dtype(2, kBool);
      check(c.shape(2).count() == 1, ErrorCode::invalid_input, "training_mode is not one flag but ", c.shape(2));
    }
    c.set_output_like(0, 0);
    c.set_output(1, since_ < 10 ? c.dtype(0) : DType::boolean, c.shape(0));
  }

  int view_of() const override { return plain_ ? 0 : -1; }
  uint32_t in_place() const override { return 1; }
  bool is_random() const override { return has_mode_ && !seed_; }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    float ratio = 0.5f;
    if (c.has_input(1)) ratio = to_float32(c.input(1)).data<float>()[0];
    const bool training = c.has_input(2) && c.input(2).data<uint8_t>()[0] != 0;
    if (training && ratio != 0) {
      check(ratio > 0 && ratio < 1, ErrorCode::runtime_error, "ratio ", static_cast<double>(ratio),
            " is not in [0, 1)");
      return drop(c, ratio);
    }
    RunCopier copy(x.dtype());
    if (c.output(0).bytes() != x.bytes()) copy(c.output(0).bytes(), 0, x.bytes(), 0, x.count());
    if (c.has_output(1)) fill_mask(c.output(1));
  }

 private:
  static void fill_mask(Tensor& mask) {
    if (mask.dtype() == DType::boolean) {
      std::fill_n(mask.data<uint8_t>(), mask.count(), uint8_t{1});
    } else if (mask.dtype() == DType::float64) {
      std::fill_n(mask.data<double>(), mask.count(), 1.0);
    } else {
      FloatOutput ones(mask);
      std::fill_n(ones.data(), mask.count(), 1.0f);
      ones.store();
    }
  }

  void drop(RunContext& c, float ratio) const {
    const Tensor& x = c.input(0);
    std::mt19937 engine(seed_ ? *seed_ : std::random_device()());
    uint8_t* mask = c.has_output(1) ? c.output(1).data<uint8_t>() : nullptr;
    const double scale = 1 / (1 - static_cast<double>(ratio));
    check(kFloat.has(x.dtype()), ErrorCode::runtime_error, x.dtype(), " cannot be trained");
    for (int64_t i = 0; i < x.count(); i++) {
      const bool keep = uniform(engine) >= static_cast<double>(ratio);
      if (mask) mask[i] = keep;
      put_float(c.output(0), i, keep ? float_at(x, i) * scale : 0);
    }
  }

  int since_;
  bool plain_, has_mode_;
  std::optional<uint32_t> seed_;
};

constexpr OpEntry kOps[] = {
    {"Dropout", 1, make_operator<Dropout>},  {"Dropout", 6, make_operator<Dropout>},
    {"Dropout", 7, make_operator<Dropout>},  {"Dropout", 10, make_operator<Dropout>},
    {"Dropout", 12, make_operator<Dropout>}, {"Dropout", 13, make_operator<Dropout>},
    {"Dropout", 22, make_operator<Dropout>},
};

}  // namespace

std::span<const OpEntry> dropout_ops() { return kOps; }

}  // namespace sardonyx
