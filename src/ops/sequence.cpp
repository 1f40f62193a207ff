// Sequences of tensors: construction, access, splitting, joining, SequenceMap.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/axes.h"
#include "ops/util/elements.h"
#include "ops/util/join.h"
#include "ops/util/parts.h"
#include "ops/util/subgraph.h"

namespace sardonyx {
namespace {

void require_sequence(const InferContext& c, int i) {
  c.require_input(i);
  check(!c.is_tensor(i), ErrorCode::invalid_model, "input ", i, " must be a sequence, not a tensor");
}

void require_position(const InferContext& c, int i) {
  if (!c.has_input(i)) return;
  c.require_dtype(i, kIndex);
  check(c.shape(i).count() == 1, ErrorCode::invalid_model, "position must be one number, not ", c.shape(i));
}

// The position that input i gives (without it: `otherwise`) in a sequence where `count` positions exist, of which
// negative ones count from the `size` elements' end.
size_t position(const RunContext& c, int i, int64_t otherwise, int64_t size, int64_t count) {
  const int64_t at = c.has_input(i) ? c.input(i).to_int64()[0] : otherwise;
  check(at >= -size && at < count, ErrorCode::runtime_error, "position ", at, " is out of range for a sequence of ",
        size);
  return static_cast<size_t>(at < 0 ? at + size : at);
}

void require_member(const Sequence& sequence, DType type) {
  check(sequence.dtype == type || sequence.dtype == DType::undefined, ErrorCode::runtime_error, "a tensor of ", type,
        " cannot join a sequence of ", sequence.dtype);
}

// ONNX SequenceConstruct: the inputs in a row.
class SequenceConstruct final : public Operator {
 public:
  explicit SequenceConstruct(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, InferContext::kAnyCount);
    for (int i = 0; i < c.input_count(); i++) c.require_same_dtype(0, i);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    Sequence s{c.input(0).dtype(), {}};
    for (int i = 0; i < c.input_count(); i++) s.items.push_back(c.value(i).owned());
    c.set(0, std::move(s));
  }
};

// ONNX SequenceEmpty: nothing, of a type.
class SequenceEmpty final : public Operator {
 public:
  explicit SequenceEmpty(const Attributes& a) : dtype_(a.dtype("dtype", DType::float32)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(0, 0);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override { c.set(0, Sequence{dtype_, {}}); }

 private:
  DType dtype_;
};

// ONNX SequenceInsert: in front of `position`, or at the end.
class SequenceInsert final : public Operator {
 public:
  explicit SequenceInsert(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 3);
    require_sequence(c, 0);
    c.require_dtype(1, kAll);
    require_position(c, 2);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    Sequence s = c.value(0).sequence();
    const Tensor& tensor = c.input(1);
    require_member(s, tensor.dtype());
    const int64_t size = static_cast<int64_t>(s.items.size());
    const size_t at = position(c, 2, size, size, size + 1);
    s.dtype = tensor.dtype();
    s.items.insert(s.items.begin() + static_cast<ptrdiff_t>(at), tensor.owned());
    c.set(0, std::move(s));
  }
};

// ONNX SequenceErase: without the element at `position`, or the last.
class SequenceErase final : public Operator {
 public:
  explicit SequenceErase(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 2);
    require_sequence(c, 0);
    require_position(c, 1);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    Sequence s = c.value(0).sequence();
    const int64_t size = static_cast<int64_t>(s.items.size());
    const size_t at = position(c, 1, -1, size, size);
    s.items.erase(s.items.begin() + static_cast<ptrdiff_t>(at));
    c.set(0, std::move(s));
  }
};

// ONNX SequenceAt: the element at `position`.
class SequenceAt final : public Operator {
 public:
  explicit SequenceAt(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    require_sequence(c, 0);
    c.require_input(1);
    require_position(c, 1);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Sequence& s = c.value(0).sequence();
    const int64_t size = static_cast<int64_t>(s.items.size());
    c.set(0, s.items[position(c, 1, 0, size, size)]);
  }
};

// ONNX SequenceLength: an int64 scalar.
class SequenceLength final : public Operator {
 public:
  explicit SequenceLength(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    require_sequence(c, 0);
    c.set_output(0, DType::int64, Shape{});
  }
  void run(RunContext& c) const override {
    *c.output(0).data<int64_t>() = static_cast<int64_t>(c.value(0).sequence().items.size());
  }
};

// ONNX SplitToSequence: parts of one size (a scalar `split`), of given sizes, or of 1 (then `keepdims` may drop the
// axis).
class SplitToSequence final : public Operator {
 public:
  explicit SplitToSequence(const Attributes& a) : axis_(a.integer("axis", 0)), keep_(a.flag("keepdims", true)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 2);
    c.require_dtype(0, kAll);
    normalize_axis(axis_, c.rank(0));
    if (c.has_input(1)) {
      c.require_dtype(1, kIndex);
      c.require_rank(1, 0, 1);
    }
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    const int axis = normalize_axis(axis_, x.rank());
    const std::vector<int64_t> sizes = sizes_of(c, x.dim(axis), axis);
    const bool drop = !keep_ && !c.has_input(1);
    Sequence s{x.dtype(), {}};
    int64_t from = 0;
    for (int64_t size : sizes) {
      Shape shape = x.shape();
      shape[axis] = size;
      Tensor part = Tensor::allocate(x.dtype(), shape);
      cut(c.pool(), x, axis, from, size, part);
      from += size;
      if (drop) shape.erase(axis);
      s.items.push_back(part.reshaped(shape));
    }
    c.set(0, std::move(s));
  }

 private:
  static std::vector<int64_t> sizes_of(const RunContext& c, int64_t dim, int axis) {
    if (!c.has_input(1)) return even_sizes(dim, 1);
    std::vector<int64_t> sizes = c.input(1).to_int64();
    if (c.input(1).rank() == 0) {
      check(sizes[0] > 0, ErrorCode::runtime_error, "split is ", sizes[0]);
      return even_sizes(dim, sizes[0]);
    }
    require_sizes(sizes, dim, axis);
    return sizes;
  }
  int64_t axis_;
  bool keep_;
};

// ONNX ConcatFromSequence: the tensors along an axis they have, or (`new_axis`) along a new one.
class ConcatFromSequence final : public Operator {
 public:
  explicit ConcatFromSequence(const Attributes& a) : axis_(a.integer("axis")), new_(a.flag("new_axis", false)) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    require_sequence(c, 0);
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Sequence& s = c.value(0).sequence();
    check(!s.items.empty(), ErrorCode::runtime_error, "the sequence is empty");
    std::vector<Tensor> parts;
    std::vector<const Tensor*> list;
    std::vector<const Shape*> shapes;
    for (const Value& v : s.items) parts.push_back(v.tensor());
    const int axis = normalize_axis(axis_, parts[0].rank() + (new_ ? 1 : 0));
    if (new_) {
      c.set(0, stack(c.pool(), parts, parts[0].dtype(), parts[0].shape(), axis, false, "an element"));
      return;
    }
    for (const Tensor& t : parts) {
      check(t.dtype() == parts[0].dtype(), ErrorCode::runtime_error, "the sequence mixes types");
      list.push_back(&t);
      shapes.push_back(&t.shape());
    }
    const Shape shape = joined_shape(shapes, axis, ErrorCode::runtime_error);
    Tensor& y = c.allocate(0, parts[0].dtype(), shape);
    if (y.count() > 0) join(c.pool(), list, axis, y);
  }

 private:
  int64_t axis_;
  bool new_;
};

// ONNX SequenceMap: the body on each element of the first sequence; other sequences go along, tensors stay.
class SequenceMap final : public SubgraphOperator {
 public:
  explicit SequenceMap(const Attributes& a) : body_(a, "body") {
    body_.require_inputs(a.inputs);
    body_.require_outputs(a.outputs, a.outputs);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, InferContext::kAnyCount);
    require_sequence(c, 0);
    for (int i = 1; i < c.input_count(); i++) c.require_input(i);
    for (int i = 0; i < c.output_count(); i++) c.set_output_deferred(i);
  }
  std::unique_ptr<SubgraphRuns> subgraph_runs(RunContext& c) const override { return std::make_unique<Runs>(body_, c); }

 private:
  class Runs final : public SubgraphRuns {
   public:
    Runs(const Body& body, RunContext& c) : body_(body), length_(c.value(0).sequence().items.size()) {
      for (int i = 1; i < c.input_count(); i++) {
        if (!c.value(i).is_sequence()) continue;
        const size_t other = c.value(i).sequence().items.size();
        check(other == length_, ErrorCode::runtime_error, "input ", i, " has ", other, " elements, the first ",
              length_);
      }
      results_.resize(static_cast<size_t>(c.output_count()));
      for (size_t o = 0; o < results_.size(); o++) results_[o].dtype = body_.declared_dtype(static_cast<int>(o));
    }

    SubgraphRun next(RunContext& c) override {
      if (k_ == length_) {
        for (int o = 0; o < c.output_count(); o++) {
          if (c.has_output(o)) c.set(o, std::move(results_[static_cast<size_t>(o)]));
        }
        return {};
      }
      inputs_.clear();
      for (int i = 0; i < c.input_count(); i++) {
        inputs_.push_back(c.value(i).is_sequence() ? c.value(i).sequence().items[k_] : c.value(i));
      }
      k_++;
      return body_.run(inputs_);
    }

    void take(RunContext&, std::vector<Value>& out) override {
      for (size_t o = 0; o < results_.size(); o++) {
        results_[o].dtype = out[o].tensor().dtype();
        results_[o].items.push_back(std::move(out[o]));
      }
    }

   private:
    const Body& body_;
    size_t length_, k_ = 0;
    std::vector<Value> inputs_;
    std::vector<Sequence> results_;
  };

  Body body_;
};

constexpr OpEntry kOps[] = {
    {"SequenceConstruct", 11, make_operator<SequenceConstruct>},
    {"SequenceEmpty", 11, make_operator<SequenceEmpty>},
    {"SequenceInsert", 11, make_operator<SequenceInsert>},
    {"SequenceErase", 11, make_operator<SequenceErase>},
    {"SequenceAt", 11, make_operator<SequenceAt>},
    {"SequenceLength", 11, make_operator<SequenceLength>},
    {"SplitToSequence", 11, make_operator<SplitToSequence>},
    {"ConcatFromSequence", 11, make_operator<ConcatFromSequence>},
    {"SequenceMap", 17, make_operator<SequenceMap>},
};

}  // namespace

std::span<const OpEntry> sequence_ops() { return kOps; }

}  // namespace sardonyx
