// Clip: limits by attributes or by inputs.
#include <limits>

#include "kernels/elementwise/unary_f32.h"
#include "ops/families.h"
#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

// min(hi, max(x, lo)): where lo > hi, hi wins. NaN stays NaN.
template <class T>
void clip_loop(const T* x, T* y, int64_t n, T lo, T hi) noexcept {
  for (int64_t i = 0; i < n; i++) {
    const T v = x[i] < lo ? lo : x[i];
    y[i] = v > hi ? hi : v;
  }
}

template <class T>
void clip_tensor(ThreadPool& pool, const Tensor& x, Tensor& y, const Tensor* lo, const Tensor* hi) {
  using Limits = std::numeric_limits<T>;
  const T low = lo ? *lo->data<T>() : Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  const T high = hi ? *hi->data<T>() : Limits::has_infinity ? Limits::infinity() : Limits::max();
  pool.parallel_for(x.count(), 16384, [&](int64_t from, int64_t to) {
    clip_loop(x.data<T>() + from, y.data<T>() + from, to - from, low, high);
  });
}

// Limits in float32; a limit that is left out is none.
void clip_floats(ThreadPool& pool, const Tensor& x, Tensor& y, float lo, float hi) {
  map_floats(pool, x, y, [&](const float* in, float* out, int64_t n) {
    kernels::clip_f32(in, out, static_cast<size_t>(n), lo, hi);
  });
}

class Clip final : public Operator {
 public:
  explicit Clip(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 3);
    c.require_dtype(0, kNumeric);
    for (int i = 1; i <= 2; i++) {
      if (!c.has_input(i)) continue;
      c.require_same_dtype(i, 0);
      check(c.shape(i).count() == 1, ErrorCode::invalid_model, i == 1 ? "min" : "max",
            " must be a scalar, not of shape ", c.shape(i));
    }
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const Tensor* lo = c.has_input(1) ? &c.input(1) : nullptr;
    const Tensor* hi = c.has_input(2) ? &c.input(2) : nullptr;
    if (x.dtype() == DType::float32 || is_half(x.dtype())) {
      float low = -std::numeric_limits<float>::infinity(), high = -low;
      if (lo) load_floats(lo->dtype(), lo->bytes(), 0, 1, &low);
      if (hi) load_floats(hi->dtype(), hi->bytes(), 0, 1, &high);
      return clip_floats(c.pool(), x, c.output(0), low, high);
    }
    if (x.dtype() == DType::float64) return clip_tensor<double>(c.pool(), x, c.output(0), lo, hi);
    dispatch_int(x.dtype(), [&]<class T>(TypeTag<T>) { clip_tensor<T>(c.pool(), x, c.output(0), lo, hi); });
  }
  uint32_t in_place() const override { return 1; }
};

// Opsets 1 to 10: limits are attributes, the largest finite floats where left out.
class ClipByAttributes final : public Operator {
 public:
  explicit ClipByAttributes(const Attributes& a)
      : lo_(a.number("min", std::numeric_limits<float>::lowest())),
        hi_(a.number("max", std::numeric_limits<float>::max())) {
    if (a.opset < 6) a.ignore("consumed_inputs");
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kFloat);
    c.set_output_like(0, 0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    if (x.dtype() != DType::float64) return clip_floats(c.pool(), x, c.output(0), lo_, hi_);
    const Tensor lo = Tensor::scalar(static_cast<double>(lo_)), hi = Tensor::scalar(static_cast<double>(hi_));
    clip_tensor<double>(c.pool(), x, c.output(0), &lo, &hi);
  }
  uint32_t in_place() const override { return 1; }

 private:
  float lo_, hi_;
};

constexpr OpEntry kOps[] = {
    {"Clip", 1, make_operator<ClipByAttributes>},
    {"Clip", 11, make_operator<Clip>},
};

}  // namespace

std::span<const OpEntry> clip_ops() { return kOps; }

}  // namespace sardonyx
