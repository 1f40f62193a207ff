// com.microsoft QLinear...: operators on 8-bit values with a scale and a zero point, by way of float32 or of a table.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/elementwise/binary_f32.h"
#include "kernels/norm/softmax.h"
#include "kernels/quant/quantize.h"
#include "ops/evaluate.h"
#include "ops/families.h"
#include "ops/microsoft/standard.h"
#include "ops/util/binary_map.h"
#include "ops/util/join.h"
#include "ops/util/product_x8.h"

namespace sardonyx {
namespace {

// One scale and one zero point, at inputs i and i + 1.
void require_params(InferContext& c, int i, int like) {
  c.require_dtype(i, {DType::float32});
  check(c.shape(i).count() == 1, ErrorCode::invalid_input, "the scale ", i, " has shape ", c.shape(i));
  if (!c.has_input(i + 1)) return;
  c.require_dtype(i + 1, kBytes);
  if (like >= 0) c.require_same_dtype(i + 1, like);
  check(c.shape(i + 1).count() == 1, ErrorCode::invalid_input, "the zero point ", i + 1, " has shape ", c.shape(i + 1));
}

struct Params {
  float scale;
  int32_t zero;
};

Params params_of(RunContext& c, int i) {
  return {c.input(i).data<float>()[0], c.has_input(i + 1) ? byte_values(c.input(i + 1))[0] : 0};
}

Tensor dequantized(const Tensor& x, const Params& p) {
  Tensor y = Tensor::allocate(DType::float32, x.shape());
  const size_t n = static_cast<size_t>(x.count());
  if (is_signed(x)) {
    kernels::dequantize_s8(x.data<int8_t>(), y.data<float>(), n, p.scale, p.zero);
  } else {
    kernels::dequantize_u8(x.data<uint8_t>(), y.data<float>(), n, p.scale, p.zero);
  }
  return y;
}

void quantize(const Tensor& x, const Params& p, Tensor& y) {
  const size_t n = static_cast<size_t>(x.count());
  if (is_signed(y)) return kernels::quantize_s8(x.data<float>(), y.data<int8_t>(), n, p.scale, p.zero);
  kernels::quantize_u8(x.data<float>(), y.data<uint8_t>(), n, p.scale, p.zero);
}

// C = A op B: A, its scale and zero point, B, ..., those of C.
class QLinearBinary final : public Operator {
 public:
  explicit QLinearBinary(BinaryLoop loop) : loop_(loop) {}

  void infer(InferContext& c) const override {
    c.require_inputs(7, 8);
    for (int i : {0, 3}) c.require_dtype(i, kBytes);
    c.require_same_dtype(0, 3);
    for (int i : {1, 4, 6}) require_params(c, i, 0);
    c.set_output(0, c.dtype(0), broadcast(c.shape(0), c.shape(3)));
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    Tensor y = Tensor::allocate(DType::float32, c.output(0).shape());
    run_binary(c.pool(), dequantized(c.input(0), params_of(c, 1)), dequantized(c.input(3), params_of(c, 4)), y, loop_);
    quantize(y, params_of(c, 6), c.output(0));
  }

 private:
  BinaryLoop loop_;
};

// y = quantize(f(dequantize(x))) by a table of all 256 values.
class QLinearTable final : public Operator {
 public:
  using Function = float (*)(float x, float alpha);
  explicit QLinearTable(Function f, float alpha = 0) : f_(f), alpha_(alpha) {}

  void infer(InferContext& c) const override {
    c.require_inputs(4, 5);
    c.require_dtype(0, kBytes);
    for (int i : {1, 3}) require_params(c, i, 0);
    c.set_output_like(0, 0);
  }

  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    Tensor all = Tensor::allocate(x.dtype(), {256}), table = Tensor::allocate(x.dtype(), {256});
    for (int i = 0; i < 256; i++) all.data<uint8_t>()[i] = static_cast<uint8_t>(i);
    Tensor values = dequantized(all, params_of(c, 1));
    for (int i = 0; i < 256; i++) values.data<float>()[i] = f_(values.data<float>()[i], alpha_);
    quantize(values, params_of(c, 3), table);
    for (int64_t i = 0; i < x.count(); i++) {
      c.output(0).data<uint8_t>()[i] = table.data<uint8_t>()[x.data<uint8_t>()[i]];
    }
  }

  uint32_t in_place() const override { return 1; }

 private:
  Function f_;
  float alpha_;
};

// Y's scale and zero point, then tensor, scale and zero point of each part.
class QLinearConcat final : public Operator {
 public:
  explicit QLinearConcat(const Attributes& a) : axis_(a.integer("axis")) {}

  void infer(InferContext& c) const override {
    c.require_inputs(5, InferContext::kAnyCount);
    check(c.input_count() % 3 == 2, ErrorCode::invalid_model, "takes 2 and 3 for each part, not ", c.input_count(),
          " inputs");
    require_params(c, 0, -1);
    std::vector<const Shape*> shapes;
    for (int i = 2; i < c.input_count(); i += 3) {
      c.require_dtype(i, kBytes);
      c.require_same_dtype(1, i);
      require_params(c, i + 1, i);
      shapes.push_back(&c.shape(i));
    }
    c.set_output(0, c.dtype(1), joined_shape(shapes, normalize_axis(axis_, c.rank(2)), ErrorCode::invalid_model));
  }

  void run(RunContext& c) const override {
    const Params to = params_of(c, 0);
    std::vector<Tensor> parts;
    std::vector<const Tensor*> list;
    for (int i = 2; i < c.input_count(); i += 3) {
      const Params from = params_of(c, i + 1);
      if (from.scale == to.scale && from.zero == to.zero) {
        parts.push_back(c.input(i));
      } else {
        Tensor part = Tensor::allocate(c.input(i).dtype(), c.input(i).shape());
        quantize(dequantized(c.input(i), from), to, part);
        parts.push_back(part);
      }
    }
    for (const Tensor& part : parts) list.push_back(&part);
    join(c.pool(), list, normalize_axis(axis_, c.output(0).rank()), c.output(0));
  }

 private:
  int64_t axis_;
};

// An operator of the standard that has one input and one output, between a dequantization and a quantization.
class QLinearBetween final : public Operator {
 public:
  // required: the zero points that must be given, by their inputs.
  QLinearBetween(std::unique_ptr<Operator> inner, std::initializer_list<int> required)
      : inner_(std::move(inner)), required_(required) {}

  void infer(InferContext& c) const override {
    c.require_inputs(required_.empty() ? 4 : 5, 5);
    for (int i : required_) c.require_input(i);
    c.require_dtype(0, kBytes);
    for (int i : {1, 3}) require_params(c, i, 0);
    InferInput x;
    x.present = x.is_tensor = true;
    x.dtype = DType::float32;
    x.shape = c.shape(0);
    InferOutput y;
    y.wanted = true;
    InferContext inner({&x, 1}, {&y, 1});
    inner_->infer(inner);
    c.set_output(0, c.dtype(0), y.shape);
  }

  void run(RunContext& c) const override {
    if (c.output(0).count() == 0) return;
    const Value x = dequantized(c.input(0), params_of(c, 1));
    const Value* inputs[] = {&x};
    const char wanted[] = {1};
    quantize(evaluate(*inner_, inputs, wanted)[0].tensor(), params_of(c, 3), c.output(0));
  }

 private:
  std::unique_ptr<Operator> inner_;
  std::vector<int> required_;
};

float sigmoid(float x, float) { return 1 / (1 + std::exp(-x)); }
float leaky_relu(float x, float alpha) { return x < 0 ? alpha * x : x; }

std::unique_ptr<Operator> make_add(const Attributes&) {
  return std::make_unique<QLinearBinary>(kernel_loop<kernels::add_f32>);
}
std::unique_ptr<Operator> make_mul(const Attributes&) {
  return std::make_unique<QLinearBinary>(kernel_loop<kernels::mul_f32>);
}
std::unique_ptr<Operator> make_sigmoid(const Attributes&) { return std::make_unique<QLinearTable>(sigmoid); }
std::unique_ptr<Operator> make_leaky_relu(const Attributes& a) {
  return std::make_unique<QLinearTable>(leaky_relu, a.number("alpha", 0.01f));
}

void require_channels_first(const Attributes& a) {
  check(!a.flag("channels_last", false), ErrorCode::invalid_model, "channels_last is not supported");
}
std::unique_ptr<Operator> make_average(const Attributes& a) {
  require_channels_first(a);
  return std::make_unique<QLinearBetween>(make_standard(pool_ops(), "AveragePool", 11, a),
                                          std::initializer_list<int>{});
}
std::unique_ptr<Operator> make_global_average(const Attributes& a) {
  require_channels_first(a);
  return std::make_unique<QLinearBetween>(make_standard(pool_ops(), "GlobalAveragePool", 1, a),
                                          std::initializer_list<int>{2, 4});
}
std::unique_ptr<Operator> make_softmax(const Attributes& a) {
  const int64_t opset = a.integer("opset");
  check(opset > 0 && opset < 100, ErrorCode::invalid_model, "opset is ", opset);
  return std::make_unique<QLinearBetween>(make_standard(softmax_ops(), "Softmax", static_cast<int>(opset), a),
                                          std::initializer_list<int>{4});
}

std::unique_ptr<Operator> make_quantize(const Attributes& a) {
  return make_standard(quantize_ops(), "QuantizeLinear", 21, a);
}
std::unique_ptr<Operator> make_dequantize(const Attributes& a) {
  return make_standard(quantize_ops(), "DequantizeLinear", 21, a);
}

constexpr OpEntry kOps[] = {
    {"QLinearAdd", 1, make_add},
    {"QLinearMul", 1, make_mul},
    {"QLinearSigmoid", 1, make_sigmoid},
    {"QLinearLeakyRelu", 1, make_leaky_relu},
    {"QLinearConcat", 1, make_operator<QLinearConcat>},
    {"QLinearAveragePool", 1, make_average},
    {"QLinearGlobalAveragePool", 1, make_global_average},
    {"QLinearSoftmax", 1, make_softmax},
    {"QuantizeLinear", 1, make_quantize},
    {"DequantizeLinear", 1, make_dequantize},
};

}  // namespace

std::span<const OpEntry> ms_qlinear_ops() { return kOps; }

}  // namespace sardonyx
