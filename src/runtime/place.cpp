// What errors say of a node's inputs.
#include "runtime/place.h"

namespace sardonyx {

std::string describe_values(std::span<const Value* const> inputs) {
  std::string text;
  for (size_t i = 0; i < inputs.size(); i++)
    text += (i ? ", " : "") + (inputs[i] ? inputs[i]->describe() : std::string("none"));
  return text;
}

}  // namespace sardonyx
