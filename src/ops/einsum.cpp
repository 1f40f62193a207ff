// Einsum: sums of products over named indices.
#include "ops/families.h"
#include "ops/util/contraction.h"
#include "ops/util/convert.h"

namespace sardonyx {
namespace {

class Einsum final : public Operator {
 public:
  explicit Einsum(const Attributes& a) : equation_(a.string("equation")) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, InferContext::kAnyCount);
    c.require_dtype(0, kNumeric);
    std::vector<Shape> shapes;
    for (int i = 0; i < c.input_count(); i++) {
      c.require_same_dtype(0, i);
      shapes.push_back(c.shape(i));
    }
    c.set_output(0, c.dtype(0), equation_.indices(shapes).output_shape());
  }

  double macs(std::span<const InferInput> inputs, const Shape&) const override {
    std::vector<Shape> shapes;
    for (const InferInput& in : inputs) shapes.push_back(in.shape);
    return contraction_macs(equation_.indices(shapes), shapes);
  }

  void run(RunContext& c) const override {
    Tensor& y = c.output(0);
    if (y.count() == 0) return;
    // Integers wrap: the low bits of the results depend on the low bits of the operands only.
    const DType type = y.dtype(), wide = type == DType::float64 ? type
                                         : kFloat.has(type)     ? DType::float32
                                                                : DType::uint64;
    std::vector<Shape> shapes;
    std::vector<Tensor> operands;
    for (int i = 0; i < c.input_count(); i++) {
      shapes.push_back(c.input(i).shape());
      operands.push_back(convert(c.input(i), wide));
    }
    Tensor sums = type == wide ? y : Tensor::allocate(wide, y.shape());
    contract(c, equation_.indices(shapes), std::move(operands), sums);
    if (type != wide) convert(c.pool(), sums, y, {});
  }

 private:
  Equation equation_;
};

constexpr OpEntry kOps[] = {{"Einsum", 12, make_operator<Einsum>}, {"Einsum", 28, make_operator<Einsum>}};

}  // namespace

std::span<const OpEntry> einsum_ops() { return kOps; }

}  // namespace sardonyx
