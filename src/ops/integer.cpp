// MatMulInteger and QLinearMatMul: exact products of 8-bit integers, and of float8 by way of float32.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/quant/quantize.h"
#include "ops/families.h"
#include "ops/util/float_blocks.h"
#include "ops/util/macs.h"
#include "ops/util/matmul_shape.h"
#include "ops/util/product.h"
#include "ops/util/product_x8.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kFloatBytes = kFloat8 - DTypeSet{DType::float8e8m0};

// What MatMulInteger and QLinearMatMul share; the positions of their inputs.
class IntegerProduct : public Operator {
 public:
  struct Inputs {
    int a, a_zero, b, b_zero;
  };
  IntegerProduct(const Attributes& a, const Inputs& inputs) : inputs_(inputs), has_b_zero_(a.inputs > inputs.b_zero) {}

  void prepare(PrepareContext& c) override {
    packed_ = PackedX8::of_constants(c, inputs_.b, inputs_.b_zero, has_b_zero_);
  }

  double macs(std::span<const InferInput> inputs, const Shape& y) const override {
    return matmul_macs(y, inputs[static_cast<size_t>(inputs_.a)].shape.back());
  }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

 protected:
  Shape output_shape(InferContext& c, DTypeSet types) const {
    for (int i : {inputs_.a, inputs_.b}) {
      c.require_dtype(i, types);
      c.require_rank(i, 1);
    }
    const MatMulShape s(c.shape(inputs_.a), c.shape(inputs_.b));
    require_lines(c, inputs_.a_zero, c.shape(inputs_.a), true);
    require_lines(c, inputs_.b_zero, c.shape(inputs_.b), false);
    if (c.has_input(inputs_.a_zero)) c.require_same_dtype(inputs_.a_zero, inputs_.a);
    if (c.has_input(inputs_.b_zero)) c.require_same_dtype(inputs_.b_zero, inputs_.b);
    return s.out;
  }

  // One value, one per row (or column) of `matrix`, or that for all its batch.
  static void require_lines(InferContext& c, int i, const Shape& matrix, bool rows) {
    if (!c.has_input(i)) return;
    const int r = matrix.rank();
    const int64_t lines = r == 1 ? 1 : matrix[rows ? r - 2 : r - 1], batch = r > 2 ? matrix.count(0, r - 2) : 1;
    check(fits_lines(c.shape(i), lines, lines * batch), ErrorCode::invalid_input, "input ", i, " has shape ",
          c.shape(i), " for ", lines, rows ? " rows" : " columns");
  }

  void multiply(RunContext& c, int32_t* y) const {
    const Tensor &a = c.input(inputs_.a), &b = c.input(inputs_.b);
    const MatMulShape s(a.shape(), b.shape());
    if (s.out.count() == 0) return;
    multiply_x8(c, s, a, zeros(c, inputs_.a_zero), packed_.defined() ? packed_ : PackedX8(b, zeros(c, inputs_.b_zero)),
                y);
  }

  Inputs inputs_;

 private:
  static ZeroPoints zeros(RunContext& c, int i) {
    return {c.has_input(i) ? byte_values(c.input(i)) : std::vector<int32_t>()};
  }

  bool has_b_zero_;
  PackedX8 packed_;
};

class MatMulInteger final : public IntegerProduct {
 public:
  explicit MatMulInteger(const Attributes& a) : IntegerProduct(a, {0, 2, 1, 3}) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 4);
    c.set_output(0, DType::int32, output_shape(c, kBytes));
  }

  void run(RunContext& c) const override { multiply(c, c.output(0).data<int32_t>()); }
};

// y = saturate(round(product * a_scale * b_scale / y_scale) + y_zero_point).
class QLinearMatMul final : public IntegerProduct {
 public:
  explicit QLinearMatMul(const Attributes& a) : IntegerProduct(a, {0, 2, 3, 5}) {}

  void infer(InferContext& c) const override {
    c.require_inputs(8, 8);
    for (int i : {2, 5}) c.require_input(i);
    const Shape y = output_shape(c, kBytes | kFloatBytes);
    for (int i : {1, 4, 6}) c.require_dtype(i, kFloat - DTypeSet{DType::float64});
    require_lines(c, 1, c.shape(0), true);
    require_lines(c, 4, c.shape(3), false);
    require_lines(c, 6, c.shape(0), true);
    require_lines(c, 7, c.shape(0), true);
    c.require_dtype(7, kBytes | kFloatBytes);
    check(kBytes.has(c.dtype(0)) == kBytes.has(c.dtype(3)), ErrorCode::invalid_input, c.dtype(0), " by ", c.dtype(3));
    c.set_output(0, c.dtype(7), y);
  }

  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const MatMulShape s(c.input(0).shape(), c.input(3).shape());
    if (!kBytes.has(c.input(0).dtype())) {
      const Tensor sums = multiply_floats(c, s);
      return store(c, s, sums.data<float>(), y);
    }
    Tensor sums = Tensor::allocate(DType::int32, y.shape());
    multiply(c, sums.data<int32_t>());
    if (!kBytes.has(y.dtype()) || !is_plain(c)) return store(c, s, sums.data<int32_t>(), y);
    const float f = to_float32(c.input(1)).data<float>()[0] * to_float32(c.input(4)).data<float>()[0] /
                    to_float32(c.input(6)).data<float>()[0];
    const int32_t zero = byte_values(c.input(7))[0];
    const size_t n = static_cast<size_t>(y.count());
    if (is_signed(y)) return kernels::requantize_s8(sums.data<int32_t>(), y.data<int8_t>(), n, f, zero);
    kernels::requantize_u8(sums.data<int32_t>(), y.data<uint8_t>(), n, f, zero);
  }

 private:
  // Has everything one scale and one zero point?
  static bool is_plain(RunContext& c) {
    for (int i : {1, 4, 6, 7}) {
      if (c.input(i).count() != 1) return false;
    }
    return true;
  }

  // Float8 matrices as float32, zero points taken off.
  static Tensor multiply_floats(RunContext& c, const MatMulShape& s) {
    const Tensor a = without_zero(c.input(0), c.input(2)), b = without_zero(c.input(3), c.input(5));
    Tensor y = Tensor::allocate(DType::float32, c.output(0).shape());
    for (int64_t i = 0; i < s.batch.count(); i++) {
      const auto [at_a, at_b] = s.positions(i);
      multiply_rows<float>(0, s.m, s.k, s.n, {a.data<float>() + static_cast<size_t>(at_a) * s.m * s.k, s.k, 1},
                           {b.data<float>() + static_cast<size_t>(at_b) * s.k * s.n, s.n, 1},
                           y.data<float>() + static_cast<size_t>(i) * s.m * s.n);
    }
    return y;
  }

  static Tensor without_zero(const Tensor& t, const Tensor& zero) {
    Tensor y = to_float32(t);
    const Tensor z = to_float32(zero);
    check(z.count() == 1, ErrorCode::runtime_error, "float8 matrices have one zero point");
    for (int64_t i = 0; i < y.count(); i++) y.data<float>()[i] -= z.data<float>()[0];
    return y;
  }

  template <class T>
  static void store(RunContext& c, const MatMulShape& s, const T* sums, Tensor& y) {
    const Tensor a = to_float32(c.input(1)), b = to_float32(c.input(4)), out = to_float32(c.input(6)),
                 zero = to_float32(c.input(7));
    const int64_t n = static_cast<int64_t>(s.n);
    for (int64_t i = 0; i < y.count(); i++) {
      const int64_t row = i / n;
      const int64_t column = row / static_cast<int64_t>(s.m) * n + i % n;  // through the batch of B
      const float f = value(a, row) * value(b, b.count() > n ? column : i % n) / value(out, row);
      const float v = static_cast<float>(sums[i]) * f, z = value(zero, row);
      if (is_signed(y)) {
        y.data<int8_t>()[i] = static_cast<int8_t>(saturated(std::nearbyint(v) + z, -128, 127));
      } else if (y.dtype() == DType::uint8) {
        y.data<uint8_t>()[i] = static_cast<uint8_t>(saturated(std::nearbyint(v) + z, 0, 255));
      } else {
        const auto kind = static_cast<Float8Kind>(static_cast<int>(y.dtype()) - static_cast<int>(DType::float8e4m3fn));
        y.data<uint8_t>()[i] = float_to_float8(v + z, kind, true);
      }
    }
  }

  static float saturated(float v, float lo, float hi) noexcept { return !(v > lo) ? lo : v > hi ? hi : v; }
  static float value(const Tensor& t, int64_t i) noexcept { return t.data<float>()[i % t.count()]; }
};

constexpr OpEntry kOps[] = {
    {"MatMulInteger", 10, make_operator<MatMulInteger>},
    {"QLinearMatMul", 10, make_operator<QLinearMatMul>},
    {"QLinearMatMul", 21, make_operator<QLinearMatMul>},
};

}  // namespace

std::span<const OpEntry> integer_ops() { return kOps; }

}  // namespace sardonyx
