// Shapes of tensors: concrete, dense, row-major.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace sardonyx {

// Dimensions, outermost first, each in [0, kMaxDim]. A scalar has rank 0.
class Shape {
 public:
  static constexpr int kMaxRank = 16;
  // More than any memory holds, and few enough bits that sums with a dimension do not overflow. An empty tensor's
  // dimensions are held to it too.
  static constexpr int64_t kMaxDim = int64_t{1} << 53;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  // Throws Error for more than kMaxRank or negative dimensions (invalid_model) and for those above kMaxDim
  // (out_of_memory).
  explicit Shape(std::span<const int64_t> dims);
  // `rank` times `dim`.
  static Shape filled(int rank, int64_t dim);

  int rank() const noexcept { return rank_; }
  int64_t operator[](int i) const noexcept { return dims_[static_cast<size_t>(i)]; }
  int64_t& operator[](int i) noexcept { return dims_[static_cast<size_t>(i)]; }
  const int64_t* begin() const noexcept { return dims_.data(); }
  const int64_t* end() const noexcept { return dims_.data() + rank_; }
  std::span<const int64_t> dims() const noexcept { return {dims_.data(), static_cast<size_t>(rank_)}; }
  int64_t back() const noexcept { return dims_[static_cast<size_t>(rank_ - 1)]; }

  void push_back(int64_t dim);
  void insert(int at, int64_t dim);
  void erase(int at);

  // Number of elements; throws Error (out_of_memory) where it passes 2^62.
  int64_t count() const { return count(0, rank_); }
  // Throws as the constructor does: for who wrote dimensions by [].
  void require_valid() const;
  // Product of the dimensions [from, to).
  int64_t count(int from, int to) const;
  // Elements from one index of each dimension to the next, innermost 1.
  std::array<int64_t, kMaxRank> strides() const;

  bool operator==(const Shape& o) const noexcept;
  // "2x3x4"; "scalar" for rank 0.
  std::string to_string() const;

 private:
  int rank_ = 0;
  std::array<int64_t, kMaxRank> dims_{};
};

// `axis` in [-rank, rank) to [0, rank); throws Error (invalid_model) otherwise.
int normalize_axis(int64_t axis, int rank);

// The shape that numpy's broadcasting of both gives; throws Error (invalid_input) where they do not fit.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace sardonyx
