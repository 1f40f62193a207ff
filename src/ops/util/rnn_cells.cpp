// Recurrent cells: the kernels' for float32 with the usual activations, plain loops for everything else.
#include "ops/util/rnn_cells.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/rnn/cells.h"

namespace sardonyx {
namespace {

using Kind = RnnActivation::Kind;

struct Named {
  std::string_view name;
  Kind kind;
  bool has_alpha, has_beta;
  double alpha, beta;
};
constexpr Named kNamed[] = {
    {"relu", Kind::relu, false, false, 0, 0},
    {"tanh", Kind::tanh, false, false, 0, 0},
    {"sigmoid", Kind::sigmoid, false, false, 0, 0},
    {"affine", Kind::affine, true, true, 1, 0},
    {"leakyrelu", Kind::leaky_relu, true, false, 0.01, 0},
    {"thresholdedrelu", Kind::thresholded_relu, true, false, 1, 0},
    {"scaledtanh", Kind::scaled_tanh, true, true, 1, 1},
    {"hardsigmoid", Kind::hard_sigmoid, true, true, 0.2, 0.5},
    {"elu", Kind::elu, true, false, 1, 0},
    {"softsign", Kind::softsign, false, false, 0, 0},
    {"softplus", Kind::softplus, false, false, 0, 0},
};

double sigmoid(double x) noexcept { return 1 / (1 + std::exp(-x)); }

double clipped(double x, double clip) noexcept { return clip > 0 ? std::clamp(x, -clip, clip) : x; }

template <class T>
double wide(T v) noexcept {
  return static_cast<double>(v);
}

}  // namespace

double RnnActivation::operator()(double x) const noexcept {
  switch (kind) {
    case Kind::relu:
      return x < 0 ? 0 : x;
    case Kind::tanh:
      return std::tanh(x);
    case Kind::sigmoid:
      return sigmoid(x);
    case Kind::affine:
      return alpha * x + beta;
    case Kind::leaky_relu:
      return x < 0 ? alpha * x : x;
    case Kind::thresholded_relu:
      return x > alpha ? x : 0;
    case Kind::scaled_tanh:
      return alpha * std::tanh(beta * x);
    case Kind::hard_sigmoid:
      return std::clamp(alpha * x + beta, 0.0, 1.0);
    case Kind::elu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case Kind::softsign:
      return x / (1 + std::abs(x));
    case Kind::softplus:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }
  return x;
}

std::vector<RnnActivation> rnn_activations(std::span<const std::string> names, std::span<const float> alphas,
                                           std::span<const float> betas) {
  std::vector<RnnActivation> list;
  size_t alpha = 0, beta = 0;
  for (std::string name : names) {
    const std::string given = name;
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    const auto found = std::ranges::find(kNamed, name, &Named::name);
    check(found != std::end(kNamed), ErrorCode::invalid_model, "there is no activation \"", given, "\"");
    RnnActivation a{found->kind, found->alpha, found->beta};
    if (found->has_alpha && alpha < alphas.size()) a.alpha = static_cast<double>(alphas[alpha++]);
    if (found->has_beta && beta < betas.size()) a.beta = static_cast<double>(betas[beta++]);
    list.push_back(a);
  }
  return list;
}

template <class T>
void lstm_step(const RnnStep& s, const T* gates, const T* peephole, T* c, T* h) noexcept {
  const size_t n = static_cast<size_t>(s.n);
  if constexpr (std::is_same_v<T, float>) {
    if (s.usual) {
      return kernels::lstm_cell_f32(gates, c, h, n, {peephole, static_cast<float>(s.clip), s.input_forget});
    }
  }
  const T *gi = gates, *go = gates + n, *gf = gates + 2 * n, *gc = gates + 3 * n;
  for (size_t k = 0; k < n; k++) {
    const double before = wide(c[k]);
    const auto peep = [&](size_t gate, double state) { return peephole ? wide(peephole[gate * n + k]) * state : 0; };
    const double i = s.f[0](clipped(wide(gi[k]) + peep(0, before), s.clip));
    const double f = s.input_forget ? 1 - i : s.f[0](clipped(wide(gf[k]) + peep(2, before), s.clip));
    const double now = f * before + i * s.f[1](clipped(wide(gc[k]), s.clip));
    const double o = s.f[0](clipped(wide(go[k]) + peep(1, now), s.clip));
    c[k] = static_cast<T>(now);
    h[k] = static_cast<T>(o * s.f[2](now));
  }
}

template <class T>
void gru_gates(const RnnStep& s, T* zr) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    if (s.usual) return kernels::gru_gates_f32(zr, static_cast<size_t>(s.n), static_cast<float>(s.clip));
  }
  for (int64_t k = 0; k < 2 * s.n; k++) zr[k] = static_cast<T>(s.f[0](clipped(wide(zr[k]), s.clip)));
}

template <class T>
void gru_step(const RnnStep& s, const T* z, const T* xh, const T* rh, T* h) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    if (s.usual) {
      return kernels::gru_output_f32(z, xh, rh, h, h, static_cast<size_t>(s.n), static_cast<float>(s.clip));
    }
  }
  for (int64_t k = 0; k < s.n; k++) {
    const double candidate = s.f[1](clipped(wide(xh[k]) + wide(rh[k]), s.clip));
    h[k] = static_cast<T>((1 - wide(z[k])) * candidate + wide(z[k]) * wide(h[k]));
  }
}

template <class T>
void rnn_step(const RnnStep& s, const T* gates, T* h) noexcept {
  for (int64_t k = 0; k < s.n; k++) h[k] = static_cast<T>(s.f[0](clipped(wide(gates[k]), s.clip)));
}

template void lstm_step(const RnnStep&, const float*, const float*, float*, float*) noexcept;
template void lstm_step(const RnnStep&, const double*, const double*, double*, double*) noexcept;
template void gru_gates(const RnnStep&, float*) noexcept;
template void gru_gates(const RnnStep&, double*) noexcept;
template void gru_step(const RnnStep&, const float*, const float*, const float*, float*) noexcept;
template void gru_step(const RnnStep&, const double*, const double*, const double*, double*) noexcept;
template void rnn_step(const RnnStep&, const float*, float*) noexcept;
template void rnn_step(const RnnStep&, const double*, double*) noexcept;

}  // namespace sardonyx
