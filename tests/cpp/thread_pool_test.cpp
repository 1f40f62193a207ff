// The thread pool: every index once, in blocks that do not depend on the number of threads.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace sardonyx {
namespace {

TEST(ThreadPool, EveryIndexIsVisitedOnce) {
  for (int threads : {1, 2, 4}) {
    const auto pool = ThreadPool::create(threads);
    for (int64_t count : {0, 1, 7, 8, 9, 1000}) {
      for (int64_t grain : {0, 1, 8, 5000}) {
        std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
        pool->parallel_for(count, grain, [&](int64_t from, int64_t to) {
          for (int64_t i = from; i < to; i++) visits[static_cast<size_t>(i)]++;
        });
        for (const auto& v : visits) ASSERT_EQ(v, 1);
      }
    }
  }
}

TEST(ThreadPool, BlocksStartAtMultiplesOfTheGrain) {
  const auto pool = ThreadPool::create(3);
  std::atomic<int> wrong = 0;
  pool->parallel_for(100, 7, [&](int64_t from, int64_t to) {
    if (from % 7 != 0 || to - from != (from == 98 ? 2 : 7)) wrong++;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace sardonyx
