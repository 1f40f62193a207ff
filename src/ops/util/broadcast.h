// Walking over tensors that are broadcast to one shape: adjacent dimensions are merged, and the work is cut into
// two-dimensional tiles.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

#include "base/shape.h"
#include "base/thread_pool.h"

namespace sardonyx {

// Rows and columns of the output, dense from element `out` on (`cols` elements from row to row), and where the operands
// of each row lie: element (r, c) of operand i is offset[i] + r * row_stride[i] + c * col_stride[i]. A column stride is
// 0 (one value for the row) or 1.
struct BroadcastTile {
  static constexpr int kOperands = 3;
  int64_t rows = 1, cols = 1;
  int64_t out = 0;
  std::array<int64_t, kOperands> offset{};
  std::array<int64_t, kOperands> row_stride{};
  std::array<int64_t, kOperands> col_stride{};
};

// How up to three operands repeat over an output shape (numpy's rules; the shapes must have been checked).
class Broadcast {
 public:
  // Elements of output that one block of work computes, at least.
  static constexpr int64_t kGrain = 16384;

  Broadcast(const Shape& out, std::initializer_list<const Shape*> operands);

  // Dimensions after merging, 1 or more; the strides of an operand in elements, 0 where it repeats.
  int rank() const noexcept { return rank_; }
  int64_t dim(int i) const noexcept { return dims_[static_cast<size_t>(i)]; }
  int64_t stride(int operand, int i) const noexcept {
    return strides_[static_cast<size_t>(operand)][static_cast<size_t>(i)];
  }
  int64_t count() const noexcept { return count_; }

  // Calls body(const BroadcastTile&) until the whole output is covered, from the pool's threads; it must not throw.
  // Nothing is called for an empty output.
  template <class Body>
  void for_each_tile(ThreadPool& pool, Body&& body) const {
    if (count_ == 0) return;
    const int64_t cols = dims_[static_cast<size_t>(rank_ - 1)];
    if (rank_ == 1) {
      pool.parallel_for(cols, kGrain, [&](int64_t from, int64_t to) { body(slice(from, to)); });
      return;
    }
    const int64_t tile_rows = dims_[static_cast<size_t>(rank_ - 2)];
    if (count_ <= kGrain || cols <= 2 * kGrain) {
      pool.parallel_for(count_ / cols, std::max<int64_t>(1, kGrain / cols), [&](int64_t from, int64_t to) {
        while (from < to) {
          const int64_t end = std::min(to, from - from % tile_rows + tile_rows);
          body(tile(from, end));
          from = end;
        }
      });
      return;
    }
    const int64_t pieces = (cols + kGrain - 1) / kGrain;
    pool.parallel_for(count_ / cols * pieces, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) {
        BroadcastTile t = tile(i / pieces, i / pieces + 1);
        const int64_t first = i % pieces * kGrain;
        t.cols = std::min(kGrain, cols - first);
        t.out += first;
        for (size_t k = 0; k < BroadcastTile::kOperands; k++) t.offset[k] += first * t.col_stride[k];
        body(t);
      }
    });
  }

 private:
  BroadcastTile slice(int64_t from, int64_t to) const noexcept;  // of the one row of rank 1
  BroadcastTile tile(int64_t row, int64_t end) const noexcept;   // rows that differ in the last but one index only

  int rank_ = 1;
  int operands_;
  int64_t count_ = 0;
  std::array<int64_t, Shape::kMaxRank> dims_{};
  std::array<std::array<int64_t, Shape::kMaxRank>, BroadcastTile::kOperands> strides_{};
};

// Where the opset 1 to 6 form puts B (attributes `broadcast` and `axis`): B's shape with ones around it, so that
// numpy's rules apply. axis is in [0, a.rank()); pass a.rank() - b.rank() where the attribute is missing.
Shape aligned_at(const Shape& b, int axis, int rank);

}  // namespace sardonyx
