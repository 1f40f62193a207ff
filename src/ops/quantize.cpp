// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include "kernels/quant/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/families.h"
#include "ops/util/elements.h"
#include "ops/util/float_blocks.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kQuantized = DTypeSet{DType::int8, DType::uint8, DType::int16, DType::uint16} | kSubByte |
                                (kFloat8 - DTypeSet{DType::float8e8m0});
constexpr DTypeSet kScale = kFloat | DTypeSet{DType::float8e8m0, DType::int32};

struct Limits {
  float lo, hi;
};
Limits limits_of(DType type) noexcept {
  switch (type) {
    case DType::int8:
      return {-128, 127};
    case DType::int16:
      return {-32768, 32767};
    case DType::uint16:
      return {0, 65535};
    case DType::int4:
      return {-8, 7};
    case DType::uint4:
      return {0, 15};
    case DType::int2:
      return {-2, 1};
    case DType::uint2:
      return {0, 3};
    default:
      return {0, 255};
  }
}

bool is_integer(DType type) noexcept { return !kFloat8.has(type) && type != DType::float4e2m1; }

Float8Kind float8_kind(DType type) noexcept {
  return static_cast<Float8Kind>(static_cast<int>(type) - static_cast<int>(DType::float8e4m3fn));
}

// Which scale belongs to which elements of x: one for all, one per index of an axis, or one per block along an axis.
class ScaleLayout {
 public:
  // Throws Error (invalid_input) where the scale does not fit x.
  ScaleLayout(const Shape& x, const Shape& scale, int64_t axis, int64_t block) {
    count_ = x.count();
    if (scale.count() == 1 && block == 0) {
      length_ = inner_ = count_;
      return;
    }
    check(x.rank() > 0, ErrorCode::invalid_input, "a scalar has one scale, not ", scale);
    const int at = normalize_axis(axis, x.rank());
    length_ = x[at];
    inner_ = x.count(at + 1, x.rank());
    if (block == 0) {
      check(scale.rank() == 1 && scale[0] == x[at], ErrorCode::invalid_input, "scales of shape ", scale, " are not ",
            x[at], " for axis ", at);
      axis_ = true;
      return;
    }
    check(block > 0 && scale.rank() == x.rank(), ErrorCode::invalid_input, "scales of shape ", scale,
          " are not blocks of ", block, " of ", x);
    block_ = block;
    blocks_ = scale[at];
    for (int i = 0; i < x.rank(); i++) {
      const int64_t wanted = i == at ? (x[i] + block - 1) / block : x[i];
      check(scale[i] == wanted, ErrorCode::invalid_input, "scales of shape ", scale, " are not blocks of ", block,
            " along axis ", at, " of ", x);
    }
  }

  // Calls f(first, n, scale) for runs of elements that share a scale, cut into pieces and split over the pool.
  template <class F>
  void for_each_run(ThreadPool& pool, const F& f) const {
    constexpr int64_t kPiece = 1 << 14;
    if (!axis_ && block_ == 0) {
      pool.parallel_for(count_, kPiece, [&](int64_t from, int64_t to) { f(from, to - from, int64_t{0}); });
      return;
    }
    if (inner_ == 0 || length_ == 0) return;
    const int64_t rows = count_ / inner_;
    pool.parallel_for(rows, std::max<int64_t>(1, kPiece / inner_), [&](int64_t from, int64_t to) {
      for (int64_t row = from; row < to; row++) {
        const int64_t at = row % length_;
        if (axis_) {
          f(row * inner_, inner_, at);
          continue;
        }
        const int64_t base = (row / length_ * blocks_ + at / block_) * inner_;
        for (int64_t i = 0; i < inner_; i++) f(row * inner_ + i, int64_t{1}, base + i);
      }
    });
  }

 private:
  int64_t count_, length_ = 1, inner_ = 1, block_ = 0, blocks_ = 0;
  bool axis_ = false;
};

// What QuantizeLinear and DequantizeLinear have in common.
struct QuantAttributes {
  int64_t axis = 1, block = 0;
  DType output = DType::undefined;
  bool saturate = true;

  explicit QuantAttributes(const Attributes& a, bool quantize) {
    if (a.since >= 13) axis = a.integer("axis", 1);
    if (a.since >= 21) block = a.integer("block_size", 0);
    check(block >= 0 && block < int64_t{1} << 40, ErrorCode::invalid_model, "block_size is ", block);
    if (a.since >= (quantize ? 21 : 23)) output = number(a, "output_dtype");
    if (!quantize) return;
    if (a.since >= 19) saturate = a.flag("saturate", true);
    if (a.since >= 23) number(a, "precision");
  }

 private:
  static DType number(const Attributes& a, std::string_view name) {
    const int64_t n = a.integer(name, 0);
    check(n == 0 || (n > 0 && n < kDTypeCount), ErrorCode::invalid_model, name, " is ", n);
    return static_cast<DType>(n);
  }
};

void check_zero_point(InferContext& c) {
  if (!c.has_input(2)) return;
  check(c.shape(2) == c.shape(1) || (c.shape(2).count() == 1 && c.shape(1).count() == 1), ErrorCode::invalid_input,
        "the zero point has shape ", c.shape(2), ", the scale ", c.shape(1));
}

std::vector<float> zero_points(RunContext& c) {
  std::vector<float> zero(static_cast<size_t>(c.input(1).count()), 0.0f);
  if (c.has_input(2)) load_floats(c.input(2).dtype(), c.input(2).bytes(), 0, c.input(2).count(), zero.data());
  return zero;
}

class QuantizeLinear final : public Operator {
 public:
  explicit QuantizeLinear(const Attributes& a) : a_(a, true) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 3);
    c.require_dtype(0, kFloat | DTypeSet{DType::int32});
    c.require_dtype(1, kScale);
    ScaleLayout(c.shape(0), c.shape(1), a_.axis, a_.block);
    check_zero_point(c);
    DType type = a_.output == DType::undefined ? DType::uint8 : a_.output;
    if (c.has_input(2)) {
      c.require_dtype(2, kQuantized);
      check(a_.output == DType::undefined || a_.output == c.dtype(2), ErrorCode::invalid_model, "output_dtype is ",
            a_.output, ", the zero point is ", c.dtype(2));
      type = c.dtype(2);
    }
    check(kQuantized.has(type), ErrorCode::invalid_model, "cannot quantize to ", type);
    c.set_output(0, type, c.shape(0));
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const Tensor scale = to_float32(c.input(1));
    const std::vector<float> zero = zero_points(c);
    const DType type = c.output(0).dtype();
    Tensor y = unpacked_like(c.output(0));
    const ScaleLayout layout(x.shape(), scale.shape(), a_.axis, a_.block);
    layout.for_each_run(c.pool(), [&](int64_t first, int64_t n, int64_t s) {
      float block[kFloatBlock];
      for (int64_t i = 0; i < n; i += kFloatBlock) {
        const int64_t m = std::min(kFloatBlock, n - i);
        const float* from = x.dtype() == DType::float32 ? x.data<float>() + first + i : block;
        if (from == block) load_floats(x.dtype(), x.bytes(), first + i, m, block);
        quantize(type, from, y.data<uint8_t>(), first + i, m, scale.data<float>()[s], zero[static_cast<size_t>(s)]);
      }
    });
    pack(y, c.output(0));
  }

 private:
  void quantize(DType type, const float* x, uint8_t* y, int64_t at, int64_t n, float scale, float zero) const noexcept {
    const size_t count = static_cast<size_t>(n);
    if (type == DType::uint8) return kernels::quantize_u8(x, y + at, count, scale, static_cast<int32_t>(zero));
    if (type == DType::int8) {
      return kernels::quantize_s8(x, reinterpret_cast<int8_t*>(y) + at, count, scale, static_cast<int32_t>(zero));
    }
    const Limits limits = limits_of(type);
    const uint8_t mask = static_cast<uint8_t>((1 << std::min(8, dtype_bits(type))) - 1);
    for (size_t i = 0; i < count; i++) {
      const float v = x[i] / scale;
      if (!is_integer(type)) {
        y[static_cast<size_t>(at) + i] = type == DType::float4e2m1
                                             ? float_to_float4(v + zero)
                                             : float_to_float8(v + zero, float8_kind(type), a_.saturate);
        continue;
      }
      const float rounded = std::nearbyint(v) + zero;
      const int32_t q = static_cast<int32_t>(std::isnan(rounded) ? zero : std::clamp(rounded, limits.lo, limits.hi));
      if (dtype_bits(type) == 16) {
        reinterpret_cast<uint16_t*>(y)[static_cast<size_t>(at) + i] = static_cast<uint16_t>(q);
      } else {
        y[static_cast<size_t>(at) + i] = static_cast<uint8_t>(q) & mask;
      }
    }
  }

  QuantAttributes a_;
};

class DequantizeLinear final : public Operator {
 public:
  explicit DequantizeLinear(const Attributes& a) : a_(a, false) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, 3);
    c.require_dtype(0, kQuantized | DTypeSet{DType::int32});
    c.require_dtype(1, kScale - DTypeSet{DType::int32});
    ScaleLayout(c.shape(0), c.shape(1), a_.axis, a_.block);
    check_zero_point(c);
    if (c.has_input(2)) c.require_same_dtype(0, 2);
    DType type = a_.output == DType::undefined ? c.dtype(1) : a_.output;
    if (type == DType::float8e8m0) type = DType::float32;
    check(kFloat.has(type), ErrorCode::invalid_model, "cannot dequantize to ", type);
    c.set_output(0, type, c.shape(0));
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const Tensor scale = to_float32(c.input(1));
    const std::vector<float> zero = zero_points(c);
    Tensor& y = c.output(0);
    const ScaleLayout layout(x.shape(), scale.shape(), a_.axis, a_.block);
    layout.for_each_run(c.pool(), [&](int64_t first, int64_t n, int64_t s) {
      const float f = scale.data<float>()[s], z = zero[static_cast<size_t>(s)];
      float block[kFloatBlock];
      for (int64_t i = 0; i < n; i += kFloatBlock) {
        const int64_t at = first + i, m = std::min(kFloatBlock, n - i);
        float* to = y.dtype() == DType::float32 ? y.data<float>() + at : block;
        dequantize(x, at, m, f, z, to);
        if (to == block) store_floats(y.dtype(), block, y.bytes(), at, m);
      }
    });
  }

 private:
  static void dequantize(const Tensor& x, int64_t at, int64_t n, float scale, float zero, float* y) noexcept {
    const size_t count = static_cast<size_t>(n);
    const int32_t z = static_cast<int32_t>(zero);
    switch (x.dtype()) {
      case DType::uint8:
        return kernels::dequantize_u8(x.data<uint8_t>() + at, y, count, scale, z);
      case DType::int8:
        return kernels::dequantize_s8(x.data<int8_t>() + at, y, count, scale, z);
      case DType::int32:
        return kernels::dequantize_i32(x.data<int32_t>() + at, y, count, scale, z);
      default:
        load_floats(x.dtype(), x.bytes(), at, n, y);
        for (size_t i = 0; i < count; i++) y[i] = (y[i] - zero) * scale;
    }
  }

  QuantAttributes a_;
};

class DynamicQuantizeLinear final : public Operator {
 public:
  explicit DynamicQuantizeLinear(const Attributes&) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, {DType::float32});
    c.set_output(0, DType::uint8, c.shape(0));
    c.set_output(1, DType::float32, {});
    c.set_output(2, DType::uint8, {});
  }

  void run(RunContext& c) const override {
    constexpr int64_t kPiece = 1 << 15;
    const Tensor& x = c.input(0);
    const int64_t n = x.count();
    std::vector<kernels::Range> ranges(static_cast<size_t>((n + kPiece - 1) / kPiece));
    c.pool().parallel_for(n, kPiece, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i += kPiece) {
        ranges[static_cast<size_t>(i / kPiece)] =
            kernels::range_with_zero_f32(x.data<float>() + i, static_cast<size_t>(std::min(kPiece, to - i)));
      }
    });
    kernels::Range all{0, 0};
    for (const kernels::Range& r : ranges) all = {std::min(all.min, r.min), std::max(all.max, r.max)};
    const kernels::QuantParams q = kernels::dynamic_quantize_params(all);
    if (c.has_output(1)) *c.output(1).data<float>() = q.scale;
    if (c.has_output(2)) *c.output(2).data<uint8_t>() = q.zero;
    if (!c.has_output(0)) return;
    uint8_t* y = c.output(0).data<uint8_t>();
    c.pool().parallel_for(n, kPiece, [&](int64_t from, int64_t to) {
      kernels::quantize_u8(x.data<float>() + from, y + from, static_cast<size_t>(to - from), q.scale, q.zero);
    });
  }
};

constexpr OpEntry kOps[] = {
    {"QuantizeLinear", 10, make_operator<QuantizeLinear>},
    {"QuantizeLinear", 13, make_operator<QuantizeLinear>},
    {"QuantizeLinear", 19, make_operator<QuantizeLinear>},
    {"QuantizeLinear", 21, make_operator<QuantizeLinear>},
    {"QuantizeLinear", 23, make_operator<QuantizeLinear>},
    {"QuantizeLinear", 24, make_operator<QuantizeLinear>},
    {"QuantizeLinear", 25, make_operator<QuantizeLinear>},
    {"DequantizeLinear", 10, make_operator<DequantizeLinear>},
    {"DequantizeLinear", 13, make_operator<DequantizeLinear>},
    {"DequantizeLinear", 19, make_operator<DequantizeLinear>},
    {"DequantizeLinear", 21, make_operator<DequantizeLinear>},
    {"DequantizeLinear", 23, make_operator<DequantizeLinear>},
    {"DequantizeLinear", 24, make_operator<DequantizeLinear>},
    {"DequantizeLinear", 25, make_operator<DequantizeLinear>},
    {"DynamicQuantizeLinear", 11, make_operator<DynamicQuantizeLinear>},
};

}  // namespace

std::span<const OpEntry> quantize_ops() { return kOps; }

}  // namespace sardonyx
