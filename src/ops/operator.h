// What an operator is, and what it sees of the world when it infers and when it runs.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/thread_pool.h"
#include "base/value.h"
#include "graph/graph.h"

namespace sardonyx {

class Fusible;

// An input as infer sees it.
struct InferInput {
  bool present = false;
  bool is_tensor = false;
  DType dtype = DType::undefined;  // of a tensor
  Shape shape;                     // of a tensor
  const Value* value = nullptr;    // null while the data is not known (a plan is being made)
};

// An output as infer states it.
struct InferOutput {
  enum class State : uint8_t { unset, known, deferred };
  bool wanted = false;
  State state = State::unset;
  DType dtype = DType::undefined;
  Shape shape;
};

// Types and shapes go in, types and shapes come out. Where an operator needs data that is not known yet it calls
// defer(), and infer is called again when the data is there, just before run.
class InferContext {
 public:
  InferContext(std::span<const InferInput> inputs, std::span<InferOutput> outputs)
      : inputs_(inputs), outputs_(outputs) {}
  // Thrown by require_inputs() of a context that asks for no more.
  struct CountAccepted {};
  // A context in which infer() ends where it has accepted the number of inputs. It must ask for that first.
  static InferContext of_count(std::span<const InferInput> inputs) {
    InferContext c(inputs, {});
    c.counts_only_ = true;
    return c;
  }

  int input_count() const noexcept { return static_cast<int>(inputs_.size()); }
  int output_count() const noexcept { return static_cast<int>(outputs_.size()); }
  bool has_input(int i) const noexcept { return i < input_count() && in(i).present; }
  bool has_output(int i) const noexcept { return i < output_count() && out(i).wanted; }
  // Is input i there, and a tensor (not a sequence, optional or map)?
  bool is_tensor(int i) const noexcept { return has_input(i) && in(i).is_tensor; }

  // Of input i, which must be there and be a tensor: throws Error (invalid_model) otherwise.
  DType dtype(int i) const { return tensor(i).dtype; }
  const Shape& shape(int i) const { return tensor(i).shape; }
  int rank(int i) const { return tensor(i).shape.rank(); }
  // The data of input i, or null where it is not known yet: then call defer() and return.
  const Tensor* value(int i) const;
  // Any kind of value; null where it is not known yet.
  const Value* any_value(int i) const { return has_input(i) ? in(i).value : nullptr; }

  void set_output(int i, DType dtype, const Shape& shape);
  // The type and shape of input `like`.
  void set_output_like(int i, int like) { set_output(i, dtype(like), shape(like)); }
  // The shape depends on data, or the output is no tensor: run() makes it with allocate() or set().
  void set_output_deferred(int i);
  // All outputs are stated when infer is called again, with data.
  void defer() noexcept { deferred_ = true; }
  bool deferred() const noexcept { return deferred_; }

  // Checks that write the message. Each throws Error (invalid_model).
  // How many, absent ones in the middle included; the first that infer() does. most: kAnyCount for no bound.
  void require_inputs(int least, int most) const;
  static constexpr int kAnyCount = INT32_MAX;
  void require_input(int i) const;
  void require_dtype(int i, DTypeSet allowed) const;
  void require_same_dtype(int i, int j) const;
  void require_rank(int i, int least, int most = Shape::kMaxRank) const;

 private:
  const InferInput& in(int i) const noexcept { return inputs_[static_cast<size_t>(i)]; }
  InferOutput& out(int i) const noexcept { return outputs_[static_cast<size_t>(i)]; }
  const InferInput& tensor(int i) const;

  std::span<const InferInput> inputs_;
  std::span<InferOutput> outputs_;
  bool deferred_ = false;
  bool counts_only_ = false;
};

// What the runtime lends to operators while they run.
class RunServices {
 public:
  virtual ~RunServices() = default;
  virtual ThreadPool& pool() = 0;
  // At least `bytes` bytes, aligned to 64, with slack at both ends, uninitialised; valid until run() returns or asks
  // again.
  virtual std::byte* scratch(uint64_t bytes) = 0;
  // Throws Error (aborted) when the caller asked to stop; long-running operators call it between steps.
  virtual void check_abort() = 0;
};

// Inputs are there, outputs whose shape infer stated are allocated.
class RunContext {
 public:
  // Elements of `inputs` and `outputs` are null where one is left out. `outputs` point to allocated tensors, or to none
  // Values where deferred.
  RunContext(RunServices& services, std::span<const Value* const> inputs, std::span<Value* const> outputs)
      : services_(services), inputs_(inputs), outputs_(outputs) {}

  int input_count() const noexcept { return static_cast<int>(inputs_.size()); }
  int output_count() const noexcept { return static_cast<int>(outputs_.size()); }
  bool has_input(int i) const noexcept { return i < input_count() && inputs_[static_cast<size_t>(i)]; }
  bool has_output(int i) const noexcept { return i < output_count() && outputs_[static_cast<size_t>(i)]; }

  const Tensor& input(int i) const { return value(i).tensor(); }
  // Throws Error (invalid_model) where it is left out.
  const Value& value(int i) const {
    check(has_input(i), ErrorCode::invalid_model, "input ", i, " is missing");
    return *inputs_[static_cast<size_t>(i)];
  }
  // Is there a tensor for output i already (it is wanted, and infer stated its shape)?
  bool has_tensor(int i) const noexcept { return has_output(i) && outputs_[static_cast<size_t>(i)]->is_tensor(); }
  // The tensor made for output i.
  Tensor& output(int i) { return outputs_[static_cast<size_t>(i)]->tensor(); }
  // Makes a deferred output, which must be wanted.
  Tensor& allocate(int i, DType dtype, const Shape& shape);
  // Sets a deferred output, which must be wanted; what it holds must be owned (Value::owned, Tensor::owned).
  void set(int i, Value value) { *outputs_[static_cast<size_t>(i)] = std::move(value); }

  ThreadPool& pool() { return services_.pool(); }
  RunServices& services() { return services_; }
  // `count` elements of T, uninitialised; one block at a time (a second call may move the first).
  template <class T>
  T* scratch(int64_t count) {
    return reinterpret_cast<T*>(services_.scratch(static_cast<uint64_t>(count) * sizeof(T)));
  }

 private:
  RunServices& services_;
  std::span<const Value* const> inputs_;
  std::span<Value* const> outputs_;
};

// Seen once per node, after the graph passes and before the first run.
class PrepareContext {
 public:
  // exclusive: bit i says that nobody else reads the bytes of constant i.
  explicit PrepareContext(std::span<const Tensor* const> constants, uint32_t exclusive = 0)
      : constants_(constants), exclusive_(exclusive) {}
  // Input i where it is a constant that no feed can replace (its data may be read), else null.
  const Tensor* constant(int i) const {
    return i < static_cast<int>(constants_.size()) ? constants_[static_cast<size_t>(i)] : nullptr;
  }
  // run() will not read constant input i again: once all its users say so, its bytes are given back.
  void release(int i) { released |= 1u << i; }
  uint32_t released = 0;
  // Constant input i in float32 (it is of a float type), released, in memory that is the caller's to write: the
  // constant's own where nobody else reads it.
  Tensor take_float32(int i);
  // Is the memory of constant input i the caller's to write, once it is released?
  bool exclusive(int i) const noexcept { return exclusive_ >> i & 1; }

 private:
  std::span<const Tensor* const> constants_;
  uint32_t exclusive_;
};

// One object per node, made at load; the constructor reads the attributes and throws Error (invalid_model) for bad
// ones.
class Operator {
 public:
  virtual ~Operator() = default;

  // The only validator of types and shapes; states every wanted output. Called for each new set of input shapes.
  // Calls require_inputs() first: the graph passes rely on the count.
  virtual void infer(InferContext& c) const = 0;
  // Computes. Checks only what depends on data, before it splits work.
  virtual void run(RunContext& c) const = 0;

  // Packs constant inputs into the operator's own form.
  virtual void prepare(PrepareContext&) {}
  // Bytes that prepare() keeps.
  virtual uint64_t packed_bytes() const { return 0; }
  // Does run() need no data of its inputs (Shape, Size)? Then it runs while the plan is made.
  virtual bool reads_shapes_only() const { return false; }
  // The input whose bytes output 0 is, under another shape (Reshape, Identity): run() is never called then. -1: none.
  virtual int view_of() const { return -1; }
  // Inputs whose memory output 0 may be written over while run() reads them element by element: a bit mask. The runtime
  // does so only where bytes and type are the same and no one reads the input later.
  virtual uint32_t in_place() const { return 0; }
  // The input over whose memory `output` may be written where the caller of a run binds both to one tensor, as a cache
  // of keys that grows in place; -1: none. Those of in_place() need not be told again.
  virtual int written_over(int /*output*/) const { return -1; }
  // May input i, of this rank, have room behind its matrices (Tensor::has_room())?
  virtual bool takes_room(int /*input*/, int /*rank*/) const { return false; }
  // The input whose rows (of axis rank - 2) are those with which `output` begins, as a cache that grows; -1: none. It
  // takes room then. `output` gets room too where the caller of a run keeps it, and its memory is the input's where
  // that has some left: run() leaves what is in its place.
  virtual int appended_to(int /*output*/, int /*rank*/) const { return -1; }
  // How many multiplications and additions in pairs a run takes in products of matrices and in convolutions: those with
  // zeros that pad and what a mask leaves out are counted, what an activation or an interpolation multiplies is not.
  // infer() has stated all outputs for these inputs, and `output` is the shape of the first, of rank 0 where only
  // others are wanted. 0 for operators that are not made of products.
  virtual double macs(std::span<const InferInput>, const Shape&) const { return 0; }
  // Must run each time, even with constant inputs (random operators).
  virtual bool is_random() const { return false; }
  // The operator as one that takes over what follows it (ops/fusible.h), or null.
  virtual Fusible* fusible() { return nullptr; }
};

// A row of an operator family's table.
struct OpEntry {
  std::string_view type;
  int since;  // first opset version of this form; the highest that is not above the model's opset wins
  std::unique_ptr<Operator> (*make)(const Attributes& attributes);
};

// The usual `make`.
template <class T>
std::unique_ptr<Operator> make_operator(const Attributes& attributes) {
  return std::make_unique<T>(attributes);
}

}  // namespace sardonyx
