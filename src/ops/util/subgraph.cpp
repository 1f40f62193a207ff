// Body graphs: checks, runs, stacking.
#include "ops/util/subgraph.h"

#include <algorithm>

#include "ops/util/join.h"

namespace sardonyx {

void Body::require_inputs(int count) const {
  check(input_count() == count, ErrorCode::invalid_model, name_, " must take ", count, " inputs, not ", input_count());
}

void Body::require_outputs(int least, int most) const {
  check(output_count() >= least && output_count() <= most, ErrorCode::invalid_model, name_, " must give ", least,
        least == most ? "" : " or more", " outputs, not ", output_count());
}

void Body::require_like(int i, const Value& result, const Value& before) const {
  const bool same = result.is_tensor() == before.is_tensor() &&
                    (!result.is_tensor() || result.tensor().dtype() == before.tensor().dtype());
  check(same || before.is_none() || result.is_none(), ErrorCode::runtime_error, name_, " output \"", output(i).name,
        "\" turns ", before, " into ", result);
}

Tensor Body::stack_of(RunContext& c, int i, std::span<const Tensor> pieces, int64_t axis, bool reversed) const {
  if (!pieces.empty()) {
    const Tensor& first = pieces[0];
    return stack(c.pool(), pieces, first.dtype(), first.shape(), normalize_axis(axis, first.rank() + 1), reversed,
                 cat(name_, " output \"", output(i).name, "\""));
  }
  const Type& type = output(i).type;
  check(type.kind == Type::Kind::tensor && type.dtype != DType::undefined, ErrorCode::runtime_error, name_,
        " output \"", output(i).name, "\" declares no type, and there is no iteration to tell it");
  Shape shape;
  for (const Dim& d : type.shape) shape.push_back(std::max<int64_t>(d.value, 0));
  shape.insert(normalize_axis(axis, shape.rank() + 1), 0);
  return Tensor::allocate(type.dtype, shape);
}

}  // namespace sardonyx
