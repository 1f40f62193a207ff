// The thread pool of builds without threads: the caller does all blocks, in order.
#include <algorithm>

#include "base/thread_pool.h"

namespace sardonyx {
namespace {
class SerialPool final : public ThreadPool {
 public:
  int threads() const noexcept override { return 1; }

 protected:
  void run(int64_t count, int64_t grain, Block block, void* body) override {
    grain = std::max<int64_t>(grain, 1);
    for (int64_t from = 0; from < count; from += grain) block(body, from, std::min(from + grain, count));
  }
};
}  // namespace

std::unique_ptr<ThreadPool> ThreadPool::create(int) { return std::make_unique<SerialPool>(); }

}  // namespace sardonyx
