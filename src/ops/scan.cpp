// Scan: runs a body over the slices of tensors, with a state.
#include "ops/scan.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "ops/util/join.h"
#include "ops/util/parts.h"
#include "ops/util/subgraph.h"

namespace sardonyx {
namespace {

using Pieces = std::vector<std::vector<Tensor>>;  // by scan output

// What both versions share: N states and M scanned inputs go into the body, N states and K pieces come out.
class ScanBase : public SubgraphOperator {
 public:
  ScanBase(const Attributes& a, int extra_inputs) : body_(a, "body"), extra_(extra_inputs) {
    const int64_t scanned = a.integer("num_scan_inputs");
    check(scanned >= 1 && scanned <= a.inputs - extra_, ErrorCode::invalid_model, "num_scan_inputs is ", scanned,
          ", the node has ", a.inputs - extra_, " inputs");
    scanned_ = static_cast<int>(scanned);
    states_ = a.inputs - extra_ - scanned_;
    body_.require_inputs(states_ + scanned_);
    body_.require_outputs(states_);
    stacked_ = body_.output_count() - states_;
    check(a.outputs <= body_.output_count(), ErrorCode::invalid_model, "has ", a.outputs, " outputs, body gives ",
          body_.output_count());
  }

 protected:
  // One int per scanned input or stacked output; all 0 where the attribute is missing.
  static std::vector<int64_t> list(const Attributes& a, std::string_view name, int count) {
    std::vector<int64_t> values = a.ints(name);
    check(values.empty() || values.size() == static_cast<size_t>(count), ErrorCode::invalid_model, "attribute \"", name,
          "\" has ", values.size(), " elements, not ", count);
    values.resize(static_cast<size_t>(count));
    return values;
  }
  static std::vector<int64_t> directions(const Attributes& a, std::string_view name, int count) {
    std::vector<int64_t> values = list(a, name, count);
    for (int64_t v : values) {
      check(v == 0 || v == 1, ErrorCode::invalid_model, "attribute \"", name, "\" has ", v, "; known are 0 and 1");
    }
    return values;
  }
  static void defer_all(InferContext& c) {
    for (int i = 0; i < c.output_count(); i++) c.set_output_deferred(i);
  }

  // A body over the slices of one set of tensors; states are replaced, pieces appended.
  class Iteration {
   public:
    Iteration(const ScanBase& scan, std::vector<Value> states, std::vector<Tensor> scanned, std::vector<int> axes,
              std::span<const int64_t> reversed, int64_t length)
        : pieces(static_cast<size_t>(scan.stacked_)),
          scan_(scan),
          inputs_(std::move(states)),
          scanned_(std::move(scanned)),
          axes_(std::move(axes)),
          reversed_(reversed),
          length_(length) {
      inputs_.resize(static_cast<size_t>(scan.states_ + scan.scanned_));
    }
    bool over() const { return t_ == length_; }
    SubgraphRun next(RunContext& c) {
      for (size_t i = 0; i < scanned_.size(); i++) {
        inputs_[static_cast<size_t>(scan_.states_) + i] =
            element_at(c.pool(), scanned_[i], axes_[i], reversed_[i] ? length_ - 1 - t_ : t_);
      }
      t_++;
      return scan_.body_.run(inputs_);
    }
    void take(std::vector<Value>& results) {
      for (int i = 0; i < scan_.states_; i++) {
        const size_t at = static_cast<size_t>(i);
        scan_.body_.require_like(i, results[at], inputs_[at]);
        inputs_[at] = std::move(results[at]);
      }
      for (size_t i = 0; i < pieces.size(); i++)
        pieces[i].push_back(results[static_cast<size_t>(scan_.states_) + i].tensor());
    }
    const Value& state(size_t i) const { return inputs_[i]; }
    Pieces pieces;

   private:
    const ScanBase& scan_;
    std::vector<Value> inputs_;  // of the body: states, then slices
    std::vector<Tensor> scanned_;
    std::vector<int> axes_;
    std::span<const int64_t> reversed_;
    int64_t length_, t_ = 0;
  };

  Body body_;
  int extra_;
  int scanned_, states_, stacked_;
};

// Since version 9: any axes, any directions, no batch.
class Scan final : public ScanBase {
 public:
  explicit Scan(const Attributes& a)
      : ScanBase(a, 0),
        input_axes_(list(a, "scan_input_axes", scanned_)),
        input_directions_(directions(a, "scan_input_directions", scanned_)),
        output_axes_(list(a, "scan_output_axes", stacked_)),
        output_directions_(directions(a, "scan_output_directions", stacked_)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(1, InferContext::kAnyCount);
    for (int i = 0; i < states_; i++) c.require_input(i);
    length_of([&c](int i) -> const Shape& { return c.shape(i); });
    defer_all(c);
  }

  std::unique_ptr<SubgraphRuns> subgraph_runs(RunContext& c) const override {
    const int64_t length = length_of([&c](int i) -> const Shape& { return c.input(i).shape(); });
    std::vector<Value> states;
    for (int i = 0; i < states_; i++) states.push_back(c.value(i));
    std::vector<Tensor> scanned;
    std::vector<int> axes;
    for (int i = 0; i < scanned_; i++) {
      scanned.push_back(c.input(states_ + i));
      axes.push_back(normalize_axis(input_axes_[static_cast<size_t>(i)], scanned.back().rank()));
    }
    return std::make_unique<Runs>(
        *this, Iteration(*this, std::move(states), std::move(scanned), std::move(axes), input_directions_, length));
  }

 private:
  class Runs final : public SubgraphRuns {
   public:
    Runs(const Scan& scan, Iteration iteration) : scan_(scan), iteration_(std::move(iteration)) {}
    SubgraphRun next(RunContext& c) override {
      if (!iteration_.over()) return iteration_.next(c);
      for (int i = 0; i < c.output_count(); i++) {
        if (!c.has_output(i)) continue;
        if (i < scan_.states_) {
          c.set(i, iteration_.state(static_cast<size_t>(i)).owned());
          continue;
        }
        const size_t k = static_cast<size_t>(i - scan_.states_);
        c.set(i, scan_.body_.stack_of(c, i, iteration_.pieces[k], scan_.output_axes_[k],
                                      scan_.output_directions_[k] != 0));
      }
      return {};
    }
    void take(RunContext&, std::vector<Value>& results) override { iteration_.take(results); }

   private:
    const Scan& scan_;
    Iteration iteration_;
  };

  // All scanned inputs must be equally long.
  template <class ShapeOf>
  int64_t length_of(ShapeOf&& shape_of) const {
    int64_t length = -1;
    for (int i = 0; i < scanned_; i++) {
      const Shape& shape = shape_of(states_ + i);
      const int64_t n = shape[normalize_axis(input_axes_[static_cast<size_t>(i)], shape.rank())];
      check(length < 0 || n == length, ErrorCode::invalid_model, "input ", states_ + i, " has ", n,
            " elements to scan, another has ", length);
      length = n;
    }
    return length;
  }
  std::vector<int64_t> input_axes_, input_directions_, output_axes_, output_directions_;
};

// Version 8: axis 0 of everything is the batch, axis 1 of what is scanned the sequence.
class BatchedScan final : public ScanBase {
 public:
  explicit BatchedScan(const Attributes& a) : ScanBase(a, 1), directions_(directions(a, "directions", scanned_)) {}

  void infer(InferContext& c) const override {
    c.require_inputs(2, InferContext::kAnyCount);
    const int first = 1 + states_;
    for (int i = 1; i < c.input_count(); i++) {
      c.require_rank(i, i < first ? 1 : 2);
      check(c.shape(i)[0] == c.shape(1)[0], ErrorCode::invalid_model, "input ", i, " has ", c.shape(i)[0],
            " batches, another has ", c.shape(1)[0]);
      check(i < first || c.shape(i)[1] == c.shape(first)[1], ErrorCode::invalid_model, "input ", i, " has ",
            c.shape(i)[1], " elements to scan, another has ", c.shape(first)[1]);
    }
    if (c.has_input(0)) {
      c.require_dtype(0, {DType::int64});
      check(c.shape(0) == Shape{c.shape(1)[0]}, ErrorCode::invalid_model, "sequence_lens must be ",
            Shape{c.shape(1)[0]}, ", not ", c.shape(0));
    }
    defer_all(c);
  }

  std::unique_ptr<SubgraphRuns> subgraph_runs(RunContext&) const override { return std::make_unique<Runs>(*this); }

 private:
  class Runs final : public SubgraphRuns {
   public:
    explicit Runs(const BatchedScan& scan)
        : scan_(scan), states_(static_cast<size_t>(scan.states_)), stacks_(static_cast<size_t>(scan.stacked_)) {}

    SubgraphRun next(RunContext& c) override {
      const int64_t batches = c.input(1).dim(0);
      for (;;) {
        if (iteration_ && !iteration_->over()) return iteration_->next(c);
        if (iteration_) stack(c);
        if (batch_ == batches) break;
        begin(c, batch_++);
      }
      for (int i = 0; i < c.output_count(); i++) {
        if (!c.has_output(i)) continue;
        const bool is_state = i < scan_.states_;
        const size_t k = static_cast<size_t>(is_state ? i : i - scan_.states_);
        c.set(i, scan_.body_.stack_of(c, i, is_state ? states_[k] : stacks_[k]));
      }
      return {};
    }
    void take(RunContext&, std::vector<Value>& results) override { iteration_->take(results); }

   private:
    int64_t longest(RunContext& c) const { return c.input(1 + scan_.states_).dim(1); }
    void begin(RunContext& c, int64_t b) {
      const int64_t length = c.has_input(0) ? c.input(0).data<int64_t>()[b] : longest(c);
      check(length >= 0 && length <= longest(c), ErrorCode::runtime_error, "sequence length ", length,
            " is out of range for sequences of ", longest(c));
      std::vector<Value> states;
      std::vector<Tensor> scanned;
      for (int i = 0; i < scan_.states_; i++) states.push_back(element_at(c.pool(), c.input(1 + i), 0, b));
      for (int i = 0; i < scan_.scanned_; i++) {
        scanned.push_back(element_at(c.pool(), c.input(1 + scan_.states_ + i), 0, b));
      }
      std::vector<int> axes(scanned.size(), 0);
      iteration_.emplace(scan_, std::move(states), std::move(scanned), std::move(axes), scan_.directions_, length);
    }
    void stack(RunContext& c) {
      for (size_t i = 0; i < states_.size(); i++) states_[i].push_back(iteration_->state(i).tensor());
      for (size_t i = 0; i < stacks_.size(); i++) {
        const int output = scan_.states_ + static_cast<int>(i);
        stacks_[i].push_back(lengthened(scan_.body_.stack_of(c, output, iteration_->pieces[i]), longest(c)));
      }
    }

    const BatchedScan& scan_;
    int64_t batch_ = 0;
    std::optional<Iteration> iteration_;  // over the batch before batch_
    Pieces states_, stacks_;
  };

  // The tensor with zeros behind, up to `length`.
  static Tensor lengthened(const Tensor& x, int64_t length) {
    if (x.dim(0) == length) return x;
    Shape shape = x.shape();
    shape[0] = length;
    Tensor y = Tensor::allocate(x.dtype(), shape);
    if (x.dtype() == DType::string) {
      std::copy_n(x.data<std::string>(), x.count(), y.data<std::string>());
    } else if (y.byte_size() > 0) {
      memset(y.bytes(), 0, y.byte_size());
      if (x.byte_size() > 0) memcpy(y.bytes(), x.bytes(), x.byte_size());
    }
    return y;
  }
  std::vector<int64_t> directions_;
};

}  // namespace

std::unique_ptr<Operator> make_scan(const Attributes& attributes) {
  if (attributes.since < 9) return std::make_unique<BatchedScan>(attributes);
  return std::make_unique<Scan>(attributes);
}

}  // namespace sardonyx
