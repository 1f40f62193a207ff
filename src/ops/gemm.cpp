// Gemm: alpha * A * B + beta * C with optional transpositions.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/fused_steps.h"
#include "ops/util/macs.h"
#include "ops/util/product.h"

namespace sardonyx {
namespace {

// How C is broadcast to the m x n of the result: element (i, j) at i * row + j * column.
struct CStrides {
  size_t row = 0, column = 0;
  explicit CStrides(const Shape& c) {
    const int r = c.rank();
    if (r >= 1 && c[r - 1] != 1) column = 1;
    if (r == 2 && c[0] != 1) row = static_cast<size_t>(c[1]);
  }
};

class Gemm final : public Operator, public FusedSteps {
 public:
  explicit Gemm(const Attributes& a)
      : FusedSteps(3),
        alpha_(a.number("alpha", 1)),
        beta_(a.number("beta", 1)),
        trans_a_(a.flag("transA", false)),
        trans_b_(a.flag("transB", false)),
        since_(a.since) {
    if (a.since < 7) a.ignore("broadcast");  // C that fits needs no permission
  }

  Fusible* fusible() override { return this; }

  bool fuse_factor(float factor) override {
    if (has_tail() || scaled()) return false;
    alpha_ *= factor;
    beta_ *= factor;
    return true;
  }

  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    return matmul_macs(inputs[0].shape, inputs[1].shape[!trans_b_]);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(since_ < 11 ? 3 : 2, most_inputs(3));
    c.require_dtype(0, kFloat | DTypeSet{DType::int32, DType::int64, DType::uint32, DType::uint64});
    require_weight_dtype(c);
    c.require_rank(0, 2, 2);
    c.require_rank(1, 2, 2);
    const Shape &a = c.shape(0), &b = c.shape(1);
    check(a[!trans_a_] == b[trans_b_], ErrorCode::invalid_input, "cannot multiply ", a, trans_a_ ? " (transposed)" : "",
          " by ", b, trans_b_ ? " (transposed): " : ": ", a[!trans_a_], " is not ", b[trans_b_]);
    const Shape y{a[trans_a_], b[!trans_b_]};
    if (c.has_input(2)) {
      c.require_same_dtype(0, 2);
      const Shape& bias = c.shape(2);
      const int r = bias.rank();
      check(r <= 2 && (r < 1 || bias[r - 1] == 1 || bias[r - 1] == y[1]) && (r < 2 || bias[0] == 1 || bias[0] == y[0]),
            ErrorCode::invalid_input, "C of shape ", bias, " does not fit the result ", y);
    }
    c.set_output(0, c.dtype(0), result_shape(c, y));
  }

  uint32_t in_place() const override { return residual_inputs(); }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

  void prepare(PrepareContext& c) override {
    const Tensor* b = c.constant(1);
    if (!b || !b->has_data() || b->rank() != 2 || b->count() == 0) return;
    if (b->dtype() == DType::float64 || !kFloat.has(b->dtype())) return;
    const size_t k = static_cast<size_t>(b->dim(trans_b_)), n = static_cast<size_t>(b->dim(!trans_b_));
    const StoredMatrices stored{k, n, trans_b_ ? 1 : n, trans_b_ ? k : 1, {0}};
    if (scaled() || !pack_half_b(stored, c, packed_, unit_)) packed_ = pack(c.take_float32(1));
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Shape product{c.input(0).dim(trans_a_), c.input(1).dim(!trans_b_)};
    Target t = target(c, product, false, !adds_matrix(c));
    switch (t.y.dtype()) {
      case DType::float64:
        run_plain<double, double>(c, t.y);
        break;
      case DType::int32:
        run_plain<uint32_t, int32_t>(c, t.y);
        break;
      case DType::uint32:
        run_plain<uint32_t, uint32_t>(c, t.y);
        break;
      case DType::int64:
        run_plain<uint64_t, int64_t>(c, t.y);
        break;
      case DType::uint64:
        run_plain<uint64_t, uint64_t>(c, t.y);
        break;
      default:
        run_float32(c, t);
    }
    end(c, t);
  }

 private:
  struct Source final : ProductSource {
    ProductF32 p;
    ProductF32 product(int64_t) const override { return p; }
  };

  kernels::MatrixF32 b_matrix(const Tensor& b) const {
    const size_t columns = static_cast<size_t>(b.dim(1));
    return trans_b_ ? kernels::MatrixF32{b.data<float>(), 1, columns} : kernels::MatrixF32{b.data<float>(), columns, 1};
  }

  // Writes to b, and may return it.
  Tensor pack(Tensor b) const {
    const size_t k = static_cast<size_t>(b.dim(trans_b_)), n = static_cast<size_t>(b.dim(!trans_b_));
    if (pack_own_b(k, n, trans_b_, scale(), b)) return b;
    Tensor packed = Tensor::allocate(DType::float32, {static_cast<int64_t>(kernels::gemm_packed_b_size(k, n))});
    pack_b(k, n, b_matrix(b), scale(), packed.data<float>());
    return packed;
  }

  // Must C be put into y before the product is added to it?
  bool adds_matrix(RunContext& c) const {
    if (!c.has_input(2) || beta_ == 0) return false;
    const CStrides strides(c.input(2).shape());
    return strides.row != 0 && !(beta_ == 1 && !scaled() && strides.row == 1 && strides.column == 0);
  }

  void run_float32(RunContext& c, Target& t) const {
    const Tensor a = to_float32(c.input(0));
    FloatOutput y(t.y);
    const size_t m = static_cast<size_t>(y.tensor().dim(0)), n = static_cast<size_t>(y.tensor().dim(1));
    const size_t k = static_cast<size_t>(a.dim(!trans_a_)), lda = static_cast<size_t>(a.dim(1));
    Source source;
    ProductF32& p = source.p;
    p.a = trans_a_ ? kernels::MatrixF32{a.data<float>(), 1, lda} : kernels::MatrixF32{a.data<float>(), lda, 1};
    Tensor b = packed_.defined() ? packed_ : to_float32(c.input(1));
    if (!packed_.defined() && scaled() && b.count() > 0) b = pack(b.clone());
    p.b = packed_.defined() || scaled() ? packed_b(b, unit_, 0) : kernels::GemmB{b_matrix(b)};
    p.c = y.data();
    p.epilogue = t.epilogue;
    const Tensor bias = add_c(c, m, n, p);
    multiply_f32(c, 1, {m, k, n, alpha_}, source);
    y.store();
  }

  // Puts beta * C * scale + shift where the product adds it: per row, per column, or into y. Keeps what it returns.
  Tensor add_c(RunContext& c, size_t m, size_t n, ProductF32& p) const {
    if (!c.has_input(2) || beta_ == 0) {
      if (scaled()) p.epilogue.col_bias = shift().data();
      return {};
    }
    const Tensor bias = to_float32(c.input(2));
    const CStrides strides(bias.shape());
    const float* x = bias.data<float>();
    const bool plain = beta_ == 1 && !scaled();
    if (plain && strides.row == 0 && strides.column == 1) {
      p.epilogue.col_bias = x;
      return bias;
    }
    if (plain && strides.row == 1 && strides.column == 0) {
      p.epilogue.row_bias = x;
      return bias;
    }
    const size_t rows = strides.row ? m : 1;
    Tensor sum;
    float* to = p.c;
    if (rows == 1) {
      sum = Tensor::allocate(DType::float32, {static_cast<int64_t>(n)});
      to = sum.data<float>();
      p.epilogue.col_bias = to;
    } else {
      p.epilogue.accumulate = true;
    }
    for (size_t i = 0; i < rows; i++) {
      for (size_t j = 0; j < n; j++) {
        const float v = beta_ * x[i * strides.row + j * strides.column];
        *to++ = scaled() ? v * scale()[j] + shift()[j] : v;
      }
    }
    return sum;
  }

  // U: the type that wraps; T: the type as it is scaled.
  template <class U, class T>
  void run_plain(RunContext& c, Tensor& y) const {
    const Tensor &a = c.input(0), &b = c.input(1);
    const size_t m = static_cast<size_t>(y.dim(0)), n = static_cast<size_t>(y.dim(1));
    const size_t k = static_cast<size_t>(a.dim(!trans_a_));
    const size_t lda = static_cast<size_t>(a.dim(1)), ldb = static_cast<size_t>(b.dim(1));
    const PlainMatrix<U> left{a.data<U>(), trans_a_ ? 1 : lda, trans_a_ ? lda : 1};
    const PlainMatrix<U> right{b.data<U>(), trans_b_ ? 1 : ldb, trans_b_ ? ldb : 1};
    const T* bias = c.has_input(2) ? c.input(2).data<T>() : nullptr;
    const CStrides strides(bias ? c.input(2).shape() : Shape{});
    c.pool().parallel_for(static_cast<int64_t>(m), 16, [&](int64_t from, int64_t to) {
      multiply_rows(static_cast<size_t>(from), static_cast<size_t>(to), k, n, left, right, y.data<U>());
      for (size_t i = static_cast<size_t>(from); i < static_cast<size_t>(to); i++) {
        for (size_t j = 0; j < n; j++) {
          U& out = y.data<U>()[i * n + j];
          out = scaled_by(out, alpha_, T{});
          if (bias) out += scaled_by(static_cast<U>(bias[i * strides.row + j * strides.column]), beta_, T{});
        }
      }
    });
    apply_scale(reinterpret_cast<T*>(y.data<U>()), y.count(), 1);
  }

  template <class U, class T>
  static U scaled_by(U value, float factor, T) noexcept {
    if (factor == 1) return value;
    const double v = static_cast<double>(static_cast<T>(value)) * factor;
    if constexpr (std::is_floating_point_v<T>) return v;
    // Truncated; what does not fit saturates, as an undefined conversion must not be made.
    constexpr double lo = static_cast<double>(std::numeric_limits<T>::lowest());
    constexpr double hi = static_cast<double>(std::numeric_limits<T>::max());
    if (!(v > lo)) return static_cast<U>(std::numeric_limits<T>::lowest());
    if (v >= hi) return static_cast<U>(std::numeric_limits<T>::max());
    return static_cast<U>(static_cast<T>(v));
  }

  float alpha_, beta_;
  bool trans_a_, trans_b_;
  int since_;
  Tensor packed_;
  float unit_ = 0;  // where it is in 16 bits
};

constexpr OpEntry kOps[] = {
    {"Gemm", 1, make_operator<Gemm>}, {"Gemm", 6, make_operator<Gemm>},  {"Gemm", 7, make_operator<Gemm>},
    {"Gemm", 9, make_operator<Gemm>}, {"Gemm", 11, make_operator<Gemm>}, {"Gemm", 13, make_operator<Gemm>},
};

}  // namespace

std::span<const OpEntry> gemm_ops() { return kOps; }

}  // namespace sardonyx
