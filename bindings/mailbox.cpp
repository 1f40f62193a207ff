// Feeds from slots, results into slots.
#include "mailbox.h"

#include <algorithm>

#include "base/error.h"

namespace sardonyx {
namespace {

constexpr size_t kKeptBytes = 4096;

// Any byte but 0 is true in JavaScript's arrays; in C++ a bool is 0 or 1.
void normalize(Tensor& tensor) {
  if (tensor.dtype() != DType::boolean) return;
  auto* at = tensor.data<uint8_t>();
  for (int64_t i = 0; i < tensor.count(); ++i) at[i] = at[i] != 0;
}

bool can_pass(const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() == DType::string) return false;
  const Shape& shape = value.tensor().shape();
  return std::all_of(shape.begin(), shape.end(), [](int64_t dim) { return dim <= UINT32_MAX; });
}

}  // namespace

void Mailbox::open(const Session& session) {
  outputs_ = session.outputs().size();
  feeds_.assign(session.inputs().size(), Value());
  words_.assign((feeds_.size() + outputs_) * kSlotWords + 1 + outputs_, 0);
}

void Mailbox::place(const Session& session) {
  for (size_t i = 0; i < feeds_.size(); ++i) {
    try {
      place(slot(i), feeds_[i]);
    } catch (const Error& e) {
      fail(e.code, cat("input \"", session.inputs()[i].name, "\": ", e.reason));
    }
  }
}

void Mailbox::place(Slot& slot, Value& feed) const {
  if (slot.dtype == 0) {
    feed = Value();
    return;
  }
  const bool known = is_dtype(static_cast<int>(slot.dtype)) && static_cast<DType>(slot.dtype) != DType::string;
  check(known, ErrorCode::invalid_input, "element type number ", slot.dtype, " is none of numbers");
  check(slot.rank <= Shape::kMaxRank, ErrorCode::invalid_input, "a tensor has ", slot.rank, " dimensions; at most ",
        Shape::kMaxRank, " are supported");
  const auto dtype = static_cast<DType>(slot.dtype);
  Shape shape;
  for (uint32_t i = 0; i < slot.rank; ++i) shape.push_back(slot.dims[i]);
  const uint64_t wanted = dtype_bytes(dtype, shape.count());
  check(slot.bytes == wanted, ErrorCode::invalid_input, dtype, "(", shape, ") takes ", wanted, " bytes, not ",
        slot.bytes);
  const bool kept = feed.is_tensor() && feed.tensor().dtype() == dtype && feed.tensor().shape() == shape;
  if (!kept) feed = Tensor::allocate(dtype, shape);
  slot.pointer = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(feed.tensor().bytes()));
}

std::span<const Value> Mailbox::feeds() {
  for (Value& feed : feeds_) {
    if (feed.is_tensor()) normalize(feed.tensor());
  }
  return feeds_;
}

std::span<const int> Mailbox::wanted() const {
  const uint32_t* at = words_.data() + (feeds_.size() + outputs_) * kSlotWords;
  check(*at <= outputs_, ErrorCode::invalid_argument, *at, " results are wanted of ", outputs_);
  return {reinterpret_cast<const int*>(at + 1), *at};
}

void Mailbox::let_go() {
  for (Value& feed : feeds_) {
    if (feed.is_tensor() && feed.tensor().byte_size() > kKeptBytes) feed = Value();
  }
}

bool Mailbox::post(std::vector<Value> results) {
  results_ = std::move(results);
  if (!std::all_of(results_.begin(), results_.end(), can_pass)) return false;
  for (size_t i = 0; i < results_.size(); ++i) {
    const Tensor& tensor = results_[i].tensor();
    Slot& to = slot(feeds_.size() + i);
    to.dtype = static_cast<uint32_t>(tensor.dtype());
    to.bytes = static_cast<uint32_t>(tensor.byte_size());
    to.pointer = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(tensor.bytes()));
    to.rank = static_cast<uint32_t>(tensor.rank());
    for (int d = 0; d < tensor.rank(); ++d) to.dims[d] = static_cast<uint32_t>(tensor.dim(d));
  }
  return true;
}

}  // namespace sardonyx
