// The attributes of a node, typed, with a memory of which were read: an operator's constructor reads those it knows,
// and the registry refuses a node with any left over.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/value.h"

namespace sardonyx {

struct Graph;

// One attribute's value (AttributeProto of the standard). Strings are bytes, as in the file.
using AttributeValue = std::variant<int64_t, float, std::string, Tensor, std::shared_ptr<Graph>, Type,
                                    std::vector<int64_t>, std::vector<float>, std::vector<std::string>,
                                    std::vector<Tensor>, std::vector<std::shared_ptr<Graph>>, std::vector<Type>>;

struct Attribute {
  std::string name;
  AttributeValue value;
  mutable bool read = false;
};

// Each getter throws Error (invalid_model) where the attribute has another type; the required ones (without a default)
// also where it is missing.
class Attributes {
 public:
  void add(std::string name, AttributeValue value);  // Error (invalid_model) for a name given twice

  bool has(std::string_view name) const;  // does not count as read
  int64_t integer(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  // An int used as a flag; anything but 0 is true.
  bool flag(std::string_view name, bool otherwise) const { return integer(name, otherwise ? 1 : 0) != 0; }
  float number(std::string_view name) const;
  float number(std::string_view name, float otherwise) const;
  const std::string& string(std::string_view name) const;
  std::string string(std::string_view name, std::string_view otherwise) const;
  const Tensor& tensor(std::string_view name) const;
  std::shared_ptr<Graph> graph(std::string_view name) const;
  const Type& type(std::string_view name) const;
  // A DType given as its number (Cast's `to`); throws for numbers that are none.
  DType dtype(std::string_view name) const;
  DType dtype(std::string_view name, DType otherwise) const;
  // Empty where missing.
  std::vector<int64_t> ints(std::string_view name) const;
  std::vector<float> floats(std::string_view name) const;
  std::vector<std::string> strings(std::string_view name) const;
  std::vector<Tensor> tensors(std::string_view name) const;
  // One of `names`, as its position; `otherwise` where the attribute is missing.
  int choice(std::string_view name, std::initializer_list<std::string_view> names, int otherwise) const;
  // Counts as read whatever its type is: for attributes that are allowed and mean nothing here (consumed_inputs...).
  void ignore(std::string_view name) const;

  const std::vector<Attribute>& all() const noexcept { return list_; }
  std::vector<Attribute>& all() noexcept { return list_; }

  // What else a constructor may want to know of its node.
  int since = 0;    // the version of the operator that was chosen (OpEntry::since)
  int opset = 0;    // the version of the operator's domain that the model imports
  int inputs = 0;   // number of inputs, absent ones in the middle included
  int outputs = 0;  // number of outputs, likewise

 private:
  const Attribute* find(std::string_view name) const;
  template <class T>
  const T* get(std::string_view name) const;
  std::vector<Attribute> list_;
};

}  // namespace sardonyx
