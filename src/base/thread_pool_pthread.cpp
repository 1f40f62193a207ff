// The thread pool of builds with threads: the caller and the workers take blocks from one counter.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/thread_pool.h"

namespace sardonyx {
namespace {

constexpr int kMostThreads = 64;
// Looks at a counter before a thread goes to sleep: some 2 to 5 ms, more than there is between the runs of a stream.
// Waking a thread takes 50 us to 1 ms (on virtual machines), in which small models would be done.
constexpr int kSpins = 2000000;

class PthreadPool final : public ThreadPool {
 public:
  explicit PthreadPool(int threads) {
    workers_.reserve(static_cast<size_t>(threads));
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: those that are there do the work.
    }
  }

  ~PthreadPool() override {
    stop_.store(true);
    announce();
    for (std::thread& worker : workers_) worker.join();
  }

  int threads() const noexcept override { return static_cast<int>(workers_.size()) + 1; }

 protected:
  void run(int64_t count, int64_t grain, Block block, void* body) override {
    grain = std::max<int64_t>(grain, 1);
    // While the gate is open this is a body that splits its own work: its thread does all of it.
    if (workers_.empty() || count <= grain || (gate_.load() & kClosed) == 0) {
      for (int64_t from = 0; from < count; from += grain) block(body, from, std::min(from + grain, count));
      return;
    }
    job_ = {count, grain, block, body};
    next_.store(0);
    gate_.store(0);
    announce();
    take_blocks();
    if (gate_.fetch_or(kClosed) != 0) await_workers();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  // The gate counts the workers that are at the job; closed, none comes in any more. Those that wake too late for a job
  // are not waited for.
  static constexpr uint32_t kClosed = uint32_t{1} << 31;

  struct Job {
    int64_t count = 0, grain = 1;
    Block block = nullptr;
    void* body = nullptr;
  };

  void announce() {
    round_.fetch_add(1);
    if (sleepers_.load() == 0) return;
    // A worker that has counted itself but is not yet asleep holds the mutex.
    {
      const std::lock_guard lock(mutex_);
    }
    wake_.notify_all();
  }

  void await_workers() {
    for (int i = 0; i < kSpins; ++i) {
      if (gate_.load(std::memory_order_acquire) == kClosed) return;
    }
    std::unique_lock lock(mutex_);
    caller_sleeps_.store(true);
    done_.wait(lock, [this] { return gate_.load() == kClosed; });
    caller_sleeps_.store(false);
  }

  bool enter() noexcept {
    for (uint32_t gate = gate_.load(); (gate & kClosed) == 0;) {
      if (gate_.compare_exchange_weak(gate, gate + 1)) return true;
    }
    return false;
  }

  void leave() {
    if (gate_.fetch_sub(1) != (kClosed | 1) || !caller_sleeps_.load()) return;
    {
      const std::lock_guard lock(mutex_);
    }
    done_.notify_one();
  }

  void take_blocks() noexcept {
    const Job job = job_;
    try {
      // With fetch_add alone the counter could run over: it is asked first.
      while (next_.load(std::memory_order_relaxed) < job.count) {
        const int64_t from = next_.fetch_add(job.grain);
        if (from >= job.count) return;
        job.block(job.body, from, std::min(from + job.grain, job.count));
      }
    } catch (...) {
      next_.store(job.count);
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void work() {
    for (uint32_t seen = 0;;) {
      await_round(seen);
      seen = round_.load();
      if (stop_.load()) return;
      if (!enter()) continue;
      take_blocks();
      leave();
    }
  }

  void await_round(uint32_t seen) {
    for (int i = 0; i < kSpins; ++i) {
      if (round_.load(std::memory_order_acquire) != seen) return;
    }
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    wake_.wait(lock, [&] { return round_.load() != seen; });
    sleepers_.fetch_sub(1);
  }

  std::vector<std::thread> workers_;
  Job job_;  // written while the gate is closed and nobody is behind it
  std::atomic<int64_t> next_{0};
  std::atomic<uint32_t> gate_{kClosed};
  std::atomic<uint32_t> round_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false}, stop_{false};
  std::mutex mutex_;  // for sleeping, and of failure_
  std::condition_variable wake_, done_;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<ThreadPool> ThreadPool::create(int threads) {
  return std::make_unique<PthreadPool>(std::clamp(threads, 1, kMostThreads));
}

}  // namespace sardonyx
