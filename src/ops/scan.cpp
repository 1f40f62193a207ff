// Scan: runs a body over the slices of tensors, with a state.
#include "ops/scan.h"

#include <algorithm>
#include <cstring>

#include "ops/util/join.h"
#include "ops/util/parts.h"
#include "ops/util/subgraph.h"

namespace sardonyx {
namespace {

using Pieces = std::vector<std::vector<Tensor>>;  // by scan output

// What both versions share: N states and M scanned inputs go into the body, N states and K pieces come out.
class ScanBase : public Operator {
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

  // `length` iterations; state is replaced, pieces are appended.
  void iterate(RunContext& c, std::span<const Tensor> scanned, std::span<const int> axes,
               std::span<const int64_t> reversed, int64_t length, std::vector<Value>& state, Pieces& pieces) const {
    std::vector<Value> inputs = state;
    inputs.resize(static_cast<size_t>(states_ + scanned_));
    for (int64_t t = 0; t < length; t++) {
      for (size_t i = 0; i < scanned.size(); i++) {
        inputs[static_cast<size_t>(states_) + i] =
            element_at(c.pool(), scanned[i], axes[i], reversed[i] ? length - 1 - t : t);
      }
      std::vector<Value> results = body_.run(c, inputs);
      for (int i = 0; i < states_; i++) {
        const size_t at = static_cast<size_t>(i);
        body_.require_like(i, results[at], inputs[at]);
        inputs[at] = std::move(results[at]);
      }
      for (size_t i = 0; i < pieces.size(); i++)
        pieces[i].push_back(results[static_cast<size_t>(states_) + i].tensor());
    }
    std::move(inputs.begin(), inputs.begin() + states_, state.begin());
  }

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

  void run(RunContext& c) const override {
    const int64_t length = length_of([&c](int i) -> const Shape& { return c.input(i).shape(); });
    std::vector<Value> state;
    for (int i = 0; i < states_; i++) state.push_back(c.value(i));
    std::vector<Tensor> scanned;
    std::vector<int> axes;
    for (int i = 0; i < scanned_; i++) {
      scanned.push_back(c.input(states_ + i));
      axes.push_back(normalize_axis(input_axes_[static_cast<size_t>(i)], scanned.back().rank()));
    }
    Pieces pieces(static_cast<size_t>(stacked_));
    iterate(c, scanned, axes, input_directions_, length, state, pieces);
    for (int i = 0; i < c.output_count(); i++) {
      if (!c.has_output(i)) continue;
      if (i < states_) {
        c.set(i, state[static_cast<size_t>(i)].owned());
        continue;
      }
      const size_t k = static_cast<size_t>(i - states_);
      c.set(i, body_.stack_of(c, i, pieces[k], output_axes_[k], output_directions_[k] != 0));
    }
  }

 private:
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

  void run(RunContext& c) const override {
    const int64_t batches = c.input(1).dim(0), longest = c.input(1 + states_).dim(1);
    Pieces states(static_cast<size_t>(states_)), stacks(static_cast<size_t>(stacked_));
    const std::vector<int> axes(static_cast<size_t>(scanned_), 0);
    for (int64_t b = 0; b < batches; b++) {
      const int64_t length = c.has_input(0) ? c.input(0).data<int64_t>()[b] : longest;
      check(length >= 0 && length <= longest, ErrorCode::runtime_error, "sequence length ", length,
            " is out of range for sequences of ", longest);
      std::vector<Value> state;
      std::vector<Tensor> scanned;
      for (int i = 0; i < states_; i++) state.push_back(element_at(c.pool(), c.input(1 + i), 0, b));
      for (int i = 0; i < scanned_; i++) scanned.push_back(element_at(c.pool(), c.input(1 + states_ + i), 0, b));
      Pieces pieces(static_cast<size_t>(stacked_));
      iterate(c, scanned, axes, directions_, length, state, pieces);
      for (size_t i = 0; i < states.size(); i++) states[i].push_back(state[i].tensor());
      for (size_t i = 0; i < stacks.size(); i++) {
        stacks[i].push_back(lengthened(body_.stack_of(c, states_ + static_cast<int>(i), pieces[i]), longest));
      }
    }
    for (int i = 0; i < c.output_count(); i++) {
      if (!c.has_output(i)) continue;
      const size_t k = static_cast<size_t>(i < states_ ? i : i - states_);
      c.set(i, body_.stack_of(c, i, i < states_ ? states[k] : stacks[k]));
    }
  }

 private:
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
