// Concat: joins tensors along one axis.
#include "ops/families.h"
#include "ops/util/append_rows.h"
#include "ops/util/elements.h"
#include "ops/util/join.h"

namespace sardonyx {
namespace {

// ONNX Concat. Version 1 has axis 1 for a default.
class Concat final : public Operator {
 public:
  explicit Concat(const Attributes& a) : axis_(a.since < 4 ? a.integer("axis", 1) : a.integer("axis")) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, InferContext::kAnyCount);
    std::vector<const Shape*> shapes;
    shapes.reserve(static_cast<size_t>(c.input_count()));
    for (int i = 0; i < c.input_count(); i++) {
      c.require_dtype(i, kAll);
      c.require_same_dtype(0, i);
      shapes.push_back(&c.shape(i));
    }
    const int axis = normalize_axis(axis_, c.rank(0));
    c.set_output(0, c.dtype(0), joined_shape(shapes, axis, ErrorCode::invalid_model));
  }

  void run(RunContext& c) const override {
    std::vector<const Tensor*> parts;
    parts.reserve(static_cast<size_t>(c.input_count()));
    for (int i = 0; i < c.input_count(); i++) parts.push_back(&c.input(i));
    Tensor& y = c.output(0);
    if (y.has_room() || parts[0]->has_room()) return append_rows(c.pool(), parts, y);
    if (y.count() > 0) join(c.pool(), parts, normalize_axis(axis_, y.rank()), y);
  }

  bool takes_room(int input, int rank) const override {
    return input == 0 && rank >= 2 && (axis_ == rank - 2 || axis_ == -2);
  }
  int appended_to(int, int rank) const override { return takes_room(0, rank) ? 0 : -1; }

 private:
  int64_t axis_;
};

constexpr OpEntry kOps[] = {{"Concat", 1, make_operator<Concat>}, {"Concat", 4, make_operator<Concat>}};

}  // namespace

std::span<const OpEntry> concat_ops() { return kOps; }

}  // namespace sardonyx
