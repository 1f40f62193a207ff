// The equation of Einsum.
#include "ops/util/equation.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace sardonyx {
namespace {

bool has(const std::vector<int>& list, int index) { return std::find(list.begin(), list.end(), index) != list.end(); }

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::vector<int> parse_term(std::string_view term) {
  std::vector<int> indices;
  for (size_t i = 0; i < term.size(); i++) {
    if (is_letter(term[i])) {
      indices.push_back(term[i]);
      continue;
    }
    check(term.substr(i, 3) == "...", ErrorCode::invalid_model, "equation has \"", term.substr(i, 1),
          "\" where an index or an ellipsis is wanted");
    check(!has(indices, Equation::kEllipsis), ErrorCode::invalid_model, "equation has two ellipses in one term");
    indices.push_back(Equation::kEllipsis);
    i += 2;
  }
  return indices;
}

// What the output is where the equation has no "->": the ellipsis, then the indices that appear once, in ASCII order.
std::vector<int> implicit_output(const std::vector<std::vector<int>>& terms) {
  int uses[Equation::kIndices] = {};
  for (const auto& term : terms) {
    for (int index : term) uses[index]++;
  }
  std::vector<int> output;
  if (uses[Equation::kEllipsis]) output.push_back(Equation::kEllipsis);
  for (int index = 0; index < Equation::kEllipsis; index++) {
    if (uses[index] == 1) output.push_back(index);
  }
  return output;
}

// The term with `axes` indices for its ellipsis.
std::vector<int> expanded(const std::vector<int>& term, int axes) {
  std::vector<int> indices;
  for (int index : term) {
    if (index != Equation::kEllipsis) indices.push_back(index);
    for (int i = axes; index == Equation::kEllipsis && i > 0; i--) indices.push_back(Equation::kEllipsis + i - 1);
  }
  return indices;
}

}  // namespace

Equation::Equation(std::string_view text) {
  std::string packed(text);
  std::erase(packed, ' ');
  std::string_view rest = packed;
  const size_t arrow = rest.find("->");
  std::string_view left = rest.substr(0, arrow);
  for (;;) {
    const size_t comma = left.find(',');
    terms_.push_back(parse_term(left.substr(0, comma)));
    if (comma == left.npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow == rest.npos) {
    output_ = implicit_output(terms_);
    return;
  }
  output_ = parse_term(rest.substr(arrow + 2));
  for (size_t i = 0; i < output_.size(); i++) {
    const int index = output_[i];
    if (index == kEllipsis) continue;
    const char letter[] = {static_cast<char>(index), 0};
    check(std::any_of(terms_.begin(), terms_.end(), [&](const auto& term) { return has(term, index); }),
          ErrorCode::invalid_model, "equation gives no operand the output's index ", letter);
    check(std::count(output_.begin(), output_.end(), index) == 1, ErrorCode::invalid_model,
          "equation has the output's index ", letter, " twice");
  }
}

Equation::Indices Equation::indices(std::span<const Shape> shapes) const {
  check(shapes.size() == terms_.size(), ErrorCode::invalid_model, "equation has ", terms_.size(), " terms for ",
        shapes.size(), " inputs");
  Indices all;
  all.lengths.assign(kIndices, -1);
  int widest = 0, used = 0;
  for (size_t i = 0; i < shapes.size(); i++) {
    const Shape& shape = shapes[i];
    const bool ellipsis = has(terms_[i], kEllipsis);
    const int axes = shape.rank() - static_cast<int>(terms_[i].size()) + (ellipsis ? 1 : 0);
    check(axes == 0 || (axes > 0 && ellipsis), ErrorCode::invalid_input, "input ", static_cast<int>(i), " of shape ",
          shape, " does not fit its term in the equation");
    widest = std::max(widest, axes);
    const std::vector<int> term = expanded(terms_[i], axes);
    for (size_t k = 0; k < term.size(); k++) {
      const int64_t dim = shape[static_cast<int>(k)];
      int64_t& length = all.lengths[static_cast<size_t>(term[k])];
      const size_t first = static_cast<size_t>(std::find(term.begin(), term.end(), term[k]) - term.begin());
      const bool fits =
          (length < 0 || length == 1 || dim == 1 || dim == length) && dim == shape[static_cast<int>(first)];
      check(fits, ErrorCode::invalid_input, "dimension ", static_cast<int>(k), " of input ", static_cast<int>(i),
            " is ", dim, " where others with its index are ", first < k ? shape[static_cast<int>(first)] : length);
      used += length < 0;
      if (length < 0 || length == 1) length = dim;
    }
    all.operands.push_back(term);
  }
  check(used <= 2 * Shape::kMaxRank, ErrorCode::invalid_model, "equation has ", used, " indices; at most ",
        2 * Shape::kMaxRank, " are supported");
  all.output = expanded(output_, widest);
  return all;
}

Shape Equation::Indices::output_shape() const {
  Shape shape;
  for (int index : output) shape.push_back(lengths[static_cast<size_t>(index)]);
  return shape;
}

}  // namespace sardonyx
