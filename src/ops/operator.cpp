// Checks and bookkeeping that all operators share.
#include "ops/operator.h"

#include "ops/util/float_blocks.h"

namespace sardonyx {

const InferInput& InferContext::tensor(int i) const {
  require_input(i);
  check(in(i).is_tensor, ErrorCode::invalid_model, "input ", i, " must be a tensor");
  return in(i);
}

const Tensor* InferContext::value(int i) const {
  tensor(i);
  return in(i).value ? &in(i).value->tensor() : nullptr;
}

void InferContext::set_output(int i, DType dtype, const Shape& shape) {
  if (!has_output(i)) return;
  shape.require_valid();
  out(i).state = InferOutput::State::known;
  out(i).dtype = dtype;
  out(i).shape = shape;
}

void InferContext::set_output_deferred(int i) {
  if (has_output(i)) out(i).state = InferOutput::State::deferred;
}

void InferContext::require_inputs(int least, int most) const {
  if (input_count() < least || input_count() > most) {
    const bool one = least == 1 && (most == 1 || most == kAnyCount);
    const std::string range = least == most       ? cat(least)
                              : most == kAnyCount ? cat("at least ", least)
                                                  : cat(least, " to ", most);
    fail(ErrorCode::invalid_model, cat("takes ", range, one ? " input" : " inputs", ", not ", input_count()));
  }
  if (counts_only_) throw CountAccepted();
}

void InferContext::require_input(int i) const {
  check(has_input(i), ErrorCode::invalid_model, "input ", i, " is missing");
}

void InferContext::require_dtype(int i, DTypeSet allowed) const {
  check(allowed.has(dtype(i)), ErrorCode::invalid_model, "input ", i, " is ", dtype(i), "; allowed are ", allowed);
}

void InferContext::require_same_dtype(int i, int j) const {
  check(dtype(i) == dtype(j), ErrorCode::invalid_model, "inputs ", i, " and ", j, " must have the same type, not ",
        dtype(i), " and ", dtype(j));
}

void InferContext::require_rank(int i, int least, int most) const {
  check(rank(i) >= least && rank(i) <= most, ErrorCode::invalid_model, "input ", i, " has rank ", rank(i), ", not ",
        least,
        most == least             ? std::string()
        : most == Shape::kMaxRank ? std::string(" or more")
                                  : cat(" to ", most));
}

Tensor PrepareContext::take_float32(int i) {
  const Tensor& t = *constants_[static_cast<size_t>(i)];
  release(i);
  if (t.dtype() != DType::float32) return to_float32(t);
  return exclusive(i) ? t : t.clone();
}

Tensor& RunContext::allocate(int i, DType dtype, const Shape& shape) {
  *outputs_[static_cast<size_t>(i)] = Tensor::allocate(dtype, shape);
  return output(i);
}

}  // namespace sardonyx
