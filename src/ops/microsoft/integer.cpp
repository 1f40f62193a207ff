// com.microsoft DynamicQuantizeMatMul, MatMulIntegerToFloat and QGemm: integer products that end in floats.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/quant/matmul_x8.h"
#include "kernels/quant/quantize.h"
#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/macs.h"
#include "ops/util/product_x8.h"

namespace sardonyx {
namespace {

// Turns sums into floats, where they lie.
class Scaled final : public SumsDone {
 public:
  Scaled(int32_t* sums, int64_t n, float factor, const float* columns, const float* bias)
      : sums_(sums), n_(n), factor_(factor), columns_(columns), bias_(bias) {}
  void block(int64_t m0, int64_t m1, int64_t n0, int64_t n1) const noexcept override {
    int32_t* x = sums_ + m0 * n_ + n0;
    kernels::scale_sums_f32(static_cast<size_t>(m1 - m0), static_cast<size_t>(n1 - n0), x, factor_,
                            columns_ ? columns_ + n0 : nullptr, bias_ ? bias_ + n0 : nullptr,
                            reinterpret_cast<float*>(x), static_cast<size_t>(n_));
  }

 private:
  int32_t* sums_;
  int64_t n_;
  float factor_;
  const float *columns_, *bias_;
};

// Positions of the inputs; -1: none.
struct Inputs {
  int a, b, a_scale, b_scale, a_zero, b_zero, bias;
};

// y = (a - a_zero) * (b - b_zero) * a_scale * b_scale + bias; without a scale of a, it is quantized here.
class FloatProduct final : public Operator {
 public:
  FloatProduct(const Attributes& a, const Inputs& inputs) : in_(inputs), has_zero_(a.inputs > inputs.b_zero) {}

  void infer(InferContext& c) const override {
    c.require_inputs(dynamic() ? 3 : 4, in_.bias + 1);
    c.require_dtype(in_.a, dynamic() ? DTypeSet{DType::float32} : kBytes);
    c.require_dtype(in_.b, kBytes);
    for (int i : {in_.a, in_.b}) c.require_rank(i, 1);
    const MatMulShape s(c.shape(in_.a), c.shape(in_.b));
    const Shape& b = c.shape(in_.b);
    const int64_t n = static_cast<int64_t>(s.n), all = b.rank() > 2 ? n * b.count(0, b.rank() - 2) : n;
    const DTypeSet floats = dynamic() ? DTypeSet{DType::float32} : DTypeSet{DType::float32, DType::float16};
    c.require_dtype(in_.b_scale, floats);
    require_count(c, in_.b_scale, n, all);
    if (!dynamic()) {
      c.require_same_dtype(in_.b_scale, in_.a_scale);
      require_count(c, in_.a_scale, 1, 1);
      require_count(c, in_.a_zero, 1, 1);
      if (c.has_input(in_.a_zero)) c.require_same_dtype(in_.a, in_.a_zero);
    }
    require_count(c, in_.b_zero, n, all);
    if (c.has_input(in_.b_zero)) c.require_same_dtype(in_.b, in_.b_zero);
    if (c.has_input(in_.bias)) {
      c.require_same_dtype(in_.b_scale, in_.bias);
      check(c.shape(in_.bias) == Shape{n}, ErrorCode::invalid_input, "bias has shape ", c.shape(in_.bias), " for ", n,
            " columns");
    }
    c.set_output(0, c.dtype(in_.b_scale), s.out);
  }

  void prepare(PrepareContext& c) override { packed_ = PackedX8::of_constants(c, in_.b, in_.b_zero, has_zero_); }
  uint64_t packed_bytes() const override { return packed_.byte_size(); }
  double macs(std::span<const InferInput> inputs, const Shape& y) const override {
    return matmul_macs(y, inputs[static_cast<size_t>(in_.a)].shape.back());
  }

  void run(RunContext& c) const override {
    Tensor& out = c.output(0);
    if (out.count() == 0) return;
    const MatMulShape s(c.input(in_.a).shape(), c.input(in_.b).shape());
    Tensor a = c.input(in_.a);
    float factor;
    ZeroPoints zero;
    if (dynamic()) {
      a = quantized(c.pool(), a, factor, zero);
    } else {
      factor = to_float32(c.input(in_.a_scale)).data<float>()[0];
      if (c.has_input(in_.a_zero)) zero.values = byte_values(c.input(in_.a_zero));
    }
    const Tensor scale = to_float32(c.input(in_.b_scale)),
                 bias = c.has_input(in_.bias) ? to_float32(c.input(in_.bias)) : Tensor();
    if (scale.count() == 1) factor *= scale.data<float>()[0];
    Tensor y = out.dtype() == DType::float32 ? out : Tensor::allocate(DType::float32, out.shape());
    auto* sums = reinterpret_cast<int32_t*>(y.data<float>());
    const int64_t n = static_cast<int64_t>(s.n);
    const bool batched = scale.count() > n;
    const Scaled done(sums, n, factor, scale.count() == 1 || batched ? nullptr : scale.data<float>(),
                      bias.defined() && !batched ? bias.data<float>() : nullptr);
    const PackedX8& b = packed_;
    multiply_x8(c, s, a, zero, b.defined() ? b : PackedX8(c.input(in_.b), zeros_of_b(c)), sums, &done);
    if (batched) scale_batch(s, scale, bias, y.data<float>());
    if (out.dtype() != DType::float32) store_floats(out.dtype(), y.data<float>(), out.bytes(), 0, out.count());
  }

 private:
  bool dynamic() const noexcept { return in_.a_scale < 0; }

  static void require_count(InferContext& c, int i, int64_t n, int64_t all) {
    if (!c.has_input(i)) return;
    check(fits_lines(c.shape(i), n, all), ErrorCode::invalid_input, "input ", i, " has shape ", c.shape(i), " for ", n,
          " columns");
  }

  ZeroPoints zeros_of_b(RunContext& c) const {
    return {c.has_input(in_.b_zero) ? byte_values(c.input(in_.b_zero)) : std::vector<int32_t>()};
  }

  // As DynamicQuantizeLinear does.
  static Tensor quantized(ThreadPool& pool, const Tensor& x, float& scale, ZeroPoints& zero) {
    const kernels::QuantParams q =
        kernels::dynamic_quantize_params(kernels::range_with_zero_f32(x.data<float>(), static_cast<size_t>(x.count())));
    Tensor y = Tensor::allocate(DType::uint8, x.shape());
    pool.parallel_for(x.count(), 1 << 14, [&](int64_t from, int64_t to) {
      kernels::quantize_u8(x.data<float>() + from, y.data<uint8_t>() + from, static_cast<size_t>(to - from), q.scale,
                           q.zero);
    });
    scale = q.scale;
    zero.values = {q.zero};
    return y;
  }

  // Scales that differ through the batch of B.
  static void scale_batch(const MatMulShape& s, const Tensor& scale, const Tensor& bias, float* y) noexcept {
    const int64_t n = static_cast<int64_t>(s.n), each = static_cast<int64_t>(s.m) * n;
    for (int64_t i = 0; i < s.batch.count() * each; i++) {
      const int64_t at = s.positions(i / each).second * n + i % n;
      y[i] = y[i] * scale.data<float>()[at] + (bias.defined() ? bias.data<float>()[i % n] : 0);
    }
  }

  Inputs in_;
  bool has_zero_;
  PackedX8 packed_;
};

std::unique_ptr<Operator> make_dynamic(const Attributes& a) {
  return std::make_unique<FloatProduct>(a, Inputs{0, 1, -1, 2, -1, 3, 4});
}
std::unique_ptr<Operator> make_to_float(const Attributes& a) {
  return std::make_unique<FloatProduct>(a, Inputs{0, 1, 2, 3, 4, 5, 6});
}

// y = ((A - a_zero) (B - b_zero) + C) a_scale b_scale alpha, quantized where there is a y_scale.
class QGemm final : public Operator {
 public:
  explicit QGemm(const Attributes& a)
      : alpha_(a.number("alpha", 1)), trans_a_(a.flag("transA", false)), trans_b_(a.flag("transB", false)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(6, 9);
    for (int i : {0, 3}) {
      c.require_dtype(i, kBytes);
      c.require_rank(i, 2, 2);
    }
    const Shape &a = c.shape(0), &b = c.shape(3);
    check(a[!trans_a_] == b[trans_b_], ErrorCode::invalid_input, "cannot multiply ", a, trans_a_ ? " (transposed)" : "",
          " by ", b, trans_b_ ? " (transposed)" : "");
    const Shape y{a[trans_a_], b[!trans_b_]};
    for (int i : {1, 2, 4, 5, 7, 8}) {
      if (i >= 7 && !c.has_input(i)) continue;
      if (i == 1 || i == 4 || i == 7) c.require_dtype(i, {DType::float32});
      const int64_t n = c.shape(i).count();
      check(n == 1 || (n == y[1] && (i == 4 || i == 5)), ErrorCode::invalid_input, "input ", i, " has shape ",
            c.shape(i));
    }
    c.require_same_dtype(0, 2);
    c.require_same_dtype(3, 5);
    check(c.has_input(7) == c.has_input(8), ErrorCode::invalid_model,
          "y_scale and y_zero_point must be given together");
    if (c.has_input(8)) c.require_dtype(8, kBytes);
    if (c.has_input(6)) {
      c.require_dtype(6, {DType::int32});
      check(broadcast(y, c.shape(6)) == y, ErrorCode::invalid_input, "C of shape ", c.shape(6), " does not fit ", y);
    }
    c.set_output(0, c.has_input(8) ? c.dtype(8) : DType::float32, y);
  }

  double macs(std::span<const InferInput> inputs, const Shape& y) const override {
    return matmul_macs(y, inputs[0].shape[!trans_a_]);
  }

  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    const Tensor a = turned(c.input(0), trans_a_), b = turned(c.input(3), trans_b_);
    const MatMulShape s(a.shape(), b.shape());
    Tensor sums = Tensor::allocate(DType::int32, s.out);
    multiply_x8(c, s, a, {byte_values(c.input(2))}, PackedX8(b, {byte_values(c.input(5))}), sums.data<int32_t>());
    if (c.has_input(6)) add_c(c.input(6), sums);
    const Tensor& scale = c.input(4);
    Tensor floats = c.has_input(7) ? Tensor::allocate(DType::float32, y.shape()) : y;
    const bool single = scale.count() == 1;
    const float factor = alpha_ * c.input(1).data<float>()[0] * (single ? scale.data<float>()[0] : 1);
    kernels::scale_sums_f32(s.m, s.n, sums.data<int32_t>(), factor, single ? nullptr : scale.data<float>(), nullptr,
                            floats.data<float>(), s.n);
    if (!c.has_input(7)) return;
    const int32_t zero = byte_values(c.input(8))[0];
    const size_t n = static_cast<size_t>(y.count());
    const float y_scale = c.input(7).data<float>()[0];
    if (is_signed(y)) return kernels::quantize_s8(floats.data<float>(), y.data<int8_t>(), n, y_scale, zero);
    kernels::quantize_u8(floats.data<float>(), y.data<uint8_t>(), n, y_scale, zero);
  }

 private:
  static Tensor turned(const Tensor& x, bool transposed) {
    if (!transposed) return x;
    Tensor y = Tensor::allocate(x.dtype(), {x.dim(1), x.dim(0)});
    for (int64_t i = 0; i < x.count(); i++) {
      y.data<uint8_t>()[i % x.dim(1) * x.dim(0) + i / x.dim(1)] = x.data<uint8_t>()[i];
    }
    return y;
  }

  static void add_c(const Tensor& bias, Tensor& sums) noexcept {
    const int r = bias.rank();
    const int64_t columns = r >= 1 ? bias.dim(r - 1) : 1, rows = r == 2 ? bias.dim(0) : 1, n = sums.dim(1);
    for (int64_t i = 0; i < sums.count(); i++) {
      const int64_t at = (rows == 1 ? 0 : i / n * columns) + (columns == 1 ? 0 : i % n);
      const uint32_t sum =
          static_cast<uint32_t>(sums.data<int32_t>()[i]) + static_cast<uint32_t>(bias.data<int32_t>()[at]);
      sums.data<int32_t>()[i] = static_cast<int32_t>(sum);
    }
  }

  float alpha_;
  bool trans_a_, trans_b_;
};

constexpr OpEntry kOps[] = {
    {"DynamicQuantizeMatMul", 1, make_dynamic},
    {"MatMulIntegerToFloat", 1, make_to_float},
    {"QGemm", 1, make_operator<QGemm>},
};

}  // namespace

std::span<const OpEntry> ms_integer_ops() { return kOps; }

}  // namespace sardonyx
