// The thread pool of builds with threads: the caller and the workers take blocks from one counter.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/thread_pool.h"

namespace sardonyx {
namespace {

class PthreadPool final : public ThreadPool {
 public:
  explicit PthreadPool(int threads) {
    for (int i = 1; i < threads; i++) workers_.emplace_back([this] { work(); });
  }

  ~PthreadPool() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  int threads() const noexcept override { return static_cast<int>(workers_.size()) + 1; }

 protected:
  void run(int64_t count, int64_t grain, Block block, void* body) override {
    grain = std::max<int64_t>(grain, 1);
    if (workers_.empty() || count <= grain) {
      for (int64_t from = 0; from < count; from += grain) block(body, from, std::min(from + grain, count));
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      job_ = {count, grain, block, body};
      next_ = 0;
      busy_ = static_cast<int>(workers_.size());
      round_++;
    }
    wake_.notify_all();
    take_blocks(job_);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  struct Job {
    int64_t count = 0, grain = 1;
    Block block = nullptr;
    void* body = nullptr;
  };

  void take_blocks(const Job& job) {
    for (;;) {
      const int64_t from = next_.fetch_add(job.grain);
      if (from >= job.count) return;
      job.block(job.body, from, std::min(from + job.grain, job.count));
    }
  }

  void work() {
    uint64_t seen = 0;
    for (;;) {
      Job job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
        job = job_;
      }
      take_blocks(job);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Job job_;
  std::atomic<int64_t> next_{0};
  uint64_t round_ = 0;
  int busy_ = 0;
  bool stop_ = false;
};

}  // namespace

std::unique_ptr<ThreadPool> ThreadPool::create(int threads) {
  return std::make_unique<PthreadPool>(std::clamp(threads, 1, 64));
}

}  // namespace sardonyx
