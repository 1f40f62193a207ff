// One step of LSTM, GRU and RNN for one row of a batch, and the activations that these operators can name.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sardonyx {

struct RnnActivation {
  enum class Kind : uint8_t {
    relu,
    tanh,
    sigmoid,
    affine,
    leaky_relu,
    thresholded_relu,
    scaled_tanh,
    hard_sigmoid,
    elu,
    softsign,
    softplus
  };
  Kind kind = Kind::tanh;
  double alpha = 0, beta = 0;

  double operator()(double x) const noexcept;
};

// The activations by name (in any case), each taking its alpha and beta from the lists in order as long as they last,
// else the defaults of its operator. Throws Error (invalid_model) for a name that is none.
std::vector<RnnActivation> rnn_activations(std::span<const std::string> names, std::span<const float> alphas,
                                           std::span<const float> betas);

// What the rows of a direction share.
struct RnnStep {
  std::span<const RnnActivation> f;  // LSTM f, g, h; GRU f, g; RNN f
  bool usual = false;                // the activations are the defaults
  double clip = 0;                   // 0: none
  bool input_forget = false;         // LSTM
  int64_t n = 0;                     // hidden size
};

// T: float, double. gates: pre-activations with bias, gate after gate.
// LSTM: gates [4][n] in the order i, o, f, c; peephole [3][n] in the order i, o, f, or null; c and h [n] are updated.
template <class T>
void lstm_step(const RnnStep& s, const T* gates, const T* peephole, T* c, T* h) noexcept;

// GRU: z and r become gates of [2][n].
template <class T>
void gru_gates(const RnnStep& s, T* zr) noexcept;
// h = (1 - z) g(xh + rh) + z h.
template <class T>
void gru_step(const RnnStep& s, const T* z, const T* xh, const T* rh, T* h) noexcept;

// RNN: h = f(gates).
template <class T>
void rnn_step(const RnnStep& s, const T* gates, T* h) noexcept;

}  // namespace sardonyx
