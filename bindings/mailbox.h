// The tensors of a run as numbers in the heap, which JavaScript writes and reads without a call per property.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/shape.h"
#include "base/value.h"
#include "runtime/session.h"

namespace sardonyx {

// 32-bit words: a slot per input, a slot per output, how many results are wanted, and their positions.
// web/src/mailbox.ts knows the same layout. Only tensors of numbers pass through it, with dimensions below 2^32.
class Mailbox {
 public:
  void open(const Session& session);
  uint32_t* words() noexcept { return words_.data(); }

  // Allocates a tensor for each input whose slot names a type, and tells the slot where; it has no data yet. Throws
  // Error (invalid_input, out_of_memory) that names the input.
  void place(const Session& session);
  // The placed tensors, none Values elsewhere; their data has been written.
  std::span<const Value> feeds();
  // Throws Error (invalid_argument).
  std::span<const int> wanted() const;
  // Nothing is held beyond the run that has the feeds, but for small tensors: the next run writes over them.
  void let_go();

  // Describes the results in the slots of the outputs, in the order of wanted(); false where one cannot pass. They are
  // held until drop().
  bool post(std::vector<Value> results);
  std::vector<Value>& results() noexcept { return results_; }
  void drop() { results_.clear(); }

 private:
  struct Slot {
    uint32_t dtype = 0;  // DType's number; 0: none
    uint32_t bytes = 0;
    uint32_t pointer = 0;
    uint32_t rank = 0;
    uint32_t dims[Shape::kMaxRank] = {};
  };
  static constexpr size_t kSlotWords = sizeof(Slot) / sizeof(uint32_t);
  Slot& slot(size_t i) noexcept { return reinterpret_cast<Slot*>(words_.data())[i]; }

  void place(Slot& slot, Value& feed) const;

  std::vector<uint32_t> words_;
  std::vector<Value> feeds_, results_;
  size_t outputs_ = 0;
};

}  // namespace sardonyx
