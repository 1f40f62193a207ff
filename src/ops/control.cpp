// Control flow through subgraphs: If, Loop; Scan has a file of its own.
#include <algorithm>
#include <utility>

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
class If final : public SubgraphOperator {
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
  std::unique_ptr<SubgraphRuns> subgraph_runs(RunContext& c) const override {
    return std::make_unique<Runs>(*c.input(0).data<bool>() ? then_ : else_);
  }

 private:
  class Runs final : public SubgraphRuns {
   public:
    explicit Runs(const Body& branch) : branch_(&branch) {}
    SubgraphRun next(RunContext&) override {
      const Body* branch = std::exchange(branch_, nullptr);
      return branch ? branch->run({}) : SubgraphRun{};
    }
    void take(RunContext& c, std::vector<Value>& results) override {
      for (int i = 0; i < c.output_count(); i++) {
        if (c.has_output(i)) c.set(i, std::move(results[static_cast<size_t>(i)]));
      }
    }

   private:
    const Body* branch_;
  };

  Body then_, else_;
};

// ONNX Loop: carries values from iteration to iteration, stacks the others.
class Loop final : public SubgraphOperator {
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

  std::unique_ptr<SubgraphRuns> subgraph_runs(RunContext& c) const override { return std::make_unique<Runs>(*this, c); }

 private:
  class Runs final : public SubgraphRuns {
   public:
    Runs(const Loop& loop, RunContext& c)
        : body_(loop.body_),
          carried_(loop.carried_),
          trips_(c.has_input(0) ? *c.input(0).data<int64_t>() : INT64_MAX),
          conditional_(c.has_input(1)),
          go_on_(!conditional_ || *c.input(1).data<bool>()),
          values_(static_cast<size_t>(2 + carried_)),
          pieces_(static_cast<size_t>(body_.output_count() - 1 - carried_)) {
      for (int i = 2; i < 2 + carried_; i++) {
        if (c.has_input(i)) values_[static_cast<size_t>(i)] = c.value(i);
      }
    }

    SubgraphRun next(RunContext& c) override {
      if (trip_ >= trips_ || !go_on_) {
        give(c);
        return {};
      }
      values_[0] = Tensor::scalar<int64_t>(trip_++);
      values_[1] = Tensor::scalar<bool>(true);
      return body_.run(values_);
    }

    void take(RunContext& c, std::vector<Value>& results) override {
      const bool condition = read_bool(results[0], "the body's condition");
      go_on_ = !conditional_ || condition;
      for (int i = 0; i < carried_; i++) {
        Value& to = values_[static_cast<size_t>(2 + i)];
        Value& from = results[static_cast<size_t>(1 + i)];
        body_.require_like(1 + i, from, to);
        to = std::move(from);
      }
      for (size_t i = 0; i < pieces_.size(); i++) {
        const Tensor& piece = results[static_cast<size_t>(1 + carried_) + i].tensor();
        if (c.has_output(carried_ + static_cast<int>(i))) pieces_[i].push_back(piece);
      }
    }

   private:
    void give(RunContext& c) {
      for (int i = 0; i < c.output_count(); i++) {
        if (!c.has_output(i)) continue;
        if (i < carried_) {
          c.set(i, values_[static_cast<size_t>(2 + i)].owned());
        } else {
          auto& list = pieces_[static_cast<size_t>(i - carried_)];
          c.set(i, body_.stack_of(c, 1 + i, list));
          list.clear();
        }
      }
    }

    const Body& body_;
    int carried_;
    int64_t trips_, trip_ = 0;
    bool conditional_, go_on_;
    std::vector<Value> values_;  // the body's inputs
    std::vector<std::vector<Tensor>> pieces_;
  };

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
