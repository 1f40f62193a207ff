// Control flow through subgraphs: If, Loop; Scan has a file of its own.
#include <algorithm>

#include "ops/families.h"
#include "ops/scan.h"
#include "ops/util/subgraph.h"

namespace sardonyx {
namespace {

bool read_bool(const Value& value, std::string_view what) {
  check(value.is_tensor() && value.tensor().dtype() == DType::boolean && value.tensor().count() == 1,
        ErrorCode::runtime_error, what, " must be one bool, not ", value);
  return *value.tensor().data<bool>();
}

void defer_all(InferContext& c) {
  for (int i = 0; i < c.output_count(); i++) c.set_output_deferred(i);
}

void require_single(const InferContext& c, int i, DType dtype) {
  c.require_dtype(i, {dtype});
  check(c.shape(i).count() == 1, ErrorCode::invalid_model, "input ", i, " must be one ", dtype, ", not ", c.shape(i));
}

// ONNX If: the outputs of one of two graphs without inputs.
class If final : public Operator {
 public:
  explicit If(const Attributes& a) : then_(a, "then_branch"), else_(a, "else_branch") {
    for (const Body* body : {&then_, &else_}) {
      body->require_inputs(0);
      body->require_outputs(a.outputs, a.outputs);
    }
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    require_single(c, 0, DType::boolean);
    defer_all(c);
  }
  void run(RunContext& c) const override {
    std::vector<Value> results = (*c.input(0).data<bool>() ? then_ : else_).run(c, {});
    for (int i = 0; i < c.output_count(); i++) {
      if (c.has_output(i)) c.set(i, std::move(results[static_cast<size_t>(i)]));
    }
  }

 private:
  Body then_, else_;
};

// ONNX Loop: carries values from iteration to iteration, stacks the others.
class Loop final : public Operator {
 public:
  explicit Loop(const Attributes& a) : body_(a, "body"), carried_(std::max(a.inputs - 2, 0)) {
    body_.require_inputs(2 + carried_);
    body_.require_outputs(1 + carried_);
    check(a.outputs < body_.output_count(), ErrorCode::invalid_model, "has ", a.outputs, " outputs, body gives ",
          body_.output_count() - 1);
  }

  void infer(InferContext& c) const override {
    c.require_inputs(2, InferContext::kAnyCount);
    if (c.has_input(0)) require_single(c, 0, DType::int64);
    if (c.has_input(1)) require_single(c, 1, DType::boolean);
    defer_all(c);
  }

  void run(RunContext& c) const override {
    const int64_t trips = c.has_input(0) ? *c.input(0).data<int64_t>() : INT64_MAX;
    const bool conditional = c.has_input(1);
    bool go_on = !conditional || *c.input(1).data<bool>();
    std::vector<Value> values(static_cast<size_t>(2 + carried_));  // the body's inputs
    for (int i = 2; i < 2 + carried_; i++) {
      if (c.has_input(i)) values[static_cast<size_t>(i)] = c.value(i);
    }
    std::vector<std::vector<Tensor>> pieces(static_cast<size_t>(body_.output_count() - 1 - carried_));
    for (int64_t trip = 0; trip < trips && go_on; trip++) {
      values[0] = Tensor::scalar<int64_t>(trip);
      values[1] = Tensor::scalar<bool>(true);
      std::vector<Value> results = body_.run(c, values);
      const bool condition = read_bool(results[0], "the body's condition");
      go_on = !conditional || condition;
      take(c, results, values, pieces);
    }
    give(c, values, pieces);
  }

 private:
  void take(RunContext& c, std::vector<Value>& results, std::vector<Value>& values,
            std::vector<std::vector<Tensor>>& pieces) const {
    for (int i = 0; i < carried_; i++) {
      Value& to = values[static_cast<size_t>(2 + i)];
      Value& from = results[static_cast<size_t>(1 + i)];
      body_.require_like(1 + i, from, to);
      to = std::move(from);
    }
    for (size_t i = 0; i < pieces.size(); i++) {
      const Tensor& piece = results[static_cast<size_t>(1 + carried_) + i].tensor();
      if (c.has_output(carried_ + static_cast<int>(i))) pieces[i].push_back(piece);
    }
  }
  void give(RunContext& c, std::vector<Value>& values, std::vector<std::vector<Tensor>>& pieces) const {
    for (int i = 0; i < c.output_count(); i++) {
      if (!c.has_output(i)) continue;
      if (i < carried_) {
        c.set(i, values[static_cast<size_t>(2 + i)].owned());
      } else {
        auto& list = pieces[static_cast<size_t>(i - carried_)];
        c.set(i, body_.stack_of(c, 1 + i, list));
        list.clear();
      }
    }
  }

  Body body_;
  int carried_;
};

constexpr OpEntry kOps[] = {
    {"If", 1, make_operator<If>},
    {"Loop", 1, make_operator<Loop>},
    {"Scan", 8, make_scan},
    {"Scan", 9, make_scan},
};

}  // namespace

std::span<const OpEntry> control_ops() { return kOps; }

}  // namespace sardonyx
