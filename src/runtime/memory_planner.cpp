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

// The start of the smallest gap of at least `size` bytes between the `placed` blocks (sorted by offset) that overlap
// the steps [first, last]; the end of the last one where no gap fits.
uint64_t find_gap(const std::vector<Placed>& placed, const Lifetime& block, uint64_t size) {
  uint64_t end = 0, best = 0, best_gap = UINT64_MAX;
  for (const Placed& p : placed) {
    if (p.last < block.first || p.first > block.last) continue;
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

}  // namespace

ArenaLayout plan_memory(std::span<const Lifetime> blocks) {
  ArenaLayout layout;
  layout.offsets.resize(blocks.size());
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return blocks[a].size != blocks[b].size ? blocks[a].size > blocks[b].size : a < b;
  });
  std::vector<Placed> placed;  // by offset
  for (size_t i : order) {
    const Lifetime& b = blocks[i];
    const uint64_t size = round_up(std::max<uint64_t>(b.size, 1));
    const uint64_t offset = find_gap(placed, b, size);
    layout.offsets[i] = offset;
    layout.size = std::max(layout.size, offset + size);
    const auto at = std::upper_bound(placed.begin(), placed.end(), offset,
                                     [](uint64_t o, const Placed& p) { return o < p.offset; });
    placed.insert(at, {offset, size, b.first, b.last});
  }
  return layout;
}

}  // namespace sardonyx
