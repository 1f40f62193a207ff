// The standard's operators as `check` needs them: names, versions, inputs, outputs, types, attributes (operators.txt).
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sardonyx::tools {

// An input or output. In operators.txt NAME, then ? (optional), * (any number, of one type) or ~ (any number, of any
// types) with the least number, then ":" and a type variable.
struct PortSchema {
  std::string_view name, type;
  bool optional = false, variadic = false, same_type = true;
  int least = 0;  // of variadic ones
};

// In operators.txt NAME:KIND, KIND one of fistgFISTGpPyY (float, int, string, tensor, graph, their lists, sparse
// tensor(s), type(s)), and ! where it is required.
struct AttributeSchema {
  std::string_view name;
  char kind;
  bool required;
};

struct OperatorSchema {
  int since = 0;
  std::vector<PortSchema> inputs, outputs;
  // Types as codes: the number of TensorProto.DataType for a tensor; s, o, p in front for sequences, optionals and
  // sparse tensors of what follows; mKEY:VALUE for maps.
  std::map<std::string_view, std::vector<std::string_view>> types;  // by type variable
  std::vector<AttributeSchema> attributes;
  bool deprecated = false;

  const AttributeSchema* attribute(std::string_view name) const;
};

// How many inputs or outputs there may be; most is -1 where there is no limit.
struct Arity {
  int least = 0, most = 0;
};
Arity arity_of(std::span<const PortSchema> ports);
// The port of position i, or null beyond the last.
const PortSchema* port_at(std::span<const PortSchema> ports, size_t i);

class Schemas {
 public:
  Schemas();
  ~Schemas();
  // Does the standard define this domain ("" is ai.onnx)?
  bool knows_domain(std::string_view domain) const;
  // The newest form of a version not above `opset`; null where there is none.
  const OperatorSchema* find(std::string_view domain, std::string_view type, int64_t opset) const;
  // The first version that has the operator; 0 where none has.
  int first_version(std::string_view domain, std::string_view type) const;
  // The newest version that any operator of the domain has.
  int newest(std::string_view domain) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// 'i' of AttributeProto.INT and so on; 0 for those without.
char kind_letter(int attribute_type);
// "an int", "a list of ints".
std::string_view kind_text(char kind);
// "tensor(float)" of "1", as the standard writes types.
std::string type_text(std::string_view code);

}  // namespace sardonyx::tools
