// Regular expressions in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), matched in time that is linear
// in the text: a Thompson automaton, no backtracking.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace sardonyx {

// Code points from first to last.
using CodeRange = std::pair<uint32_t, uint32_t>;

enum class RegexAssertion : uint8_t { text_begin, text_end, line_begin, line_end, word_boundary, no_word_boundary };

// One step of the automaton.
struct RegexStep {
  enum class Kind : uint8_t { take, split, jump, assertion, accept };
  Kind kind;
  RegexAssertion assertion{};
  bool negated = false;           // take: anything but the ranges
  int32_t first = 0, second = 0;  // split: both next steps; jump: the first; take: the ranges [first, second)
};

class Regex {
 public:
  // Groups do not capture. Not supported: \p{...}, \C; back references are no part of RE2. Throws Error (invalid_model)
  // that tells what is wrong with the pattern, also where it would give more than 2^17 steps.
  explicit Regex(std::string_view pattern);
  // Does the pattern match the whole text (UTF-8)?
  bool matches(std::string_view text) const;

 private:
  std::vector<RegexStep> steps_;
  std::vector<CodeRange> ranges_;
};

}  // namespace sardonyx
