// MatMul: the matrix product with numpy's broadcasting.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/fused_steps.h"
#include "ops/util/macs.h"
#include "ops/util/matmul_shape.h"
#include "ops/util/product.h"

namespace sardonyx {
namespace {

class MatMul final : public Operator, public FusedSteps {
 public:
  explicit MatMul(const Attributes&) {}

  Fusible* fusible() override { return this; }
  // Its channels are the last axis, those of a BatchNormalization behind it axis 1.
  bool fuse_scale_shift(std::span<const float>, std::span<const float>) override { return false; }

  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kFloat | DTypeSet{DType::int32, DType::int64, DType::uint32, DType::uint64});
    c.require_same_dtype(0, 1);
    c.require_rank(0, 1);
    c.require_rank(1, 1);
    c.set_output(0, c.dtype(0), MatMulShape(c.shape(0), c.shape(1)).out);
  }

  double macs(std::span<const InferInput> inputs, const Shape& y) const override {
    return matmul_macs(y, inputs[0].shape.back());
  }

  uint64_t packed_bytes() const override { return packed_.byte_size(); }

  void prepare(PrepareContext& c) override {
    const Tensor* b = c.constant(1);
    if (!b || !b->has_data() || b->rank() < 1 || b->count() == 0) return;
    if (b->dtype() == DType::float64 || !kFloat.has(b->dtype())) return;
    packed_ = pack(to_float32(*b));
    c.release(1);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    switch (c.input(0).dtype()) {
      case DType::float64:
        return run_plain<double>(c);
      case DType::int32:
      case DType::uint32:
        return run_plain<uint32_t>(c);
      case DType::int64:
      case DType::uint64:
        return run_plain<uint64_t>(c);
      default:
        return run_float32(c);
    }
  }

 private:
  static size_t columns(const Tensor& b) { return b.rank() == 1 ? 1 : static_cast<size_t>(b.shape().back()); }
  static size_t rows(const Tensor& b) { return static_cast<size_t>(b.shape()[std::max(0, b.rank() - 2)]); }

  // All matrices of b, one behind the other, each as the kernels want it.
  Tensor pack(const Tensor& b) const {
    const size_t k = rows(b), n = columns(b);
    const int64_t batch = b.count() / static_cast<int64_t>(k * n);
    const size_t size = kernels::gemm_packed_b_size(k, n);
    Tensor all = Tensor::allocate(DType::float32, {batch, static_cast<int64_t>(size)});
    for (int64_t i = 0; i < batch; i++) {
      pack_b(k, n, {b.data<float>() + static_cast<size_t>(i) * k * n, n, 1}, scale(),
             all.data<float>() + i * static_cast<int64_t>(size));
    }
    return all;
  }

  struct Source final : ProductSource {
    const MatMulShape& shape;
    const float *a, *b;
    bool packed;
    size_t b_size;
    float* c;
    kernels::Epilogue epilogue;

    Source(const MatMulShape& s) : shape(s) {}
    ProductF32 product(int64_t i) const override {
      const auto [at_a, at_b] = shape.positions(i);
      const size_t m = shape.m, k = shape.k, n = shape.n;
      return {{a + static_cast<size_t>(at_a) * m * k, k, 1},
              {{b + static_cast<size_t>(at_b) * b_size, n, 1}, packed},
              c + static_cast<size_t>(i) * m * n,
              epilogue};
    }
  };

  void run_float32(RunContext& c) const {
    const Tensor a = to_float32(c.input(0));
    const MatMulShape shape(a.shape(), c.input(1).shape());
    FloatOutput y(c.output(0));
    const Tensor b = packed_.defined() ? packed_ : to_float32(c.input(1));
    Source source(shape);
    source.packed = packed_.defined();
    source.a = a.data<float>();
    source.b = b.data<float>();
    source.b_size = source.packed ? kernels::gemm_packed_b_size(shape.k, shape.n) : shape.k * shape.n;
    source.c = y.data();
    source.epilogue = clamp();
    multiply_f32(c, shape.batch.count(), {shape.m, shape.k, shape.n}, source);
    y.store();
  }

  template <class T>
  void run_plain(RunContext& c) const {
    const MatMulShape s(c.input(0).shape(), c.input(1).shape());
    const T* a = c.input(0).data<T>();
    const T* b = c.input(1).data<T>();
    T* y = c.output(0).data<T>();
    const int64_t rows = static_cast<int64_t>(s.m);
    const int64_t grain = std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(1, static_cast<int64_t>(s.k * s.n)));
    for (int64_t i = 0; i < s.batch.count(); i++) {
      const auto [at_a, at_b] = s.positions(i);
      const PlainMatrix<T> left{a + static_cast<size_t>(at_a) * s.m * s.k, s.k, 1};
      const PlainMatrix<T> right{b + static_cast<size_t>(at_b) * s.k * s.n, s.n, 1};
      c.pool().parallel_for(rows, grain, [&](int64_t from, int64_t to) {
        multiply_rows(static_cast<size_t>(from), static_cast<size_t>(to), s.k, s.n, left, right,
                      y + static_cast<size_t>(i) * s.m * s.n);
      });
    }
    if (c.output(0).dtype() == DType::int32) return apply_clamp(c.output(0).data<int32_t>(), c.output(0).count());
    if (c.output(0).dtype() == DType::int64) return apply_clamp(c.output(0).data<int64_t>(), c.output(0).count());
    apply_clamp(y, c.output(0).count());
  }

  Tensor packed_;
};

constexpr OpEntry kOps[] = {
    {"MatMul", 1, make_operator<MatMul>},
    {"MatMul", 9, make_operator<MatMul>},
    {"MatMul", 13, make_operator<MatMul>},
};

}  // namespace

std::span<const OpEntry> matmul_ops() { return kOps; }

}  // namespace sardonyx
