// The thread pool: every index once, in blocks that do not depend on the number of threads. Built twice: with the
// serial pool among the unit tests, and with threads under ThreadSanitizer (thread_tests).
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
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

// Plain (not atomic) writes: every round must see those of the round before, in the caller and in the workers.
TEST(ThreadPool, RoundsFollowEachOther) {
  for (int threads : {2, 4}) {
    const auto pool = ThreadPool::create(threads);
    std::vector<int> values(257, 0);
    int step = 0, total = 0;
    for (int round = 0; round < 2000; round++) {
      total += step = round % 3;
      pool->parallel_for(257, round % 2 ? 16 : 1, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) values[static_cast<size_t>(i)] += step;
      });
    }
    for (int value : values) ASSERT_EQ(value, total);
  }
}

TEST(ThreadPool, WakesSleepingWorkers) {
  const auto pool = ThreadPool::create(3);
  for (int round = 0; round < 5; round++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    int64_t sum = 0;
    std::vector<int64_t> parts(100, 0);
    pool->parallel_for(100, 1, [&](int64_t from, int64_t) { parts[static_cast<size_t>(from)] = from; });
    for (int64_t part : parts) sum += part;
    EXPECT_EQ(sum, 4950);
  }
}

TEST(ThreadPool, ABodyMaySplitItsOwnWork) {
  const auto pool = ThreadPool::create(4);
  std::vector<std::atomic<int>> visits(64 * 32);
  pool->parallel_for(64, 1, [&](int64_t outer, int64_t) {
    pool->parallel_for(32, 4, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) visits[static_cast<size_t>(outer * 32 + i)]++;
    });
  });
  for (const auto& v : visits) ASSERT_EQ(v, 1);
}

TEST(ThreadPool, WhatABodyThrowsReachesTheCaller) {
  for (int threads : {1, 4}) {
    const auto pool = ThreadPool::create(threads);
    for (int64_t bad : {0, 57, 99}) {
      const auto body = [&](int64_t from, int64_t) {
        if (from == bad) throw std::runtime_error("bad block");
      };
      EXPECT_THROW(pool->parallel_for(100, 1, body), std::runtime_error);
    }
    std::atomic<int> blocks = 0;
    pool->parallel_for(100, 1, [&](int64_t, int64_t) { blocks++; });
    EXPECT_EQ(blocks, 100);
  }
}

TEST(ThreadPool, MayEndWithoutWork) {
  for (int i = 0; i < 20; i++) ThreadPool::create(4);
}

}  // namespace
}  // namespace sardonyx
