// Operators on strings: StringNormalizer, StringConcat, StringSplit, RegexFullMatch.
#include <algorithm>

#include "ops/families.h"
#include "ops/util/letters.h"
#include "ops/util/regex.h"

namespace sardonyx {
namespace {

constexpr DTypeSet kStrings{DType::string};

// ONNX StringNormalizer: drops stop words, changes case. Nothing left gives one empty string.
class StringNormalizer final : public Operator {
 public:
  explicit StringNormalizer(const Attributes& a)
      : action_(a.choice("case_change_action", {"NONE", "LOWER", "UPPER"}, 0)),
        sensitive_(a.flag("is_case_sensitive", false)),
        stopwords_(a.strings("stopwords")) {
    a.ignore("locale");  // letters change case the same way everywhere
    if (!sensitive_) {
      for (std::string& word : stopwords_) word = to_lower(word);
    }
    std::sort(stopwords_.begin(), stopwords_.end());
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kStrings);
    c.require_rank(0, 1, 2);
    check(c.rank(0) == 1 || c.shape(0)[0] == 1, ErrorCode::invalid_model, "input must be C or 1xC, not ", c.shape(0));
    c.set_output_deferred(0);
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    std::vector<const std::string*> kept;
    for (const std::string& s : x.values<std::string>()) {
      if (!std::binary_search(stopwords_.begin(), stopwords_.end(), sensitive_ ? s : to_lower(s))) kept.push_back(&s);
    }
    const int64_t count = std::max<int64_t>(static_cast<int64_t>(kept.size()), 1);
    auto* y = c.allocate(0, DType::string, x.rank() == 1 ? Shape{count} : Shape{1, count}).data<std::string>();
    for (const std::string* s : kept) *y++ = action_ == 0 ? *s : action_ == 1 ? to_lower(*s) : to_upper(*s);
  }

 private:
  int action_;
  bool sensitive_;
  std::vector<std::string> stopwords_;
};

// ONNX StringConcat: x + y, with numpy's broadcasting.
class StringConcat final : public Operator {
 public:
  explicit StringConcat(const Attributes&) {}
  void infer(InferContext& c) const override {
    c.require_inputs(2, 2);
    c.require_dtype(0, kStrings);
    c.require_dtype(1, kStrings);
    c.set_output(0, DType::string, broadcast(c.shape(0), c.shape(1)));
  }
  void run(RunContext& c) const override {
    const Tensor &a = c.input(0), &b = c.input(1);
    Tensor& y = c.output(0);
    for (int64_t i = 0; i < y.count(); i++) {
      y.data<std::string>()[i] = a.data<std::string>()[source(a.shape(), y.shape(), i)] +
                                 b.data<std::string>()[source(b.shape(), y.shape(), i)];
    }
  }

 private:
  // The element of a tensor of shape x that stands at element i of the shape y that it is broadcast to.
  static int64_t source(const Shape& x, const Shape& y, int64_t i) {
    int64_t at = 0, stride = 1;
    for (int d = y.rank() - 1, k = x.rank() - 1; k >= 0; d--, k--) {
      at += x[k] == 1 ? 0 : i % y[d] * stride;
      i /= y[d];
      stride *= x[k];
    }
    return at;
  }
};

// ONNX StringSplit: the parts of each string in a new last dimension, filled up with empty strings, and their numbers.
// Without a delimiter, runs of white space separate and the ends are trimmed (Python's str.split).
class StringSplit final : public Operator {
 public:
  explicit StringSplit(const Attributes& a)
      : delimiter_(a.string("delimiter", "")), most_(a.has("maxsplit") ? a.integer("maxsplit") : INT64_MAX) {
    check(most_ >= 0, ErrorCode::invalid_model, "attribute \"maxsplit\" is ", most_);
  }
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kStrings);
    c.set_output_deferred(0);
    c.set_output(1, DType::int64, c.shape(0));
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    std::vector<std::vector<std::string>> all;
    size_t widest = 0;
    for (const std::string& s : x.values<std::string>()) {
      all.push_back(delimiter_.empty() ? by_space(s) : by_delimiter(s));
      widest = std::max(widest, all.back().size());
    }
    if (c.has_output(0)) {
      Shape shape = x.shape();
      shape.push_back(static_cast<int64_t>(widest));
      auto* y = c.allocate(0, DType::string, shape).data<std::string>();
      for (size_t i = 0; i < all.size(); i++) std::copy(all[i].begin(), all[i].end(), y + i * widest);
    }
    if (!c.has_output(1)) return;
    for (size_t i = 0; i < all.size(); i++) c.output(1).data<int64_t>()[i] = static_cast<int64_t>(all[i].size());
  }

 private:
  std::vector<std::string> by_delimiter(const std::string& s) const {
    std::vector<std::string> parts;
    size_t from = 0;
    for (int64_t n = 0; n < most_; n++) {
      const size_t to = s.find(delimiter_, from);
      if (to == std::string::npos) break;
      parts.push_back(s.substr(from, to - from));
      from = to + delimiter_.size();
    }
    parts.push_back(s.substr(from));
    return parts;
  }
  std::vector<std::string> by_space(const std::string& s) const {
    constexpr const char* kSpace = " \t\n\v\f\r";
    std::vector<std::string> parts;
    size_t from = s.find_first_not_of(kSpace);
    while (from != std::string::npos) {
      if (static_cast<int64_t>(parts.size()) == most_) {
        parts.push_back(s.substr(from, s.find_last_not_of(kSpace) + 1 - from));
        break;
      }
      const size_t to = s.find_first_of(kSpace, from);
      parts.push_back(s.substr(from, to == std::string::npos ? to : to - from));
      from = s.find_first_not_of(kSpace, to == std::string::npos ? s.size() : to);
    }
    return parts;
  }

  std::string delimiter_;
  int64_t most_;
};

// ONNX RegexFullMatch: does the whole string match the pattern (RE2's syntax)?
class RegexFullMatch final : public Operator {
 public:
  explicit RegexFullMatch(const Attributes& a) : regex_(a.string("pattern", "")) {}
  void infer(InferContext& c) const override {
    c.require_inputs(1, 1);
    c.require_dtype(0, kStrings);
    c.set_output(0, DType::boolean, c.shape(0));
  }
  void run(RunContext& c) const override {
    const Tensor& x = c.input(0);
    for (int64_t i = 0; i < x.count(); i++) {
      c.output(0).data<bool>()[i] = regex_.matches(x.data<std::string>()[i]);
    }
  }

 private:
  Regex regex_;
};

constexpr OpEntry kOps[] = {
    {"StringNormalizer", 10, make_operator<StringNormalizer>},
    {"StringConcat", 20, make_operator<StringConcat>},
    {"StringSplit", 20, make_operator<StringSplit>},
    {"RegexFullMatch", 20, make_operator<RegexFullMatch>},
};

}  // namespace

std::span<const OpEntry> text_ops() { return kOps; }

}  // namespace sardonyx
