// Softmax, LogSoftmax and Hardmax.
#include "kernels/norm/softmax.h"

#include <cmath>
#include <cstring>

#include "kernels/reduce/reduce.h"
#include "ops/families.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

// [outer][axis][inner], as int64 and for the kernels.
struct Layout {
  int64_t outer, axis, inner;
};

template <class T>
using AxisLoop = void (*)(const T* x, T* y, size_t outer, size_t axis, size_t inner) noexcept;

template <bool kLog>
void softmax_f32(const float* x, float* y, size_t outer, size_t axis, size_t inner) noexcept {
  if (inner == 1) {
    (kLog ? kernels::log_softmax_rows_f32 : kernels::softmax_rows_f32)(x, y, outer, axis);
  } else {
    (kLog ? kernels::log_softmax_axis_f32 : kernels::softmax_axis_f32)(x, y, outer, axis, inner);
  }
}

template <bool kLog>
void softmax_f64(const double* x, double* y, size_t outer, size_t axis, size_t inner) noexcept {
  for (size_t o = 0; o < outer; o++) {
    for (size_t i = 0; i < inner; i++) {
      const double* in = x + o * axis * inner + i;
      double* out = y + o * axis * inner + i;
      double largest = in[0], sum = 0;
      for (size_t k = 1; k < axis; k++) largest = std::fmax(largest, in[k * inner]);
      for (size_t k = 0; k < axis; k++) sum += std::exp(in[k * inner] - largest);
      const double log_sum = std::log(sum);
      for (size_t k = 0; k < axis; k++) {
        const double t = in[k * inner] - largest;
        out[k * inner] = kLog ? t - log_sum : std::exp(t) / sum;
      }
    }
  }
}

// 1 at the first maximum along the axis, 0 elsewhere; x is not y.
template <class T>
void hardmax(const T* x, T* y, size_t outer, size_t axis, size_t inner) noexcept {
  memset(y, 0, outer * axis * inner * sizeof(T));
  for (size_t o = 0; o < outer; o++) {
    for (size_t i = 0; i < inner; i++) {
      int64_t at = 0;
      const T* in = x + o * axis * inner + i;
      for (size_t k = 1; k < axis; k++) {
        if (in[k * inner] > in[static_cast<size_t>(at) * inner]) at = static_cast<int64_t>(k);
      }
      y[(o * axis + static_cast<size_t>(at)) * inner + i] = 1;
    }
  }
}

template <class T>
void run_loop(ThreadPool& pool, const T* x, T* y, const Layout& l, AxisLoop<T> loop) {
  const int64_t size = l.axis * l.inner;
  pool.parallel_for(l.outer, std::max<int64_t>(1, 8192 / size), [&](int64_t from, int64_t to) {
    loop(x + from * size, y + from * size, static_cast<size_t>(to - from), static_cast<size_t>(l.axis),
         static_cast<size_t>(l.inner));
  });
}

struct Loops {
  AxisLoop<float> f32;
  AxisLoop<double> f64;
  bool in_place;
};

// Until opset 12 the tensor is taken for a matrix: the axes before `axis` are its rows, the others its columns.
class Softmax final : public Operator {
 public:
  Softmax(const Attributes& a, const Loops& loops)
      : loops_(loops), as_matrix_(a.opset < 13), axis_(a.integer("axis", a.opset < 13 ? 1 : -1)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    layout(c.shape(0));
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor& y = c.output(0);
    if (x.count() == 0) return;
    const Layout l = layout(x.shape());
    if (x.dtype() == DType::float64) return run_loop(c.pool(), x.data<double>(), y.data<double>(), l, loops_.f64);
    if (x.dtype() == DType::float32) return run_loop(c.pool(), x.data<float>(), y.data<float>(), l, loops_.f32);
    const Tensor wide = to_float32(x);
    Tensor result = Tensor::allocate(DType::float32, y.shape());
    run_loop(c.pool(), wide.data<float>(), result.data<float>(), l, loops_.f32);
    store_floats(y.dtype(), result.data<float>(), y.bytes(), 0, y.count());
  }
  uint32_t in_place() const override { return loops_.in_place ? 1 : 0; }

 private:
  Layout layout(const Shape& s) const {
    const int rank = s.rank();
    if (rank == 0 && (axis_ == 0 || axis_ == -1)) return {1, 1, 1};
    if (as_matrix_) {
      const int axis = axis_ == rank ? rank : normalize_axis(axis_, rank);
      return {s.count(0, axis), s.count(axis, rank), 1};
    }
    const int axis = normalize_axis(axis_, rank);
    return {s.count(0, axis), s[axis], s.count(axis + 1, rank)};
  }

  const Loops& loops_;
  bool as_matrix_;
  int64_t axis_;
};

constexpr Loops kSoftmax{softmax_f32<false>, softmax_f64<false>, true};
constexpr Loops kLogSoftmax{softmax_f32<true>, softmax_f64<true>, true};
constexpr Loops kHardmax{hardmax<float>, hardmax<double>, false};

template <const Loops& kLoops>
std::unique_ptr<Operator> make(const Attributes& a) {
  return std::make_unique<Softmax>(a, kLoops);
}

constexpr OpEntry kOps[] = {
    {"Softmax", 1, make<kSoftmax>},        {"Softmax", 13, make<kSoftmax>}, {"LogSoftmax", 1, make<kLogSoftmax>},
    {"LogSoftmax", 13, make<kLogSoftmax>}, {"Hardmax", 1, make<kHardmax>},  {"Hardmax", 13, make<kHardmax>},
};

}  // namespace

std::span<const OpEntry> softmax_ops() { return kOps; }

}  // namespace sardonyx
