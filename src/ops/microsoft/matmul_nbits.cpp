// com.microsoft MatMulNBits: a product with weights of 2, 4 or 8 bits, which stay packed in memory.
#include <algorithm>

#include "kernels/quant/nbits.h"
#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/macs.h"
#include "ops/util/unpacked_product.h"

namespace sardonyx {
namespace {

enum Input { kA, kB, kScales, kZeros, kGroups, kBias };

constexpr DTypeSet kFloats = kFloat - DTypeSet{DType::float64};
constexpr int64_t kFewRows = 6;  // rows of A up to which unpacking once per row is faster than unpacking to memory

class MatMulNBits final : public Operator {
 public:
  explicit MatMulNBits(const Attributes& a)
      : k_(a.integer("K")), n_(a.integer("N")), bits_(a.integer("bits", 4)), block_(a.integer("block_size")) {
    check(k_ > 0 && n_ > 0 && k_ < (int64_t{1} << 31) && n_ < (int64_t{1} << 31), ErrorCode::invalid_model, "K is ", k_,
          ", N ", n_);
    check(bits_ == 2 || bits_ == 4 || bits_ == 8, ErrorCode::invalid_model, "bits is ", bits_, ", not 2, 4 or 8");
    check(block_ >= 16 && block_ <= (int64_t{1} << 30) && (block_ & (block_ - 1)) == 0, ErrorCode::invalid_model,
          "block_size is ", block_, ", not a power of two from 16 on");
    check(a.integer("weight_prepacked", 0) == 0, ErrorCode::invalid_model, "weight_prepacked is a GPU's layout");
    a.ignore("accuracy_level");  // the least accuracy that is asked for; all of it is float32's
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 6);
    for (int i : {kA, kScales}) c.require_dtype(i, kFloats);
    c.require_same_dtype(kA, kScales);
    c.require_dtype(kB, {DType::uint8});
    c.require_rank(kA, 1);
    const Shape& a = c.shape(kA);
    check(a.back() == k_, ErrorCode::invalid_input, "A of shape ", a, " does not end in K = ", k_);
    const int64_t blocks = (k_ + block_ - 1) / block_;
    require_count(c, kB, n_ * blocks * (block_ * bits_ / 8));
    require_count(c, kScales, n_ * blocks);
    if (c.has_input(kZeros)) {
      c.require_dtype(kZeros, kFloats | DTypeSet{DType::uint8});
      require_count(c, kZeros, n_ * (c.dtype(kZeros) == DType::uint8 ? (blocks * bits_ + 7) / 8 : blocks));
    }
    if (c.has_input(kGroups)) {
      c.require_dtype(kGroups, {DType::int32});
      const int64_t n = c.shape(kGroups).count();
      check(n == k_ || n == blocks * block_, ErrorCode::invalid_input, "g_idx has shape ", c.shape(kGroups));
    }
    if (c.has_input(kBias)) {
      c.require_same_dtype(kA, kBias);
      require_count(c, kBias, n_);
    }
    Shape y = a;
    y[y.rank() - 1] = n_;
    c.set_output(0, c.dtype(kA), y);
  }

  double macs(std::span<const InferInput>, const Shape& y) const override { return matmul_macs(y, k_); }

  void prepare(PrepareContext& c) override {
    // What is small and read over and over is float32 from then on.
    for (int i : {kScales, kZeros, kBias}) {
      const Tensor* t = c.constant(i);
      if (t && t->has_data() && is_half(t->dtype())) wide_[i] = c.take_float32(i);
    }
  }

  uint64_t packed_bytes() const override {
    uint64_t sum = 0;
    for (const Tensor& t : wide_) sum += t.defined() ? t.byte_size() : 0;
    return sum;
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Tensor a = to_float32(c.input(kA)), scales = floats(c, kScales), bias = floats(c, kBias);
    kernels::NBits w{};
    w.form = kernels::nbits_best_form();
    w.bits = static_cast<size_t>(bits_), w.block = static_cast<size_t>(block_), w.k = static_cast<size_t>(k_);
    w.data = c.input(kB).data<uint8_t>();
    w.scales = scales.data<float>();
    Tensor zeros;
    if (c.has_input(kZeros)) {
      const bool packed = c.input(kZeros).dtype() == DType::uint8;
      if (packed) {
        w.zeros = c.input(kZeros).data<uint8_t>();
      } else {
        zeros = floats(c, kZeros);
        w.float_zeros = zeros.data<float>();
      }
    }
    if (c.has_input(kGroups)) w.block_of = groups(c, w);
    FloatOutput y(c.output(0));
    const float* b = bias.defined() ? bias.data<float>() : nullptr;
    const int64_t rows = a.count() / k_;
    if (kernels::nbits_has_gemv(w) && rows <= kFewRows) {
      run_rows(c, w, rows, a.data<float>(), b, y.data());
    } else {
      multiply_unpacked(c, rows, k_, n_, a.data<float>(), b, y.data(),
                        [&](size_t n0, size_t n1, float* to) { kernels::nbits_unpack_f32(w, n0, n1, to); });
    }
    y.store();
  }

 private:
  Tensor floats(RunContext& c, int i) const {
    if (wide_[i].defined()) return wide_[i];
    return c.has_input(i) ? to_float32(c.input(i)) : Tensor();
  }

  // g_idx where it says anything else than that blocks follow one another; null where not.
  const int32_t* groups(RunContext& c, const kernels::NBits& w) const {
    const int32_t* g = c.input(kGroups).data<int32_t>();
    bool plain = true;
    for (int64_t i = 0; i < k_; i++) {
      check(g[i] >= 0 && static_cast<size_t>(g[i]) < w.blocks(), ErrorCode::runtime_error, "g_idx ", g[i],
            " is out of range for ", w.blocks(), " blocks");
      plain &= g[i] == i / block_;
    }
    return plain ? nullptr : g;
  }

  void run_rows(RunContext& c, const kernels::NBits& w, int64_t rows, const float* a, const float* bias,
                float* y) const {
    const int64_t size = static_cast<int64_t>(kernels::nbits_row_size(w));
    int32_t* prepared = c.scratch<int32_t>(rows * size);
    for (int64_t i = 0; i < rows; i++) kernels::nbits_prepare_row(w, a + i * k_, prepared + i * size);
    // Columns whose weights stay in a cache for all rows; of one row, long streams of them, and two tasks at least.
    const int64_t fits = (rows == 1 ? 1 << 18 : 1 << 15) / static_cast<int64_t>(w.row_bytes()) / 2 * 2;
    const int64_t step = std::max<int64_t>(2, std::min(fits, (n_ + 3) / 4 * 2));
    c.pool().parallel_for((n_ + step - 1) / step, 1, [&](int64_t from, int64_t to) {
      for (int64_t block = from; block < to; block++) {
        const size_t n0 = static_cast<size_t>(block * step),
                     n1 = static_cast<size_t>(std::min(n_, block * step + step));
        for (int64_t i = 0; i < rows; i++) {
          kernels::nbits_gemv_f32(w, n0, n1, prepared + i * size, bias, y + i * n_);
        }
      }
    });
  }

  int64_t k_, n_, bits_, block_;
  Tensor wide_[6];  // of constants in float16 or bfloat16
};

constexpr OpEntry kOps[] = {{"MatMulNBits", 1, make_operator<MatMulNBits>}};

}  // namespace

std::span<const OpEntry> ms_nbits_ops() { return kOps; }

}  // namespace sardonyx
