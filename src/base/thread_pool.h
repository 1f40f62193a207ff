// Splitting work over threads. One of thread_pool_serial.cpp and thread_pool_pthread.cpp is linked.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

namespace sardonyx {

class ThreadPool {
 public:
  // `threads` counts the caller; the serial pool always has one.
  static std::unique_ptr<ThreadPool> create(int threads);
  virtual ~ThreadPool() = default;
  virtual int threads() const noexcept = 0;

  // Calls body(begin, end) for blocks of `grain` indices (the last may be shorter) that cover [0, count), in any order
  // and from any thread; returns when all are done. Blocks depend on count and grain only, so that results are the same
  // on any number of threads. One thread at a time calls it, or a body, which then does its blocks itself. What a body
  // throws first is thrown here; of the other blocks some are then left out.
  template <class Body>
  void parallel_for(int64_t count, int64_t grain, Body&& body) {
    run(
        count, grain,
        [](void* b, int64_t from, int64_t to) { (*static_cast<std::remove_reference_t<Body>*>(b))(from, to); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 protected:
  using Block = void (*)(void* body, int64_t from, int64_t to);
  virtual void run(int64_t count, int64_t grain, Block block, void* body) = 0;
};

}  // namespace sardonyx
