// Optional values: Optional, OptionalGetElement, OptionalHasElement.
#include "ops/families.h"

namespace sardonyx {
namespace {

// ONNX Optional: its input, or an absent value of `type`.
class Optional final : public Operator {
 public:
  explicit Optional(const Attributes& a) : typed_(a.has("type")) { a.ignore("type"); }
  void infer(InferContext& c) const override {
    c.require_inputs(0, 1);
    check(typed_ || c.has_input(0), ErrorCode::invalid_model, "has neither an input nor the attribute \"type\"");
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override { c.set(0, c.has_input(0) ? c.value(0).owned() : Value()); }

 private:
  bool typed_;
};

// ONNX OptionalGetElement: what is in it; tensors and sequences pass through.
class OptionalGetElement final : public Operator {
 public:
  explicit OptionalGetElement(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_input(0);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    check(!c.value(0).is_none(), ErrorCode::runtime_error, "the optional is empty");
    c.set(0, c.value(0).owned());
  }
};

// ONNX OptionalHasElement: is something in it? Since version 18 a missing input is an empty optional.
class OptionalHasElement final : public Operator {
 public:
  explicit OptionalHasElement(const Attributes& a) : may_miss_(a.since >= 18) {}
  void infer(InferContext& c) const override {
    c.require_inputs(may_miss_ ? 0 : 1, 1);
    if (!may_miss_) c.require_input(0);
    c.set_output(0, DType::boolean, Shape{});
  }
  void run(RunContext& c) const override { *c.output(0).data<bool>() = c.has_input(0) && !c.value(0).is_none(); }

 private:
  bool may_miss_;
};

constexpr OpEntry kOps[] = {
    {"Optional", 15, make_operator<Optional>},
    {"OptionalGetElement", 15, make_operator<OptionalGetElement>},
    {"OptionalHasElement", 15, make_operator<OptionalHasElement>},
    {"OptionalHasElement", 18, make_operator<OptionalHasElement>},
};

}  // namespace

std::span<const OpEntry> optional_ops() { return kOps; }

}  // namespace sardonyx
