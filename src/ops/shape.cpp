// Shape and Size: what is known of a tensor without its data.
#include <algorithm>

#include "ops/families.h"

namespace sardonyx {
namespace {

// ONNX Shape: the dimensions of the input as an int64 vector, from `start` to `end` (since 15) with numpy's clamping.
class ShapeOp final : public Operator {
 public:
  explicit ShapeOp(const Attributes& a) {
    if (a.since < 15) return;
    start_ = a.integer("start", 0);
    end_ = a.integer("end", INT64_MAX);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    const auto [from, to] = range(c.rank(0));
    c.set_output(0, DType::int64, Shape{to - from});
  }
  void run(RunContext& c) const override {
    const Shape& shape = c.input(0).shape();
    const auto [from, to] = range(shape.rank());
    std::copy(shape.begin() + from, shape.begin() + to, c.output(0).data<int64_t>());
  }
  bool reads_shapes_only() const override { return true; }

 private:
  std::pair<int, int> range(int rank) const {
    const auto clamp = [rank](int64_t i) {
      return static_cast<int>(std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank));
    };
    const int from = clamp(start_);
    return {from, std::max(from, clamp(end_))};
  }
  int64_t start_ = 0, end_ = INT64_MAX;
};

// ONNX Size: the number of elements, an int64 scalar.
class SizeOp final : public Operator {
 public:
  explicit SizeOp(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kAll);
    c.set_output(0, DType::int64, Shape{});
  }
  void run(RunContext& c) const override { *c.output(0).data<int64_t>() = c.input(0).count(); }
  bool reads_shapes_only() const override { return true; }
};

constexpr OpEntry kOps[] = {
    {"Shape", 1, make_operator<ShapeOp>},
    {"Shape", 15, make_operator<ShapeOp>},
    {"Size", 1, make_operator<SizeOp>},
};

}  // namespace

std::span<const OpEntry> shape_ops() { return kOps; }

}  // namespace sardonyx
