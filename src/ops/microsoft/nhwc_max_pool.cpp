// com.microsoft NhwcMaxPool: the maximum of windows where the channels are the last axis, on 8-bit values.
#include <algorithm>
#include <limits>

#include "ops/families.h"
#include "ops/util/conv_geometry.h"
#include "ops/util/product_x8.h"

namespace sardonyx {
namespace {

// [batch][spatial][channels] as [batch][channels][spatial].
Shape channels_first(const Shape& x) {
  Shape turned = x;
  turned[1] = x.back();
  for (int i = 2; i < x.rank(); i++) turned[i] = x[i - 1];
  return turned;
}

class NhwcMaxPool final : public Operator {
 public:
  explicit NhwcMaxPool(const Attributes& a) : window_(a) {
    check(!window_.kernel_shape().empty(), ErrorCode::invalid_model, "kernel_shape is missing");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kBytes);
    c.require_rank(0, 3);
    const Shape x = channels_first(c.shape(0)), planes = window_output_shape(x[0], x[1], window_.geometry(x));
    Shape y = planes;
    for (int i = 1; i + 1 < y.rank(); i++) y[i] = planes[i + 1];
    y[y.rank() - 1] = planes[1];
    c.set_output(0, c.dtype(0), y);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    if (is_signed(c.input(0))) return run_as(c, c.input(0).data<int8_t>(), c.output(0).data<int8_t>());
    run_as(c, c.input(0).data<uint8_t>(), c.output(0).data<uint8_t>());
  }

 private:
  template <class T>
  void run_as(RunContext& c, const T* x, T* y) const {
    const Shape shape = channels_first(c.input(0).shape());
    const WindowGeometry g = window_.geometry(shape);
    const int64_t channels = shape[1], out = g.out_size(), in = g.in_size(), taps = g.taps();
    const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 16) / std::max<int64_t>(1, channels * taps));
    c.pool().parallel_for(shape[0] * out, grain, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {
        T* row = y + i * channels;
        std::fill_n(row, channels, std::numeric_limits<T>::lowest());
        for (int64_t t = 0; t < taps; t++) {
          const int64_t at = g.offset(i % out, t);
          if (at < 0) continue;
          const T* pixel = x + (i / out * in + at) * channels;
          for (int64_t j = 0; j < channels; j++) row[j] = std::max(row[j], pixel[j]);
        }
      }
    });
  }

  WindowAttributes window_;
};

constexpr OpEntry kOps[] = {{"NhwcMaxPool", 1, make_operator<NhwcMaxPool>}};

}  // namespace

std::span<const OpEntry> ms_pool_ops() { return kOps; }

}  // namespace sardonyx
