// Greedy-by-size placement.
#include "runtime/memory_planner.h"

#include <algorithm>
#include <numeric>

namespace sardonyx {
namespace {

constexpr uint64_t round_up(uint64_t size) { return (size + 63) / 64 * 64; }

struct Placed {
  uint64_t offset, size;
  int first, last;
};

// Blocks that are placed, by the steps at which they live: a block is compared with few others, however many there are,
// if most live shortly.
class Timeline {
 public:
  explicit Timeline(std::span<const Lifetime> blocks) {
    int last = 0;
    for (const Lifetime& b : blocks) last = std::max(last, b.last);
    steps_ = last / kBuckets + 1;
    buckets_.resize(kBuckets);
  }

  void add(const Placed& p) {
    for (size_t i = bucket(p.first); i <= bucket(p.last); i++) buckets_[i].push_back(p);
  }

  // The start of the smallest gap of at least `size` bytes between the blocks that live within the steps of `block`;
  // the end of the last one where no gap fits.
  uint64_t find_gap(const Lifetime& block, uint64_t size) {
    met_.clear();
    for (size_t i = bucket(block.first); i <= bucket(block.last); i++) {
      for (const Placed& p : buckets_[i]) {
        const bool seen = i > bucket(block.first) && p.first < static_cast<int>(i) * steps_;  // in the bucket before
        if (!seen && p.last >= block.first && p.first <= block.last) met_.push_back(p);
      }
    }
    std::sort(met_.begin(), met_.end(), [](const Placed& a, const Placed& b) { return a.offset < b.offset; });
    uint64_t end = 0, best = 0, best_gap = UINT64_MAX;
    for (const Placed& p : met_) {
      if (p.offset > end) {
        const uint64_t gap = p.offset - end;
        if (gap >= size && gap < best_gap) {
          best_gap = gap;
          best = end;
        }
      }
      end = std::max(end, p.offset + p.size);
    }
    return best_gap == UINT64_MAX ? end : best;
  }

 private:
  static constexpr int kBuckets = 64;
  size_t bucket(int step) const noexcept { return static_cast<size_t>(step / steps_); }

  int steps_ = 1;  // of one bucket
  std::vector<std::vector<Placed>> buckets_;
  std::vector<Placed> met_;
};

}  // namespace

ArenaLayout plan_memory(std::span<const Lifetime> blocks) {
  ArenaLayout layout;
  layout.offsets.resize(blocks.size());
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return blocks[a].size != blocks[b].size ? blocks[a].size > blocks[b].size : a < b;
  });
  Timeline placed(blocks);
  for (const size_t i : order) {
    const Lifetime& b = blocks[i];
    const uint64_t size = round_up(std::max<uint64_t>(b.size, 1));
    const uint64_t offset = placed.find_gap(b, size);
    layout.offsets[i] = offset;
    layout.size = std::max(layout.size, offset + size);
    placed.add({offset, size, b.first, b.last});
  }
  return layout;
}

}  // namespace sardonyx
