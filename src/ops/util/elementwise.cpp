// The one loop over types and blocks of elementwise operators.
#include "ops/util/elementwise.h"

#include "ops/util/dispatch.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {

void ElementMap::infer(InferContext& c) const {
  c.require_inputs(1, 1);
  c.require_dtype(0, f_.types);
  c.set_output_like(0, 0);
}

void ElementMap::run(RunContext& c) const {
  const Tensor& x = c.input(0);
  Tensor& y = c.output(0);
  const DType type = x.dtype();
  const float* p = p_.data();
  if (type == DType::float32 || is_half(type)) {
    map_floats(c.pool(), x, y,
               [&](const float* in, float* out, int64_t n) { f_.f32(in, out, static_cast<size_t>(n), p); });
    return;
  }
  c.pool().parallel_for(x.count(), 16384, [&](int64_t from, int64_t to) {
    const auto n = static_cast<size_t>(to - from);
    const std::byte* in = advance(x.data<std::byte>(), type, from);
    std::byte* out = advance(y.data<std::byte>(), type, from);
    if (type == DType::float64) {
      f_.f64(reinterpret_cast<const double*>(in), reinterpret_cast<double*>(out), n, p);
    } else {
      f_.integer(type, in, out, n, p);
    }
  });
}

}  // namespace sardonyx
