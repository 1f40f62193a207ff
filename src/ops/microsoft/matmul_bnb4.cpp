// com.microsoft MatMulBnb4: a product with weights of 4 bits as bitsandbytes writes them, indices into a table of 16
// floats, which stay packed in memory.
#include "kernels/quant/nbits.h"
#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/macs.h"
#include "ops/util/unpacked_product.h"

namespace sardonyx {
namespace {

enum Input { kA, kB, kLargest };

// By bitsandbytes: what a sign, two bits of exponent and one of mantissa stand for; the quantiles of a normal
// distribution.
constexpr float kFp4[16] = {0.0f,  5.208333333e-03f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
                            -0.0f, -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
constexpr float kNf4[16] = {-1.0f,
                            -0.6961928009986877f,
                            -0.5250730514526367f,
                            -0.39491748809814453f,
                            -0.28444138169288635f,
                            -0.18477343022823334f,
                            -0.09105003625154495f,
                            0.0f,
                            0.07958029955625534f,
                            0.16093020141124725f,
                            0.24611230194568634f,
                            0.33791524171829224f,
                            0.44070982933044434f,
                            0.5626170039176941f,
                            0.7229568362236023f,
                            1.0f};

class MatMulBnb4 final : public Operator {
 public:
  explicit MatMulBnb4(const Attributes& a)
      : k_(a.integer("K")), n_(a.integer("N")), block_(a.integer("block_size")), type_(a.integer("quant_type")) {
    check(k_ > 0 && n_ > 0 && k_ < (int64_t{1} << 31) && n_ < (int64_t{1} << 31), ErrorCode::invalid_model, "K is ", k_,
          ", N ", n_);
    check(block_ >= 16 && block_ <= (int64_t{1} << 30) && (block_ & (block_ - 1)) == 0, ErrorCode::invalid_model,
          "block_size is ", block_, ", not a power of two from 16 on");
    check(type_ == 0 || type_ == 1, ErrorCode::invalid_model, "quant_type is ", type_, ", neither 0 (FP4) nor 1 (NF4)");
    check(a.integer("training_mode", 0) == 0, ErrorCode::invalid_model, "training_mode is for training");
    check(a.integer("transB", 1) == 1, ErrorCode::invalid_model, "transB is 0, which onnxruntime's CPU provider lacks");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 3);
    c.require_dtype(kA, kFloat - DTypeSet{DType::float64});
    c.require_dtype(kB, {DType::uint8});
    c.require_same_dtype(kA, kLargest);
    c.require_rank(kA, 1);
    const Shape& a = c.shape(kA);
    check(a.back() == k_, ErrorCode::invalid_input, "A of shape ", a, " does not end in K = ", k_);
    require_count(c, kB, (n_ * k_ + 1) / 2);
    require_count(c, kLargest, (n_ * k_ + block_ - 1) / block_);
    Shape y = a;
    y[y.rank() - 1] = n_;
    c.set_output(0, c.dtype(kA), y);
  }

  double macs(std::span<const InferInput>, const Shape& y) const override { return matmul_macs(y, k_); }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Tensor a = to_float32(c.input(kA)), largest = to_float32(c.input(kLargest));
    FloatOutput y(c.output(0));
    const kernels::Table4 w{c.input(kB).data<uint8_t>(), largest.data<float>(), static_cast<size_t>(block_),
                            type_ == 0 ? kFp4 : kNf4};
    const size_t k = static_cast<size_t>(k_);
    multiply_unpacked(c, a.count() / k_, k_, n_, a.data<float>(), nullptr, y.data(),
                      [&](size_t n0, size_t n1, float* to) { kernels::table4_unpack_f32(w, n0 * k, n1 * k, to); });
    y.store();
  }

 private:
  int64_t k_, n_, block_, type_;
};

constexpr OpEntry kOps[] = {{"MatMulBnb4", 1, make_operator<MatMulBnb4>}};

}  // namespace

std::span<const OpEntry> ms_bnb4_ops() { return kOps; }

}  // namespace sardonyx
