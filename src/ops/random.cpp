// Random values: RandomNormal, RandomUniform (and Like), Multinomial, Bernoulli.
#include "ops/random.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "ops/util/numbers.h"

namespace sardonyx {
namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class Generator {
 public:
  explicit Generator(uint64_t seed) noexcept : state_(seed) {}
  uint64_t next() noexcept {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // In [0, 1).
  double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Mean 0, deviation 1 (Box and Muller).
  double normal() noexcept {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  uint64_t state_;
};

// What all have in common: the seed. With the attribute, each run gives the same values; without, each run others.
class RandomOp : public Operator {
 public:
  explicit RandomOp(const Attributes& a) : seeded_(a.has("seed")), seed_(a.number("seed", 0.0f)) {}
  bool is_random() const final { return true; }

 protected:
  Generator generator() const noexcept {
    if (seeded_) return Generator(std::bit_cast<uint32_t>(seed_));
    // Nodes and runs differ; there is no entropy here, and none is promised.
    const uint64_t place = reinterpret_cast<uintptr_t>(this);
    return Generator(place * 0x2545f4914f6cdd1du + runs_.fetch_add(1) * 0x9e3779b97f4a7c15u);
  }

 private:
  bool seeded_;
  float seed_;
  mutable std::atomic<uint64_t> runs_ = 0;
};

class RandomFill final : public RandomOp {
 public:
  RandomFill(const Attributes& a, bool normal, bool like)
      : RandomOp(a),
        normal_(normal),
        like_(like),
        dtype_(a.dtype("dtype", like ? DType::undefined : DType::float32)),
        a_(normal ? a.number("mean", 0.0f) : a.number("low", 0.0f)),
        b_(normal ? a.number("scale", 1.0f) : a.number("high", 1.0f)) {
    if (like) return;
    check(a.has("shape"), ErrorCode::invalid_model, "attribute \"shape\" is missing");
    shape_ = Shape(a.ints("shape"));
  }
  void infer(InferContext& c) const override {
    c.require_inputs(like_ ? 1 : 0, like_ ? 1 : 0);
    const DType type = dtype_ == DType::undefined ? c.dtype(0) : dtype_;
    check(kFloat.has(type), ErrorCode::invalid_model, "cannot make random ", type);
    c.set_output(0, type, like_ ? c.shape(0) : shape_);
  }
  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    Generator random = generator();
    const double base = static_cast<double>(a_);
    const double scale = normal_ ? static_cast<double>(b_) : static_cast<double>(b_) - base;
    with_number(y.dtype(), [&]<class T>(T) {
      if constexpr (!std::is_integral_v<T>) {
        T* to = y.data<T>();
        for (int64_t i = 0; i < y.count(); i++) {
          const double v = base + scale * (normal_ ? random.normal() : random.uniform());
          if constexpr (std::is_same_v<T, double>) {
            to[i] = v;
          } else {
            to[i] = T(static_cast<float>(v));
          }
        }
      }
    });
  }

 private:
  bool normal_, like_;
  DType dtype_;
  float a_, b_;
  Shape shape_;
};

// ONNX Multinomial: draws classes by the unnormalised log probabilities of each row.
class Multinomial final : public RandomOp {
 public:
  explicit Multinomial(const Attributes& a)
      : RandomOp(a), dtype_(a.dtype("dtype", DType::int32)), samples_(a.integer("sample_size", 1)) {
    check(kIndex.has(dtype_), ErrorCode::invalid_model, "attribute \"dtype\" is ", dtype_,
          "; allowed are int32, int64");
    check(samples_ >= 0, ErrorCode::invalid_model, "attribute \"sample_size\" is ", samples_);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    c.require_rank(0, 2, 2);
    check(c.shape(0)[1] > 0, ErrorCode::invalid_model, "there are no classes");
    c.set_output(0, dtype_, Shape{c.shape(0)[0], samples_});
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    Generator random = generator();
    const int64_t classes = x.dim(1);
    auto* sums = c.scratch<double>(classes);
    with_number(x.dtype(), [&]<class T>(T) {
      for (int64_t row = 0; row < x.dim(0); row++) {
        const T* logits = x.data<T>() + row * classes;
        double most = static_cast<double>(logits[0]), sum = 0;
        for (int64_t k = 1; k < classes; k++) most = std::max(most, static_cast<double>(logits[k]));
        for (int64_t k = 0; k < classes; k++) sums[k] = sum += std::exp(static_cast<double>(logits[k]) - most);
        for (int64_t s = row * samples_; s < (row + 1) * samples_; s++) {
          const double at = random.uniform() * sum;
          int64_t k = 0;
          while (k + 1 < classes && !(at < sums[k])) k++;
          if (dtype_ == DType::int32) {
            y.data<int32_t>()[s] = static_cast<int32_t>(k);
          } else {
            y.data<int64_t>()[s] = k;
          }
        }
      }
    });
  }

 private:
  DType dtype_;
  int64_t samples_;
};

// ONNX Bernoulli: 1 with the probability that the input gives, else 0.
class Bernoulli final : public RandomOp {
 public:
  explicit Bernoulli(const Attributes& a) : RandomOp(a), dtype_(a.dtype("dtype", DType::undefined)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    const DType type = dtype_ == DType::undefined ? c.dtype(0) : dtype_;
    check((kNumeric | kBool).has(type), ErrorCode::invalid_model, "cannot make ", type);
    c.set_output(0, type, c.shape(0));
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    Generator random = generator();
    auto* hits = c.scratch<uint8_t>(x.count());
    with_number(x.dtype(), [&]<class T>(T) {
      for (int64_t i = 0; i < x.count(); i++) hits[i] = random.uniform() < static_cast<double>(x.data<T>()[i]);
    });
    with_number(y.dtype(), [&]<class T>(T) {
      for (int64_t i = 0; i < y.count(); i++) y.data<T>()[i] = T(hits[i]);
    });
  }

 private:
  DType dtype_;
};

}  // namespace

std::unique_ptr<Operator> make_random_normal(const Attributes& a) {
  return std::make_unique<RandomFill>(a, true, false);
}
std::unique_ptr<Operator> make_random_normal_like(const Attributes& a) {
  return std::make_unique<RandomFill>(a, true, true);
}
std::unique_ptr<Operator> make_random_uniform(const Attributes& a) {
  return std::make_unique<RandomFill>(a, false, false);
}
std::unique_ptr<Operator> make_random_uniform_like(const Attributes& a) {
  return std::make_unique<RandomFill>(a, false, true);
}
std::unique_ptr<Operator> make_multinomial(const Attributes& a) { return std::make_unique<Multinomial>(a); }
std::unique_ptr<Operator> make_bernoulli(const Attributes& a) { return std::make_unique<Bernoulli>(a); }

}  // namespace sardonyx
