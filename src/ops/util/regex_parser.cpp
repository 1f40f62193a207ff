// Parses RE2's syntax of regular expressions.
#include "ops/util/regex_parser.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/error.h"
#include "ops/util/utf8.h"

namespace sardonyx {
namespace {

using Node = RegexNode;
using NodePtr = std::unique_ptr<Node>;
using Ranges = std::vector<CodeRange>;
constexpr uint32_t kLast = 0x10ffff;

constexpr CodeRange kDigit[] = {{'0', '9'}};
constexpr CodeRange kSpace[] = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
constexpr CodeRange kWord[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};

struct NamedClass {
  std::string_view name;
  CodeRange ranges[4];
  int count;
};
constexpr NamedClass kNamed[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"ascii", {{0, 0x7f}}, 1},
    {"blank", {{'\t', '\t'}, {' ', ' '}}, 2},
    {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}, 2},
    {"digit", {{'0', '9'}}, 1},
    {"graph", {{'!', '~'}}, 1},
    {"lower", {{'a', 'z'}}, 1},
    {"print", {{' ', '~'}}, 1},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
    {"space", {{'\t', '\r'}, {' ', ' '}}, 2},
    {"upper", {{'A', 'Z'}}, 1},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3},
};

void add(Ranges& to, std::span<const CodeRange> more) { to.insert(to.end(), more.begin(), more.end()); }

// All code points that are not in the ranges.
Ranges complement(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end());
  Ranges out;
  uint32_t from = 0;
  for (const auto& [first, last] : ranges) {
    if (first > from) out.emplace_back(from, first - 1);
    from = std::max(from, last + 1);
  }
  if (from <= kLast) out.emplace_back(from, kLast);
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  NodePtr all() {
    NodePtr node = choice();
    require(done(), "has a ) without a (");
    return node;
  }

 private:
  struct Flags {
    bool fold = false, lines = false, dot_all = false;
  };
  static constexpr int kDeepest = 200, kMostRepeats = 1000;

  void require(bool ok, std::string_view what) const {
    check(ok, ErrorCode::invalid_model, "pattern \"", pattern_, "\" ", what);
  }
  bool done() const { return at_ >= pattern_.size(); }
  bool sees(std::string_view text) const { return pattern_.substr(at_, text.size()) == text; }
  bool eat(std::string_view text) {
    if (!sees(text)) return false;
    at_ += text.size();
    return true;
  }
  uint32_t next() {
    require(!done(), "ends too early");
    return next_code_point(pattern_, at_);
  }

  static NodePtr make(Node::Kind kind) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    return node;
  }
  NodePtr set(Ranges ranges, bool negated = false) const {
    NodePtr node = make(Node::Kind::set);
    if (flags_.fold) {  // ASCII letters; RE2 folds all of Unicode
      for (size_t i = 0, n = ranges.size(); i < n; i++) {
        const auto [first, last] = ranges[i];
        const auto fold = [&](uint32_t from, uint32_t to, int by) {
          const uint32_t a = std::max(first, from), b = std::min(last, to);
          if (a <= b) ranges.emplace_back(a + static_cast<uint32_t>(by), b + static_cast<uint32_t>(by));
        };
        fold('a', 'z', 'A' - 'a');
        fold('A', 'Z', 'a' - 'A');
      }
    }
    node->ranges = std::move(ranges);
    node->negated = negated;
    return node;
  }
  static NodePtr assertion(RegexAssertion a) {
    NodePtr node = make(Node::Kind::assertion);
    node->assertion = a;
    return node;
  }

  NodePtr choice() {
    require(++depth_ <= kDeepest, "is nested too deeply");
    NodePtr node = make(Node::Kind::choice);
    do node->parts.push_back(sequence());
    while (eat("|"));
    depth_--;
    return node;
  }

  NodePtr sequence() {
    NodePtr node = make(Node::Kind::sequence);
    while (!done() && !sees("|") && !sees(")")) {
      if (eat("\\Q")) {
        quoted(*node);
        continue;
      }
      if (NodePtr part = atom()) node->parts.push_back(repeated(std::move(part)));
    }
    return node;
  }

  // What stands between \Q and \E; a repetition behind it is one of the last character.
  void quoted(Node& sequence) {
    while (!done() && !eat("\\E")) {
      NodePtr part = single(next());
      const bool last = eat("\\E");
      sequence.parts.push_back(last ? repeated(std::move(part)) : std::move(part));
      if (last) return;
    }
  }

  NodePtr single(uint32_t code) const { return set({{code, code}}); }

  // The atom with what repeats it; lazy ("*?") makes no difference to whether a whole text matches.
  NodePtr repeated(NodePtr part) {
    int least = 0, most = -1;
    if (!repetition(least, most)) return part;
    eat("?");
    NodePtr node = make(Node::Kind::repeat);
    node->parts.push_back(std::move(part));
    node->least = least;
    node->most = most;
    require(!repetition(least, most), "repeats a repetition");
    return node;
  }
  bool repetition(int& least, int& most) {
    least = 0;
    most = -1;
    if (eat("*")) return true;
    if (eat("+")) return least = 1, true;
    if (eat("?")) return most = 1, true;
    return counts(least, most);
  }

  // "{2}", "{2,}", "{2,5}"; anything else is no repetition, and "{" stands for itself.
  bool counts(int& least, int& most) {
    const size_t start = at_;
    if (eat("{") && number(least)) {
      most = least;
      if (eat(",")) {
        most = -1;
        if (!sees("}")) number(most);
      }
      if (eat("}")) {
        require(least <= kMostRepeats && most <= kMostRepeats && (most < 0 || least <= most), "has a bad repetition");
        return true;
      }
    }
    at_ = start;
    return false;
  }
  bool number(int& value) {
    const size_t start = at_;
    value = 0;
    for (; !done() && pattern_[at_] >= '0' && pattern_[at_] <= '9'; at_++) {
      value = std::min(value * 10 + (pattern_[at_] - '0'), 1 << 20);
    }
    return at_ > start;
  }

  // Null for a group that only sets flags.
  NodePtr atom() {
    const uint32_t c = next();
    switch (c) {
      case '.':
        return flags_.dot_all ? set({{0, kLast}}) : set({{'\n', '\n'}}, true);
      case '^':
        return assertion(flags_.lines ? RegexAssertion::line_begin : RegexAssertion::text_begin);
      case '$':
        return assertion(flags_.lines ? RegexAssertion::line_end : RegexAssertion::text_end);
      case '(':
        return group();
      case '[':
        return bracket();
      case '*':
      case '+':
      case '?':
        require(false, "repeats nothing");
        return nullptr;
      case '\\':
        return escaped();
      default:
        return single(c);
    }
  }

  NodePtr group() {
    const Flags before = flags_;
    if (eat("?")) {
      if (eat("P<") || eat("<")) {
        while (!eat(">")) next();
      } else if (!flags()) {
        return nullptr;  // "(?i)" holds until the enclosing group ends
      }
    }
    NodePtr node = choice();
    require(eat(")"), "lacks a )");
    flags_ = before;
    return node;
  }
  // Reads "i-s:" or "i)"; does a group follow?
  bool flags() {
    bool on = true;
    for (;;) {
      const uint32_t c = next();
      if (c == ':' || c == ')') return c == ':';
      if (c == '-') on = false;
      if (c == 'i') flags_.fold = on;
      if (c == 'm') flags_.lines = on;
      if (c == 's') flags_.dot_all = on;
      require(c == '-' || c == 'i' || c == 'm' || c == 's' || c == 'U', "has an unknown flag");
    }
  }

  NodePtr escaped() {
    require(!done(), "ends in a backslash");
    if (eat("A")) return assertion(RegexAssertion::text_begin);
    if (eat("z")) return assertion(RegexAssertion::text_end);
    if (eat("b")) return assertion(RegexAssertion::word_boundary);
    if (eat("B")) return assertion(RegexAssertion::no_word_boundary);
    Ranges ranges;
    if (class_escape(ranges)) return set(std::move(ranges));
    return single(character_escape());
  }

  // \d and kin, behind the backslash.
  bool class_escape(Ranges& to) {
    const auto kind = [this](std::string_view lower, std::string_view upper, bool& inverse) {
      inverse = sees(upper);
      return eat(lower) || eat(upper);
    };
    bool inverse = false;
    Ranges ranges;
    if (kind("d", "D", inverse)) {
      add(ranges, kDigit);
    } else if (kind("s", "S", inverse)) {
      add(ranges, kSpace);
    } else if (kind("w", "W", inverse)) {
      add(ranges, kWord);
    } else {
      return false;
    }
    add(to, inverse ? complement(std::move(ranges)) : std::move(ranges));
    return true;
  }

  uint32_t character_escape() {
    const uint32_t c = next();
    constexpr std::string_view kLetters = "afnrtv", kMeanings = "\a\f\n\r\t\v";
    if (c == 'x') return hexadecimal();
    if (c == '0') {
      uint32_t value = 0;
      for (int i = 0; i < 2 && !done() && pattern_[at_] >= '0' && pattern_[at_] <= '7'; i++)
        value = value * 8 + next() - '0';
      return value;
    }
    const size_t known = c < 0x80 ? kLetters.find(static_cast<char>(c)) : std::string_view::npos;
    if (known != std::string_view::npos) return static_cast<uint8_t>(kMeanings[known]);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    require(!letter, "has an escape that is not supported");
    return c;
  }
  uint32_t hexadecimal() {
    const bool braces = eat("{");
    uint32_t value = 0;
    for (int i = 0; i < (braces ? 7 : 2) && !(braces && sees("}")); i++) {
      const uint32_t c = next() | 0x20;
      const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
      require(digit || letter, "has a bad \\x");
      value = value * 16 + (digit ? c - '0' : c - 'a' + 10);
    }
    require((!braces || eat("}")) && value <= kLast, "has a bad \\x");
    return value;
  }

  NodePtr bracket() {
    const bool negated = eat("^");
    Ranges ranges;
    bool first = true;
    while (first || !sees("]")) {
      first = false;
      require(!done(), "lacks a ]");
      if (eat("[:")) {
        named(ranges);
        continue;
      }
      if (eat("\\")) {
        if (class_escape(ranges)) continue;
        at_--;
      }
      const uint32_t from = member();
      uint32_t to = from;
      if (sees("-") && !sees("-]")) {
        eat("-");
        to = member();
        require(from <= to, "has a range that runs backwards");
      }
      ranges.emplace_back(from, to);
    }
    eat("]");
    return set(std::move(ranges), negated);
  }
  uint32_t member() { return eat("\\") ? character_escape() : next(); }
  void named(Ranges& to) {
    const bool inverse = eat("^");
    for (const NamedClass& k : kNamed) {
      if (!sees(k.name) || pattern_.substr(at_ + k.name.size(), 2) != ":]") continue;
      at_ += k.name.size() + 2;
      Ranges ranges(k.ranges, k.ranges + k.count);
      return add(to, inverse ? complement(std::move(ranges)) : std::move(ranges));
    }
    require(false, "has an unknown class");
  }

  std::string_view pattern_;
  size_t at_ = 0;
  int depth_ = 0;
  Flags flags_;
};

}  // namespace

std::unique_ptr<RegexNode> parse_regex(std::string_view pattern) { return Parser(pattern).all(); }

}  // namespace sardonyx
