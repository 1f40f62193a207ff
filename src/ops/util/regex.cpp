// Compiles regular expressions to an automaton, and runs it.
#include "ops/util/regex.h"

#include <utility>

#include "base/error.h"
#include "ops/util/regex_parser.h"
#include "ops/util/utf8.h"

namespace sardonyx {
namespace {

using Step = RegexStep;
using Kind = RegexStep::Kind;
constexpr size_t kMostSteps = size_t{1} << 17;

class Compiler {
 public:
  Compiler(std::vector<Step>& steps, std::vector<CodeRange>& ranges) : steps_(steps), ranges_(ranges) {}

  void compile(const RegexNode& node) {
    // Repetitions of nothing give no steps, but take time.
    check(++nodes_ < 8 * kMostSteps, ErrorCode::invalid_model, "the pattern is too large");
    switch (node.kind) {
      case RegexNode::Kind::set: {
        const auto first = static_cast<int32_t>(ranges_.size());
        ranges_.insert(ranges_.end(), node.ranges.begin(), node.ranges.end());
        Step& step = steps_[add(Kind::take)];
        step.negated = node.negated;
        step.first = first;
        step.second = static_cast<int32_t>(ranges_.size());
        return;
      }
      case RegexNode::Kind::assertion:
        steps_[add(Kind::assertion)].assertion = node.assertion;
        return;
      case RegexNode::Kind::sequence:
        for (const auto& part : node.parts) compile(*part);
        return;
      case RegexNode::Kind::choice:
        return choice(node);
      case RegexNode::Kind::repeat:
        return repeat(node);
    }
  }
  size_t add(Kind kind) {
    check(steps_.size() < kMostSteps && ranges_.size() < kMostSteps, ErrorCode::invalid_model,
          "the pattern is too large");
    steps_.push_back({kind});
    return steps_.size() - 1;
  }

 private:
  int32_t here() const { return static_cast<int32_t>(steps_.size()); }

  void choice(const RegexNode& node) {
    std::vector<size_t> ends;
    for (size_t i = 0; i < node.parts.size(); i++) {
      const bool last = i + 1 == node.parts.size();
      const size_t split = last ? 0 : add(Kind::split);
      if (!last) steps_[split].first = here();
      compile(*node.parts[i]);
      if (last) break;
      ends.push_back(add(Kind::jump));
      steps_[split].second = here();
    }
    for (size_t end : ends) steps_[end].first = here();
  }

  void repeat(const RegexNode& node) {
    for (int i = 0; i < node.least; i++) compile(*node.parts[0]);
    if (node.most < 0) {
      const size_t split = add(Kind::split);
      steps_[split].first = here();
      compile(*node.parts[0]);
      steps_[add(Kind::jump)].first = static_cast<int32_t>(split);
      steps_[split].second = here();
      return;
    }
    std::vector<size_t> exits;
    for (int i = node.least; i < node.most; i++) {
      exits.push_back(add(Kind::split));
      steps_[exits.back()].first = here();
      compile(*node.parts[0]);
    }
    for (size_t exit : exits) steps_[exit].second = here();
  }

  std::vector<Step>& steps_;
  std::vector<CodeRange>& ranges_;
  size_t nodes_ = 0;
};

constexpr uint32_t kNone = UINT32_MAX;  // before the first and after the last code point

bool is_word(uint32_t c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool holds(RegexAssertion a, uint32_t before, uint32_t after) noexcept {
  switch (a) {
    case RegexAssertion::text_begin:
      return before == kNone;
    case RegexAssertion::text_end:
      return after == kNone;
    case RegexAssertion::line_begin:
      return before == kNone || before == '\n';
    case RegexAssertion::line_end:
      return after == kNone || after == '\n';
    case RegexAssertion::word_boundary:
      return is_word(before) != is_word(after);
    case RegexAssertion::no_word_boundary:
      return is_word(before) == is_word(after);
  }
  return false;
}

// The steps that the automaton is in, between two code points.
class States {
 public:
  explicit States(const std::vector<Step>& steps) : steps_(steps), seen_(steps.size(), 0) {}

  void clear() {
    list_.clear();
    round_++;
  }
  // Adds a step and all that follow it without a code point.
  void add(int32_t step, uint32_t before, uint32_t after) {
    pending_.push_back(step);
    while (!pending_.empty()) {
      const int32_t at = pending_.back();
      pending_.pop_back();
      if (seen_[static_cast<size_t>(at)] == round_) continue;
      seen_[static_cast<size_t>(at)] = round_;
      const Step& s = steps_[static_cast<size_t>(at)];
      if (s.kind == Kind::split) pending_.push_back(s.second);
      if (s.kind == Kind::split || s.kind == Kind::jump) pending_.push_back(s.first);
      if (s.kind == Kind::assertion && holds(s.assertion, before, after)) pending_.push_back(at + 1);
      if (s.kind == Kind::take || s.kind == Kind::accept) list_.push_back(at);
    }
  }
  const std::vector<int32_t>& list() const { return list_; }

 private:
  const std::vector<Step>& steps_;
  std::vector<uint64_t> seen_;
  uint64_t round_ = 1;
  std::vector<int32_t> list_, pending_;
};

}  // namespace

Regex::Regex(std::string_view pattern) {
  Compiler compiler(steps_, ranges_);
  compiler.compile(*parse_regex(pattern));
  compiler.add(Kind::accept);
}

bool Regex::matches(std::string_view text) const {
  size_t at = 0;
  const auto next = [&] { return at < text.size() ? next_code_point(text, at) : kNone; };
  uint32_t code = next();
  States a(steps_), b(steps_);
  States *now = &a, *then = &b;
  now->add(0, kNone, code);
  while (code != kNone && !now->list().empty()) {
    const uint32_t after = next();
    then->clear();
    for (int32_t step : now->list()) {
      const Step& s = steps_[static_cast<size_t>(step)];
      if (s.kind != Kind::take) continue;
      bool inside = false;
      for (int32_t r = s.first; r < s.second && !inside; r++) {
        const auto& [first, last] = ranges_[static_cast<size_t>(r)];
        inside = code >= first && code <= last;
      }
      if (inside != s.negated) then->add(step + 1, code, after);
    }
    std::swap(now, then);
    code = after;
  }
  for (int32_t step : now->list()) {
    if (code == kNone && steps_[static_cast<size_t>(step)].kind == Kind::accept) return true;
  }
  return false;
}

}  // namespace sardonyx
