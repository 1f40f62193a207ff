// One piece of scratch per thread inside a parallel loop.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "ops/operator.h"

namespace sardonyx {

// `size` elements of T for each thread of the pool, at most 64 pieces, and `shared` elements for all. Takes the run's
// scratch: no other user beside it. A body takes a piece with Lease at its start.
template <class T>
class ScratchSlots {
 public:
  ScratchSlots(RunContext& c, int64_t size, int64_t shared = 0) : size_(round_up(size)) {
    const int threads = std::min(c.pool().threads(), 64);
    free_ = threads == 64 ? ~uint64_t{0} : (uint64_t{1} << threads) - 1;
    shared_ = c.scratch<T>(std::max<int64_t>(kLine, round_up(shared) + size_ * threads));
    base_ = shared_ + round_up(shared);
  }

  T* shared() const noexcept { return shared_; }

  class Lease {
   public:
    explicit Lease(ScratchSlots& slots) noexcept : slots_(slots), index_(slots.take()) {}
    ~Lease() { slots_.free_.fetch_or(uint64_t{1} << index_, std::memory_order_release); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T* data() const noexcept { return slots_.base_ + index_ * slots_.size_; }

   private:
    ScratchSlots& slots_;
    int index_;
  };

 private:
  static constexpr int64_t kLine = 64 / sizeof(T);

  static int64_t round_up(int64_t n) { return (n + kLine - 1) / kLine * kLine; }

  int take() noexcept {
    for (;;) {
      uint64_t free = free_.load(std::memory_order_relaxed);
      if (free == 0) continue;  // more than 64 threads: another body gives one back soon
      const int index = std::countr_zero(free);
      if (free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire)) return index;
    }
  }

  int64_t size_;
  T* shared_;
  T* base_;
  std::atomic<uint64_t> free_;
};

}  // namespace sardonyx
