// Recurrent cells against the standard's equations in double.
#include "kernels/rnn/cells.h"

#include "support.h"

namespace sardonyx::kernels {
namespace {

using namespace test;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Rnn, Lstm) {
  for (size_t n : {1, 3, 4, 5, 64, 67})
    for (bool peephole : {false, true})
      for (bool input_forget : {false, true})
        for (float clip : {0.0f, 0.7f}) {
          Guarded<float> gates = random_floats(4 * n, 1, -4, 4), p = random_floats(3 * n, 2), c0 = random_floats(n, 3),
                         c = c0, h(n);
          lstm_cell_f32(gates, c, h.poison(), n, {peephole ? p.data() : nullptr, clip, input_forget});
          EXPECT_TRUE(c.intact() && h.intact());
          auto bounded = [&](double v) { return clip > 0 ? std::clamp<double>(v, -clip, clip) : v; };
          for (size_t k = 0; k < n; k++) {
            double pi = peephole ? p[k] : 0, po = peephole ? p[n + k] : 0, pf = peephole ? p[2 * n + k] : 0;
            double i = sigmoid(bounded(gates[k] + pi * c0[k]));
            double f = input_forget ? 1 - i : sigmoid(bounded(gates[2 * n + k] + pf * c0[k]));
            double next = f * c0[k] + i * std::tanh(bounded(gates[3 * n + k]));
            double o = sigmoid(bounded(gates[n + k] + po * next));
            EXPECT_NEAR(c[k], next, 1e-6);
            EXPECT_NEAR(h[k], o * std::tanh(next), 1e-6);
          }
        }
}

TEST(Rnn, Gru) {
  for (size_t n : {1, 3, 4, 5, 9})
    for (float clip : {0.0f, 0.5f}) {
      Guarded<float> zr0 = random_floats(2 * n, 1, -4, 4), zr = zr0, xh = random_floats(n, 2, -2, 2),
                     rh = random_floats(n, 3, -2, 2), h = random_floats(n, 4), out(n);
      auto bounded = [&](double v) { return clip > 0 ? std::clamp<double>(v, -clip, clip) : v; };
      gru_gates_f32(zr, n, clip);
      gru_output_f32(zr, xh, rh, h, out.poison(), n, clip);
      EXPECT_TRUE(zr.intact() && out.intact());
      for (size_t k = 0; k < 2 * n; k++) EXPECT_NEAR(zr[k], sigmoid(bounded(zr0[k])), 1e-6);
      for (size_t k = 0; k < n; k++) {
        double z = sigmoid(bounded(zr0[k]));
        EXPECT_NEAR(out[k], (1 - z) * std::tanh(bounded(static_cast<double>(xh[k]) + rh[k])) + z * h[k], 1e-6);
      }
    }
}

}  // namespace
}  // namespace sardonyx::kernels
