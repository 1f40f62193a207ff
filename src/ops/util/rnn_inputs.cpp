// What recurrent operators read of their attributes and inputs.
#include "ops/util/rnn_inputs.h"

namespace sardonyx {

RnnActivations read_activations(const Attributes& a, std::vector<std::string> names,
                                const std::vector<std::string>& usual, int64_t directions) {
  const size_t each = usual.size(), all = each * static_cast<size_t>(directions);
  if (names.empty()) names = usual;
  if (names.size() == each && all > each) {
    const std::vector<std::string> once = names;
    names.insert(names.end(), once.begin(), once.end());
  }
  check(names.size() == all, ErrorCode::invalid_model, "activations has ", names.size(), " names, not ", all);
  RnnActivations read{rnn_activations(names, a.floats("activation_alpha"), a.floats("activation_beta"))};
  const std::vector<RnnActivation> wanted = rnn_activations(usual, {}, {});
  for (size_t i = 0; i < all; i++) read.usual = read.usual && read.list[i].kind == wanted[i % each].kind;
  return read;
}

void require_shape(const InferContext& c, int i, std::string_view name, const Shape& shape) {
  if (!c.has_input(i)) return;
  check(c.shape(i) == shape, ErrorCode::invalid_input, name, " has shape ", c.shape(i), ", not ", shape);
}

void require_hidden(int64_t stated, int64_t hidden) {
  check(hidden < int64_t{1} << 28, ErrorCode::invalid_input, "R has ", hidden, " hidden units");
  check(stated == 0 || stated == hidden, ErrorCode::invalid_model, "hidden_size is ", stated, ", R has ", hidden);
}

void require_states(const InferContext& c, int64_t directions, int64_t batch, int64_t all, int64_t hidden,
                    const Shape& state) {
  require_shape(c, 3, "B", {directions, 2 * all});
  require_shape(c, 4, "sequence_lens", {batch});
  require_shape(c, 5, "initial_h", state);
  require_shape(c, 6, "initial_c", state);
  require_shape(c, 7, "P", {directions, 3 * hidden});
  if (c.has_input(4)) c.require_dtype(4, {DType::int32});
}

std::vector<int64_t> sequence_lengths(const Tensor* given, int64_t batch, int64_t steps) {
  if (!given) return std::vector<int64_t>(static_cast<size_t>(batch), steps);
  const std::vector<int64_t> lengths = given->to_int64();
  for (int64_t n : lengths) {
    check(n >= 0 && n <= steps, ErrorCode::runtime_error, "a sequence length of ", n, " is not in [0, ", steps, "]");
  }
  return lengths;
}

}  // namespace sardonyx
