// com.microsoft GatherBlockQuantized: rows of a quantized table, dequantized on their way.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/as_float.h"
#include "ops/util/elements.h"
#include "ops/util/indices.h"

namespace sardonyx {
namespace {

class GatherBlockQuantized final : public Operator {
 public:
  explicit GatherBlockQuantized(const Attributes& a)
      : bits_(a.integer("bits", 4)),
        block_(a.integer("block_size", 128)),
        gather_(a.integer("gather_axis", 0)),
        quantize_(a.integer("quantize_axis", 1)) {
    check(bits_ == 2 || bits_ == 4 || bits_ == 8, ErrorCode::invalid_model, "bits is ", bits_, ", not 2, 4 or 8");
    check(block_ >= 16 && (block_ & (block_ - 1)) == 0, ErrorCode::invalid_model, "block_size is ", block_,
          ", not a power of two from 16 on");
  }

  void infer(InferContext& c) const override {
    c.require_inputs(3, 4);
    c.require_dtype(0, {DType::int4, DType::uint4, DType::uint8});
    c.require_dtype(1, kIndex);
    c.require_dtype(2, kFloat - DTypeSet{DType::float64});
    c.require_rank(0, 1);
    const Layout l = layout(c.dtype(0), c.shape(0));
    c.require_rank(2, l.shape.rank(), l.shape.rank());
    check(c.shape(2) == l.scales, ErrorCode::invalid_input, "scales of shape ", c.shape(2), ", not ", l.scales);
    if (c.has_input(3)) {
      c.require_same_dtype(0, 3);
      Shape zeros = l.scales;
      if (c.dtype(0) == DType::uint8) {
        const int last = zeros.rank() - 1;
        zeros[last] = (zeros[last] * bits_ + 7) / 8;
      }
      check(c.shape(3) == zeros, ErrorCode::invalid_input, "zero_points of shape ", c.shape(3), ", not ", zeros);
    }
    Shape y;
    for (int i = 0; i < l.gather; i++) y.push_back(l.shape[i]);
    for (int64_t d : c.shape(1).dims()) y.push_back(d);
    for (int i = l.gather + 1; i < l.shape.rank(); i++) y.push_back(l.shape[i]);
    c.set_output(0, c.dtype(2), y);
  }

  void run(RunContext& c) const override {
    const Tensor& data = c.input(0);
    const Layout l = layout(data.dtype(), data.shape());
    const Tensor scales = to_float32(c.input(2));
    const int64_t n = c.input(1).count(), dim = l.shape[l.gather];
    auto* at = c.scratch<int64_t>(n);
    normalize_indices(c.input(1), dim, l.gather, at);
    if (c.output(0).count() == 0) return;
    FloatOutput y(c.output(0));
    const int64_t outer = l.shape.count(0, l.gather), inner = l.shape.count(l.gather + 1, l.shape.rank());
    c.pool().parallel_for(outer * n, std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(1, inner)),
                          [&](int64_t from, int64_t to) {
                            for (int64_t row = from; row < to; row++) {
                              const int64_t first = (row / n * dim + at[row % n]) * inner;
                              for (int64_t i = 0; i < inner; i++) {
                                y.data()[row * inner + i] = element(c, l, scales, first + i);
                              }
                            }
                          });
    y.store();
  }

 private:
  struct Layout {
    Shape shape;   // in elements, whatever they are packed in
    Shape scales;  // blocks along `quantize`
    int gather, quantize;
  };

  Layout layout(DType type, Shape shape) const {
    const int last = shape.rank() - 1;
    if (type == DType::uint8) {
      check(shape[last] < int64_t{1} << 40, ErrorCode::invalid_input, "data has shape ", shape);
      shape[last] *= 8 / bits_;
    }
    Layout l{shape, shape, normalize_axis(gather_, shape.rank()), normalize_axis(quantize_, shape.rank())};
    check(type != DType::uint8 || (l.gather == 0 && l.quantize != 0), ErrorCode::invalid_model,
          "uint8 data are gathered along axis 0 and quantized along another");
    l.scales[l.quantize] = (shape[l.quantize] + block_ - 1) / block_;
    return l;
  }

  static int code(const Tensor& t, int64_t bits, int64_t i) noexcept {
    const int64_t bit = i * bits;
    return t.data<uint8_t>()[bit / 8] >> (bit % 8) & ((1 << bits) - 1);
  }

  float element(RunContext& c, const Layout& l, const Tensor& scales, int64_t i) const noexcept {
    const Tensor& data = c.input(0);
    const bool bytes = data.dtype() == DType::uint8, is_signed = data.dtype() == DType::int4;
    const int64_t bits = bytes ? bits_ : 4, inner = l.shape.count(l.quantize + 1, l.shape.rank());
    const int64_t length = l.shape[l.quantize], blocks = l.scales[l.quantize];
    const int64_t block = (i / inner / length * blocks + i / inner % length / block_) * inner + i % inner;
    int v = code(data, bits, i), zero = bytes ? 1 << (bits - 1) : 0;
    if (c.has_input(3)) {
      const int64_t row = l.scales.back(), padded = bytes ? (row * bits + 7) / 8 * 8 / bits : row;
      zero = code(c.input(3), bits, block / row * padded + block % row);
    }
    if (is_signed) v = (v ^ 8) - 8, zero = (zero ^ 8) - 8;
    return static_cast<float>(v - zero) * scales.data<float>()[block];
  }

  int64_t bits_, block_, gather_, quantize_;
};

constexpr OpEntry kOps[] = {{"GatherBlockQuantized", 1, make_operator<GatherBlockQuantized>}};

}  // namespace

std::span<const OpEntry> ms_gather_ops() { return kOps; }

}  // namespace sardonyx
