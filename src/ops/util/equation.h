// The equation of Einsum: which index every axis of every operand has.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/shape.h"

namespace sardonyx {

// Indices: letters by their code; the axes of an ellipsis are kEllipsis, kEllipsis + 1... from the last one on.
class Equation {
 public:
  static constexpr int kEllipsis = 128;
  static constexpr int kIndices = kEllipsis + Shape::kMaxRank;

  // Throws Error (invalid_model) that tells what is wrong with the text.
  explicit Equation(std::string_view text);

  size_t operands() const noexcept { return terms_.size(); }

  // The indices of each operand's axes and of the output's, and how long they run (-1: not used). An axis of length 1
  // is repeated where others with its index are longer. Throws Error (invalid_input) where the shapes do not fit.
  struct Indices {
    std::vector<std::vector<int>> operands;
    std::vector<int> output;
    std::vector<int64_t> lengths;
    Shape output_shape() const;
  };
  Indices indices(std::span<const Shape> shapes) const;

 private:
  std::vector<std::vector<int>> terms_;  // an ellipsis is the single index kEllipsis
  std::vector<int> output_;
};

}  // namespace sardonyx
