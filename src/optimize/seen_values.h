// What two trials of inference see of the values of a graph.
#pragma once
#include <memory>
#include <vector>

#include "ops/evaluate.h"
#include "optimize/static_types.h"

namespace sardonyx {

struct Seen {
  InferInput in;
  Value data;  // where it is small and known
  // Is it made of sizes and of the model's constants? Then what is negative in it is a constant, for all feeds.
  bool sizes = false;
};

class SeenValues {
 protected:
  // kept: what was seen stays to the end.
  SeenValues(const Graph& graph, bool kept)
      : graph_(graph),
        types_(graph.values.size()),
        kept_(kept),
        first_(graph.values.size()),
        second_(graph.values.size()) {}

  static void set(Seen& seen, DType dtype, const Shape& shape) {
    seen.in.present = seen.in.is_tensor = true;
    seen.in.dtype = dtype;
    seen.in.shape = shape;
  }

  // Made when it is first asked for, and gone when no node will ask any more: it is large.
  Seen& seen(bool second, ValueId id) {
    std::unique_ptr<Seen>& at = (second ? second_ : first_)[static_cast<size_t>(id)];
    if (at) return *at;
    at = std::make_unique<Seen>();
    if (graph_.is_constant(id)) {
      const Tensor& constant = graph_.value(id).constant;
      set(*at, constant.dtype(), constant.shape());
      if (constant.has_data()) at->data = constant, at->sizes = true;
    }
    return *at;
  }

  // What is known of the value's type is what it stays.
  void settle(ValueId id) {
    if (!first_[static_cast<size_t>(id)] && !graph_.is_constant(id)) return;
    const InferInput &a = seen(false, id).in, &b = seen(true, id).in;
    if (a.is_tensor && b.is_tensor && a.dtype == b.dtype && a.shape.rank() == b.shape.rank())
      types_.set(id, a.dtype, a.shape, b.shape);
    if (kept_) return;
    for (auto* list : {&first_, &second_}) (*list)[static_cast<size_t>(id)].reset();
  }

  const Graph& graph_;
  StaticTypes types_;

 private:
  bool kept_;
  std::vector<std::unique_ptr<Seen>> first_, second_;
};

}  // namespace sardonyx
