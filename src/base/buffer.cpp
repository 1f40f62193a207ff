// Allocation of tensor memory.
#include "base/buffer.h"

#include <cstdlib>
#include <new>

#include "base/error.h"

namespace sardonyx {
namespace {
[[noreturn]] void too_much(uint64_t size) {
  fail(ErrorCode::out_of_memory, cat("no memory for a tensor of ", size, " bytes"));
}
}  // namespace

std::shared_ptr<Buffer> Buffer::bytes(uint64_t size) {
  constexpr uint64_t kMost = SIZE_MAX / 2;
  if (size > kMost) too_much(size);
  const size_t total = (static_cast<size_t>(size) + 2 * kSlack + kAlign - 1) / kAlign * kAlign;
  void* raw = aligned_alloc(kAlign, total);
  if (!raw) too_much(size);
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->data_ = static_cast<std::byte*>(raw) + kSlack;
  buffer->size_ = static_cast<size_t>(size);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::strings(uint64_t count) {
  if (count > SIZE_MAX / 2 / sizeof(std::string)) too_much(count);
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->strings_.reset(new (std::nothrow) std::string[static_cast<size_t>(count)]);
  if (!buffer->strings_) too_much(count * sizeof(std::string));
  buffer->size_ = static_cast<size_t>(count);
  return buffer;
}

Buffer::~Buffer() {
  if (data_) free(data_ - kSlack);
}

}  // namespace sardonyx
