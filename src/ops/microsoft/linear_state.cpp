// com.microsoft CausalConvWithState and LinearAttention: those of the standard, which took them over from here.
#include "ops/families.h"
#include "ops/microsoft/standard.h"

namespace sardonyx {
namespace {

// An attribute that only has its default here.
void require_default(const Attributes& a, const char* name, int64_t usual) {
  const int64_t given = a.integer(name, usual);
  check(given == usual, ErrorCode::invalid_model, name, " is ", given, ", where only ", usual, " is supported");
}

std::unique_ptr<Operator> make_conv(const Attributes& a) {
  require_default(a, "ndim", 1);
  require_default(a, "dilation", 1);
  require_default(a, "state_channels_last", -1);
  for (const char* name : {"channels_last", "state_window", "state_update_capacity", "state_length",
                           "input_channel_offset", "input_channels"}) {
    require_default(a, name, 0);
  }
  return make_standard(linear_attention_ops(), "CausalConvWithState", 27, a);
}

std::unique_ptr<Operator> make_attention(const Attributes& a) {
  require_default(a, "state_window", 0);
  return make_standard(linear_attention_ops(), "LinearAttention", 27, a);
}

constexpr OpEntry kOps[] = {{"CausalConvWithState", 1, make_conv}, {"LinearAttention", 1, make_attention}};

}  // namespace

std::span<const OpEntry> ms_linear_state_ops() { return kOps; }

}  // namespace sardonyx
