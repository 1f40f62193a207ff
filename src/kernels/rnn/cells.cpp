// The pointwise half of LSTM and GRU steps.
#include "kernels/rnn/cells.h"

#include "kernels/math/math.h"

namespace sardonyx::kernels {
namespace {

constexpr float kNoClip = __builtin_inff();

inline float bound_of(float clip) { return clip > 0 ? clip : kNoClip; }

}  // namespace

void lstm_cell_f32(const float* gates, float* c, float* h, size_t n, const LstmCell& cell) noexcept {
  V hi = splat(bound_of(cell.clip)), lo = wasm_f32x4_neg(hi);
  const float* p = cell.peephole;
  for (size_t k = 0; k < n; k += 4) {
    V old = load(c + k);
    V gi = load(gates + k), go = load(gates + n + k), gf = load(gates + 2 * n + k), gc = load(gates + 3 * n + k);
    if (p) {
      gi = fmadd(load(p + k), old, gi);
      gf = fmadd(load(p + 2 * n + k), old, gf);
    }
    V i = sigmoid_v(clamp(gi, lo, hi));
    V f = cell.input_forget ? sub(splat(1), i) : sigmoid_v(clamp(gf, lo, hi));
    V next = fmadd(f, old, mul(i, tanh_v(clamp(gc, lo, hi))));
    if (p) go = fmadd(load(p + n + k), next, go);
    V o = sigmoid_v(clamp(go, lo, hi));
    store_lanes(c + k, next, n - k);
    store_lanes(h + k, mul(o, tanh_v(next)), n - k);
  }
}

void gru_gates_f32(float* zr, size_t n, float clip) noexcept {
  V hi = splat(bound_of(clip)), lo = wasm_f32x4_neg(hi);
  for (size_t k = 0; k < 2 * n; k += 4) store_lanes(zr + k, sigmoid_v(clamp(load(zr + k), lo, hi)), 2 * n - k);
}

void gru_output_f32(const float* z, const float* xh, const float* rh, const float* h, float* h_out, size_t n,
                    float clip) noexcept {
  V hi = splat(bound_of(clip)), lo = wasm_f32x4_neg(hi);
  for (size_t k = 0; k < n; k += 4) {
    V t = tanh_v(clamp(add(load(xh + k), load(rh + k)), lo, hi)), gate = load(z + k);
    store_lanes(h_out + k, fmadd(gate, load(h + k), mul(sub(splat(1), gate), t)), n - k);
  }
}

}  // namespace sardonyx::kernels
