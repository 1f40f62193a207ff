// Values and types: access and wording.
#include "base/value.h"

#include "base/error.h"

namespace sardonyx {

std::string Type::to_string() const {
  switch (kind) {
    case Kind::unknown:
      return "unknown";
    case Kind::sequence:
      return cat("sequence(", element ? element->to_string() : "?", ")");
    case Kind::optional:
      return cat("optional(", element ? element->to_string() : "?", ")");
    case Kind::map:
      return cat("map(", dtype, ", ", element ? element->to_string() : "?", ")");
    case Kind::tensor:
      break;
  }
  std::string text = cat(dtype, "(");
  if (!has_shape) return text + "...)";
  for (size_t i = 0; i < shape.size(); i++) {
    if (i) text += 'x';
    text += shape[i].value >= 0 ? std::to_string(shape[i].value) : shape[i].name.empty() ? "?" : shape[i].name;
  }
  return text + (shape.empty() ? "scalar)" : ")");
}

const Tensor& Value::tensor() const {
  if (const Tensor* t = std::get_if<Tensor>(&v_)) return *t;
  fail(ErrorCode::invalid_input, cat("a tensor is wanted, not ", describe()));
}

Tensor& Value::tensor() {
  if (Tensor* t = std::get_if<Tensor>(&v_)) return *t;
  fail(ErrorCode::invalid_input, cat("a tensor is wanted, not ", describe()));
}

const Sequence& Value::sequence() const {
  if (const auto* s = std::get_if<std::shared_ptr<const Sequence>>(&v_)) return **s;
  fail(ErrorCode::invalid_input, cat("a sequence is wanted, not ", describe()));
}

const Map& Value::map() const {
  if (const auto* m = std::get_if<std::shared_ptr<const Map>>(&v_)) return **m;
  fail(ErrorCode::invalid_input, cat("a map is wanted, not ", describe()));
}

Value Value::owned() const { return is_tensor() ? Value(tensor().owned()) : *this; }

std::string Value::describe() const {
  if (is_none()) return "none";
  if (is_tensor()) return tensor().describe();
  if (is_sequence()) return cat("sequence of ", sequence().items.size());
  return cat("map of ", map().values.size());
}

}  // namespace sardonyx
