// Memory of tensors: aligned, with slack at both ends, shared by views.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sardonyx {

// A block of bytes aligned to 64, or an array of strings. Kernels may read, never write, kSlack bytes beyond both ends.
class Buffer {
 public:
  static constexpr size_t kAlign = 64;
  static constexpr size_t kSlack = 64;

  // Uninitialised bytes. Throws Error (out_of_memory) that says how much was asked for.
  static std::shared_ptr<Buffer> bytes(uint64_t size);
  // `count` empty strings.
  static std::shared_ptr<Buffer> strings(uint64_t count);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::string* string_data() const noexcept { return strings_.get(); }
  size_t size() const noexcept { return size_; }

  // Room for more rows behind those of each matrix of a tensor, so that they can be appended without moving any:
  // `rows` from one matrix to the next, of which the first `used` belong to someone. None where `rows` is 0.
  struct Room {
    int64_t rows = 0, used = 0;
  };
  Room room;

  // Is this the arena of a plan? Its tensors die with the step that last reads them: who keeps one must clone it.
  bool is_arena = false;

 private:
  Buffer() = default;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::unique_ptr<std::string[]> strings_;
};

}  // namespace sardonyx
