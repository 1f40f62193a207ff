// MatMul: the matrix product with numpy's broadcasting; and com.microsoft FusedMatMul.
#include <algorithm>
#include <optional>

#include "ops/families.h"
#include "ops/microsoft/standard.h"
#include "ops/util/as_float.h"
#include "ops/util/elements.h"
#include "ops/util/fused_steps.h"
#include "ops/util/macs.h"
#include "ops/util/matmul_shape.h"
#include "ops/util/product.h"

namespace sardonyx {
namespace {

// The matrices of one operand, which may be stored with its axes in another order.
struct Operand {
  Shape shape;  // as the product sees it
  size_t row = 0, column = 1;
  std::vector<int64_t> batch_strides;  // in elements, of the axes before the last two; 0 where an axis repeats

  // perm: axis i of the operand is axis perm[i] of what is stored; empty: the same. vector_row: is rank 1 a row?
  Operand(const Shape& stored, std::span<const int64_t> perm, bool vector_row) {
    const int rank = stored.rank();
    check(perm.empty() || static_cast<int>(perm.size()) == rank, ErrorCode::invalid_input, "a transposition of ",
          perm.size(), " axes was fused before an input of shape ", stored);
    std::vector<int64_t> strides;
    for (int i = 0; i < rank; i++) {
      const int from = perm.empty() ? i : static_cast<int>(perm[static_cast<size_t>(i)]);
      shape.push_back(stored[from]);
      strides.push_back(stored.count(from + 1, rank));
    }
    if (rank == 1) {
      (vector_row ? column : row) = 1;
      return;
    }
    row = static_cast<size_t>(strides[static_cast<size_t>(rank - 2)]);
    column = static_cast<size_t>(strides[static_cast<size_t>(rank - 1)]);
    for (int i = 0; i < rank - 2; i++) batch_strides.push_back(shape[i] == 1 ? 0 : strides[static_cast<size_t>(i)]);
  }

  // The step between rows, if those of all matrices of the batch follow each other at one step.
  std::optional<size_t> step_of_rows() const {
    int64_t step = 0, next = 0;
    for (int d = shape.rank() - 2; d >= 0; d--) {
      if (shape[d] == 1) continue;
      const int64_t at = d == shape.rank() - 2 ? static_cast<int64_t>(row) : batch_strides[static_cast<size_t>(d)];
      if (step != 0 && at != next) return std::nullopt;
      if (step == 0) step = at;
      next = at * shape[d];
    }
    return static_cast<size_t>(step);
  }

  // Where matrix i of the batch begins.
  size_t at(const Shape& batch, int64_t i) const noexcept {
    int64_t offset = 0;
    for (int d = batch.rank() - 1, s = static_cast<int>(batch_strides.size()) - 1; d >= 0 && s >= 0; d--, s--) {
      offset += i % batch[d] * batch_strides[static_cast<size_t>(s)];
      i /= batch[d];
    }
    return static_cast<size_t>(offset);
  }
};

class MatMul final : public Operator, public FusedSteps {
 public:
  explicit MatMul(const Attributes&) : FusedSteps(2) {}
  // FusedMatMul: a factor, and operands whose last two axes are exchanged (trans), or whose first axis is moved behind
  // those of the batch before that (trans_batch).
  MatMul(const Attributes& a, float alpha) : FusedSteps(2), alpha_(alpha) {
    trans_[0] = a.flag("transA", false), trans_[1] = a.flag("transB", false);
    trans_batch_[0] = a.flag("transBatchA", false), trans_batch_[1] = a.flag("transBatchB", false);
  }

  Fusible* fusible() override { return this; }
  // Its channels are the last axis, those of a BatchNormalization behind it axis 1.
  bool fuse_scale_shift(std::span<const float>, std::span<const float>) override { return false; }
  bool fuse_factor(float factor) override {
    if (has_tail()) return false;
    alpha_ *= factor;
    return true;
  }
  bool fuse_transpose(int input, std::span<const int64_t> perm) override {
    if (input > 1 || perm.size() < 2 || !perm_[input].empty() || trans_[input] || trans_batch_[input]) return false;
    perm_[input].assign(perm.begin(), perm.end());
    return true;
  }

  void infer(InferContext& c) const override {
    c.require_inputs(2, most_inputs(2));
    c.require_dtype(0, kFloat | DTypeSet{DType::int32, DType::int64, DType::uint32, DType::uint64});
    require_weight_dtype(c);
    check(alpha_ == 1 || kFloat.has(c.dtype(0)), ErrorCode::invalid_input,
          "a factor was fused to a product of integers");
    c.require_rank(0, 1);
    c.require_rank(1, 1);
    const Operand a(c.shape(0), order(0, c.rank(0)), true), b(c.shape(1), order(1, c.rank(1)), false);
    c.set_output(0, c.dtype(0), result_shape(c, MatMulShape(a.shape, b.shape).out));
  }

  uint32_t in_place() const override { return residual_inputs(); }
  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    const Shape &x = inputs[0].shape, &w = inputs[1].shape;
    const Operand a(x, order(0, x.rank()), true), b(w, order(1, w.rank()), false);
    return matmul_macs(MatMulShape(a.shape, b.shape).out, a.shape.back());
  }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

  void prepare(PrepareContext& c) override {
    const Tensor* b = c.constant(1);
    if (!b || !b->has_data() || b->rank() < 1 || b->count() == 0) return;
    if (b->dtype() == DType::float64 || !kFloat.has(b->dtype())) return;
    if (!perm_[1].empty() && static_cast<int>(perm_[1].size()) != b->rank()) return;  // infer says so
    if (!pack_half_b(matrices(*b), c, packed_, unit_)) packed_ = pack(c.take_float32(1));
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const std::vector<int64_t> order_a = order(0, c.input(0).rank());
    const Operand b(c.input(1).shape(), order(1, c.input(1).rank()), false);
    Tensor x = c.input(0);
    Operand a(x.shape(), order_a, true);
    std::optional<size_t> step = a.step_of_rows();
    MatMulShape shape(a.shape, b.shape, step.has_value());
    // A batch of a few rows each would read all of b as many times.
    constexpr size_t kFewRows = 32;
    if (!step && shape.m < kFewRows && shape.batch_b.count() == 1) {
      Tensor in_order = Tensor::allocate(x.dtype(), a.shape);
      permute(x, order_a, in_order);
      x = std::move(in_order);
      a = Operand(x.shape(), {}, true);
      shape = MatMulShape(a.shape, b.shape);
    } else if (step) {
      a.row = *step;
    }
    Target t = target(c, shape.out, b.shape.rank() > 1);
    switch (t.y.dtype()) {
      case DType::float64:
        run_plain<double>(c, shape, x, a, b, t.y);
        break;
      case DType::int32:
      case DType::uint32:
        run_plain<uint32_t>(c, shape, x, a, b, t.y);
        break;
      case DType::int64:
      case DType::uint64:
        run_plain<uint64_t>(c, shape, x, a, b, t.y);
        break;
      default:
        run_float32(c, shape, x, a, b, t);
    }
    end(c, t);
  }

 private:
  // The permutation before input i; none where there is none.
  std::vector<int64_t> order(int i, int rank) const {
    if (rank < 2 || !(trans_[i] || trans_batch_[i])) return perm_[i];
    std::vector<int64_t> perm;
    for (int d = 0; d < rank; d++) perm.push_back(d);
    if (trans_batch_[i]) std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
    if (trans_[i]) std::swap(perm[perm.size() - 2], perm[perm.size() - 1]);
    return perm;
  }

  // Those of b as they are stored.
  StoredMatrices matrices(const Tensor& stored) const {
    const Operand b(stored.shape(), order(1, stored.rank()), false);
    const bool column = b.shape.rank() == 1;
    const Shape batch = column ? Shape{} : Shape(b.shape.dims().first(static_cast<size_t>(b.shape.rank() - 2)));
    StoredMatrices m{static_cast<size_t>(b.shape[std::max(0, b.shape.rank() - 2)]),
                     column ? 1 : static_cast<size_t>(b.shape.back()),
                     b.row,
                     b.column,
                     {}};
    for (int64_t i = 0; i < batch.count(); i++) m.at.push_back(b.at(batch, i));
    return m;
  }

  // All matrices of b, one behind the other, each as the kernels want it; a fused factor is multiplied in.
  Tensor pack(Tensor stored) const {
    const StoredMatrices b = matrices(stored);
    const size_t size = kernels::gemm_packed_b_size(b.k, b.n);
    const std::vector<float> factor(alpha_ == 1 ? 0 : b.n, alpha_);
    const bool transposed = b.row_stride == 1 && b.column_stride == b.k;
    const bool plain = b.row_stride == b.n && b.column_stride == 1;
    if (b.at.size() == 1 && (transposed || plain) && pack_own_b(b.k, b.n, transposed, factor, stored)) return stored;
    Tensor all = Tensor::allocate(DType::float32, {static_cast<int64_t>(b.at.size()), static_cast<int64_t>(size)});
    for (size_t i = 0; i < b.at.size(); i++) {
      pack_b(b.k, b.n, {stored.data<float>() + b.at[i], b.row_stride, b.column_stride}, factor,
             all.data<float>() + i * size);
    }
    return all;
  }

  struct Source final : ProductSource {
    const MatMulShape& shape;
    const Operand &a, &b;
    const float* a_data;
    const Tensor& weights;  // packed, or b in float32
    bool packed;
    float unit;
    float* c;
    kernels::Epilogue epilogue;

    Source(const MatMulShape& s, const Operand& left, const Operand& right, const Tensor& w)
        : shape(s), a(left), b(right), weights(w) {}
    ProductF32 product(int64_t i) const override {
      const size_t m = shape.m, k = shape.k, n = shape.n;
      const size_t at = packed ? static_cast<size_t>(shape.positions(i).second) * kernels::gemm_packed_b_size(k, n)
                               : b.at(shape.batch, i);
      return {{a_data + a.at(shape.batch, i), a.row, a.column},
              packed ? packed_b(weights, unit, at) : kernels::GemmB{{weights.data<float>() + at, b.row, b.column}},
              c + static_cast<size_t>(i) * m * n,
              epilogue};
    }
  };

  void run_float32(RunContext& c, const MatMulShape& shape, const Tensor& x, const Operand& a, const Operand& b,
                   Target& t) const {
    const Tensor left = to_float32(x);
    const Tensor right = packed_.defined() ? packed_ : to_float32(c.input(1));
    FloatOutput y(t.y);
    Source source(shape, a, b, right);
    source.packed = packed_.defined();
    source.unit = unit_;
    source.a_data = left.data<float>();
    source.c = y.data();
    source.epilogue = t.epilogue;
    const bool has_factor = packed_.defined() && packed_.dtype() == DType::float32;
    multiply_f32(c, shape.batch.count(), {shape.m, shape.k, shape.n, has_factor ? 1 : alpha_}, source);
    y.store();
  }

  template <class T>
  void run_plain(RunContext& c, const MatMulShape& s, const Tensor& x, const Operand& a, const Operand& b,
                 Tensor& y) const {
    const int64_t rows = static_cast<int64_t>(s.m);
    const int64_t grain = std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(1, static_cast<int64_t>(s.k * s.n)));
    for (int64_t i = 0; i < s.batch.count(); i++) {
      const PlainMatrix<T> left{x.data<T>() + a.at(s.batch, i), a.row, a.column};
      const PlainMatrix<T> right{c.input(1).data<T>() + b.at(s.batch, i), b.row, b.column};
      c.pool().parallel_for(rows, grain, [&](int64_t from, int64_t to) {
        multiply_rows(static_cast<size_t>(from), static_cast<size_t>(to), s.k, s.n, left, right,
                      y.data<T>() + static_cast<size_t>(i) * s.m * s.n);
      });
    }
    if constexpr (std::is_same_v<T, double>) {
      for (int64_t i = 0; alpha_ != 1 && i < y.count(); i++) y.data<T>()[i] *= static_cast<double>(alpha_);
    }
  }

  Tensor packed_;
  float unit_ = 0;  // where it is in 16 bits
  float alpha_ = 1;
  std::vector<int64_t> perm_[2];  // of transpositions that were fused; empty: none
  bool trans_[2] = {}, trans_batch_[2] = {};
};

constexpr OpEntry kOps[] = {
    {"MatMul", 1, make_operator<MatMul>},
    {"MatMul", 9, make_operator<MatMul>},
    {"MatMul", 13, make_operator<MatMul>},
};

}  // namespace

std::unique_ptr<Operator> make_fused_matmul(const Attributes& a) {
  return std::make_unique<MatMul>(a, a.number("alpha", 1));
}

std::span<const OpEntry> matmul_ops() { return kOps; }

}  // namespace sardonyx
