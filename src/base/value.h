// Values that flow between nodes: a tensor, a sequence, an optional, or a map; and their types.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/tensor.h"

namespace sardonyx {

// A dimension as a model declares it: a number, a name ("batch"), or nothing known.
struct Dim {
  int64_t value = -1;  // -1: not fixed
  std::string name;
};

// What a model declares of a value. Kind::unknown where it declares nothing.
struct Type {
  enum class Kind : uint8_t { unknown, tensor, sequence, optional, map };
  Kind kind = Kind::unknown;
  DType dtype = DType::undefined;  // of a tensor's elements, or of a map's keys
  bool has_shape = false;          // tensors only: is the rank declared?
  std::vector<Dim> shape;
  std::shared_ptr<const Type> element;  // of a sequence, an optional, or a map's values

  // "float32(batchx3x224x224)", "sequence(float32(?))"
  std::string to_string() const;
};

class Value;

struct Sequence {
  DType dtype = DType::undefined;  // of the tensors in it, for an empty sequence too; undefined when not of tensors
  std::vector<Value> items;
};

// Keys are an int64 or string tensor of rank 1; values are as many: tensors, or anything else.
struct Map {
  Tensor keys;
  std::vector<Value> values;
};

// Cheap to copy: everything large is shared. A default-made Value is an absent optional.
class Value {
 public:
  Value() = default;
  Value(Tensor tensor) : v_(std::move(tensor)) {}
  Value(Sequence sequence) : v_(std::make_shared<const Sequence>(std::move(sequence))) {}
  Value(Map map) : v_(std::make_shared<const Map>(std::move(map))) {}

  // A present optional is stored as its element; only the absent one is a case of its own.
  bool is_none() const noexcept { return std::holds_alternative<std::monostate>(v_); }
  bool is_tensor() const noexcept { return std::holds_alternative<Tensor>(v_); }
  bool is_sequence() const noexcept { return std::holds_alternative<std::shared_ptr<const Sequence>>(v_); }
  bool is_map() const noexcept { return std::holds_alternative<std::shared_ptr<const Map>>(v_); }

  // Each throws Error (invalid_input) that says what the value is instead.
  const Tensor& tensor() const;
  Tensor& tensor();
  const Sequence& sequence() const;
  const Map& map() const;

  // The same value, with nothing left in an arena.
  Value owned() const;
  // "float32(2x3)", "sequence of 3", "map of 2", "none"
  std::string describe() const;

 private:
  std::variant<std::monostate, Tensor, std::shared_ptr<const Sequence>, std::shared_ptr<const Map>> v_;
};

}  // namespace sardonyx
