// Max, Min, Sum and Mean of any number of tensors, with broadcasting.
#include <cmath>
#include <cstring>

#include "kernels/elementwise/binary_f32.h"
#include "ops/families.h"
#include "ops/util/binary_map.h"
#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

// A NaN on either side is the result.
struct Larger {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return a > b || a != a ? a : b;
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return a < b || a != a ? a : b;
  }
};
struct Plus {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return a + b;
  }
};

template <class F, kernels::BinaryF32 kKernel>
BinaryLoop extreme(DType type) {
  BinaryLoop loop = nullptr;
  if (type == DType::float32) return kernel_loop<kKernel>;
  if (type == DType::float64) return binary_loop<double, F>;
  dispatch_int(type, [&]<class T>(TypeTag<T>) { loop = binary_loop<T, F>; });
  return loop;
}
BinaryLoop plus(DType type) {
  return type == DType::float32 ? kernel_loop<kernels::add_f32> : binary_loop<double, Plus>;
}

constexpr BinaryFunction kMax{kNumeric, extreme<Larger, kernels::max_f32>};
constexpr BinaryFunction kMin{kNumeric, extreme<Smaller, kernels::min_f32>};
constexpr BinaryFunction kSum{kFloat, plus};

// Folds the inputs from the left. Before opset 8 there is no broadcasting.
class Fold final : public Operator {
 public:
  Fold(const Attributes& a, const BinaryFunction& f, bool mean)
      : f_(f), mean_(mean), broadcasts_(a.opset >= 8), inputs_(a.inputs) {
    if (a.opset < 6) a.ignore("consumed_inputs");
  }
  void infer(InferContext& c) const override;
  void run(RunContext& c) const override;
  // The first two inputs are read as the output is first written, later ones not.
  uint32_t in_place() const override { return inputs_ >= 2 ? 3 : 1; }

 private:
  void fold(ThreadPool& pool, std::span<const Tensor> inputs, Tensor& y) const;

  const BinaryFunction& f_;
  bool mean_, broadcasts_;
  int inputs_;
};

void Fold::infer(InferContext& c) const {
  c.require_inputs(1, InferContext::kAnyCount);
  Shape shape = c.shape(0);
  c.require_dtype(0, f_.types);
  for (int i = 1; i < c.input_count(); i++) {
    c.require_same_dtype(i, 0);
    check(broadcasts_ || c.shape(i) == shape, ErrorCode::invalid_model, "shapes ", shape, " and ", c.shape(i),
          " differ");
    shape = broadcast(shape, c.shape(i));
  }
  c.set_output(0, c.dtype(0), shape);
}

void Fold::fold(ThreadPool& pool, std::span<const Tensor> inputs, Tensor& y) const {
  const BinaryLoop loop = f_.loop(y.dtype());
  run_binary(pool, inputs[0], inputs[1], y, loop);
  for (const Tensor& next : inputs.subspan(2)) run_binary(pool, y, next, y, loop);
  if (!mean_) return;
  if (y.dtype() == DType::float32) {
    Tensor n = Tensor::scalar(static_cast<float>(inputs.size()));
    run_binary(pool, y, n, y, kernel_loop<kernels::div_f32>);
  } else {
    for (int64_t i = 0; i < y.count(); i++) y.data<double>()[i] /= static_cast<double>(inputs.size());
  }
}

void Fold::run(RunContext& c) const {
  Tensor& y = c.output(0);
  if (c.input_count() == 1) {
    if (y.count() > 0 && y.bytes() != c.input(0).bytes()) memcpy(y.bytes(), c.input(0).bytes(), y.byte_size());
    return;
  }
  // 16-bit floats are folded in float32 and rounded once.
  const bool half = is_half(y.dtype());
  std::vector<Tensor> inputs;
  for (int i = 0; i < c.input_count(); i++) {
    const Tensor& x = c.input(i);
    const bool overwritten = i >= 2 && x.bytes() == y.bytes();  // Sum(x, y, x) in the memory of x
    inputs.push_back(half ? to_float32(x) : overwritten ? x.clone() : x);
  }
  if (!half) return fold(c.pool(), inputs, y);
  Tensor wide = Tensor::allocate(DType::float32, y.shape());
  fold(c.pool(), inputs, wide);
  store_floats(y.dtype(), wide.data<float>(), y.bytes(), 0, y.count());
}

template <const BinaryFunction& kF, bool kMean>
std::unique_ptr<Operator> make(const Attributes& a) {
  return std::make_unique<Fold>(a, kF, kMean);
}

constexpr OpEntry kOps[] = {
    {"Max", 1, make<kMax, false>},
    {"Min", 1, make<kMin, false>},
    {"Sum", 1, make<kSum, false>},
    {"Mean", 1, make<kSum, true>},
};

}  // namespace

std::span<const OpEntry> variadic_ops() { return kOps; }

}  // namespace sardonyx
