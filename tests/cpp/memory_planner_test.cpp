// The memory planner: nothing that lives at one time overlaps, and memory is reused.
#include "runtime/memory_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sardonyx {
namespace {

void expect_disjoint(const std::vector<Lifetime>& blocks, const ArenaLayout& layout) {
  ASSERT_EQ(layout.offsets.size(), blocks.size());
  for (size_t i = 0; i < blocks.size(); i++) {
    EXPECT_EQ(layout.offsets[i] % 64, 0u);
    EXPECT_LE(layout.offsets[i] + blocks[i].size, layout.size);
    for (size_t j = 0; j < i; j++) {
      const bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
      const bool apart = layout.offsets[i] + blocks[i].size <= layout.offsets[j] ||
                         layout.offsets[j] + blocks[j].size <= layout.offsets[i];
      EXPECT_TRUE(!together || apart) << "blocks " << i << " and " << j;
    }
  }
}

TEST(MemoryPlanner, NothingNeedsNothing) { EXPECT_EQ(plan_memory({}).size, 0u); }

TEST(MemoryPlanner, AChainTakesTwoBlocks) {
  std::vector<Lifetime> blocks;
  for (int i = 0; i < 10; i++) blocks.push_back({1024, i, i + 1});
  const ArenaLayout layout = plan_memory(blocks);
  expect_disjoint(blocks, layout);
  EXPECT_EQ(layout.size, 2048u);
}

TEST(MemoryPlanner, TheSmallestGapThatFitsIsTaken) {
  // A block of 64 finds room between larger ones that are not all alive with it.
  const std::vector<Lifetime> blocks = {{640, 0, 9}, {320, 0, 3}, {128, 4, 9}, {64, 4, 9}};
  const ArenaLayout layout = plan_memory(blocks);
  expect_disjoint(blocks, layout);
  EXPECT_EQ(layout.size, 960u);
}

TEST(MemoryPlanner, EmptyTensorsGetAPlaceToo) {
  const std::vector<Lifetime> blocks = {{0, 0, 1}, {0, 0, 1}};
  expect_disjoint(blocks, plan_memory(blocks));
}

TEST(MemoryPlanner, RandomLifetimesNeverOverlapAndNeverTakeMoreThanAllTogether) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; round++) {
    std::vector<Lifetime> blocks;
    uint64_t all = 0;
    std::vector<uint64_t> alive(64, 0);
    for (int i = 0; i < 60; i++) {
      const int first = static_cast<int>(random() % 40), last = first + static_cast<int>(random() % 8);
      const uint64_t size = (random() % 50 + 1) * 64;
      blocks.push_back({size, first, last});
      all += size;
      for (int s = first; s <= last; s++) alive[static_cast<size_t>(s)] += size;
    }
    const ArenaLayout layout = plan_memory(blocks);
    expect_disjoint(blocks, layout);
    EXPECT_LE(layout.size, all);
    EXPECT_GE(layout.size, *std::max_element(alive.begin(), alive.end()));
  }
}

}  // namespace
}  // namespace sardonyx
