// Products with weights that stay packed in memory: some columns of the result at a time have theirs unpacked.
#pragma once
#include <algorithm>

#include "kernels/gemm/gemm_f32.h"
#include "ops/operator.h"
#include "ops/util/scratch_slots.h"

namespace sardonyx {

// Throws Error (invalid_input) unless input i has so many elements, in whatever shape.
inline void require_count(const InferContext& c, int i, int64_t count) {
  check(c.shape(i).count() == count, ErrorCode::invalid_input, "input ", i, " of shape ", c.shape(i), " does not have ",
        count, " elements");
}

// y [rows][n] = a [rows][k] times the transposed W [n][k], plus bias [n] (or null). unpack(n0, n1, to) writes rows
// [n0, n1) of W as float32, from any thread. Takes the run's scratch.
template <class Unpack>
void multiply_unpacked(RunContext& c, int64_t rows, int64_t k, int64_t n, const float* a, const float* bias, float* y,
                       Unpack unpack) {
  const int64_t step = std::clamp<int64_t>((int64_t{1} << 17) / k / 8 * 8, 8, 64);
  const size_t m = static_cast<size_t>(rows), depth = static_cast<size_t>(k), columns = static_cast<size_t>(n);
  const int64_t unpacked = (step * k + 31) / 16 * 16;
  ScratchSlots<float> slots(
      c, unpacked + static_cast<int64_t>(kernels::gemm_dynamic_scratch_size(m, depth, static_cast<size_t>(step))));
  c.pool().parallel_for((n + step - 1) / step, 1, [&](int64_t from, int64_t to) {
    ScratchSlots<float>::Lease scratch(slots);
    for (int64_t block = from; block < to; block++) {
      const size_t n0 = static_cast<size_t>(block * step), n1 = static_cast<size_t>(std::min(n, block * step + step));
      unpack(n0, n1, scratch.data());
      kernels::Epilogue e;
      e.col_bias = bias ? bias + n0 : nullptr;
      kernels::gemm_dynamic_f32(m, depth, n1 - n0, {a, depth, 1}, 1, {{scratch.data(), 1, depth}}, y + n0, columns,
                                scratch.data() + unpacked, e);
    }
  });
}

}  // namespace sardonyx
