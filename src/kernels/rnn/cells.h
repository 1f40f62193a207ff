// The pointwise half of LSTM and GRU steps (default activations sigmoid, tanh, tanh), float32.
#pragma once

#include <cstddef>

namespace sardonyx::kernels {

struct LstmCell {
  const float* peephole = nullptr;  // [3][n] in ONNX order i, o, f, or null
  float clip = 0;                   // > 0: pre-activations are clamped to [-clip, clip]
  bool input_forget = false;        // f = 1 - i
};

// gates [4][n]: pre-activations in ONNX order i, o, f, c, bias included; c [n] is updated in place, h [n] is written.
// i = s(gi + Pi c), f = s(gf + Pf c), c' = f c + i tanh(gc), o = s(go + Po c'), h = o tanh(c').
void lstm_cell_f32(const float* gates, float* c, float* h, size_t n, const LstmCell& cell) noexcept;

// GRU in two halves, as the reset gate may act before the product with R.
// z = s(gates[0]), r = s(gates[1]) in place, each [n], clamped before if clip > 0.
void gru_gates_f32(float* zr, size_t n, float clip) noexcept;
// h' = (1 - z) tanh(xh + rh) + z h: xh [n] input part with bias; rh [n] recurrent part (already times r as the variant
// demands).
void gru_output_f32(const float* z, const float* xh, const float* rh, const float* h, float* h_out, size_t n,
                    float clip) noexcept;

}  // namespace sardonyx::kernels
