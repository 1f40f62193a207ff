// The syntax tree of a regular expression. Internal to regex.cpp and regex_parser.cpp.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "ops/util/regex.h"

namespace sardonyx {

struct RegexNode {
  enum class Kind : uint8_t { set, sequence, choice, repeat, assertion };
  Kind kind;
  std::vector<std::unique_ptr<RegexNode>> parts;  // sequence, choice (1 or more); repeat (1)
  int least = 0, most = -1;                       // repeat; most -1: no end
  std::vector<CodeRange> ranges;                  // set
  bool negated = false;                           // set
  RegexAssertion assertion{};
};

// Throws Error (invalid_model).
std::unique_ptr<RegexNode> parse_regex(std::string_view pattern);

}  // namespace sardonyx
