// Speed of the kernels against the speed of this core: each line is measured in turn, round after round, so that a slow
// phase of the machine touches all of them; compare the ratios, not the milliseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/conv/conv_gemm.h"
#include "kernels/conv/depthwise.h"
#include "kernels/conv/winograd.h"
#include "kernels/math/math_f32.h"
#include "kernels/norm/softmax.h"
#include "kernels/pool/pool.h"
#include "kernels/quant/conv_quads_x8.h"
#include "kernels/quant/conv_x8.h"
#include "kernels/quant/matmul_x8.h"
#include "kernels/simd.h"

namespace sardonyx::kernels {
namespace {

double now_ms() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

// Random values in +-scale, with slack at both ends.
class Buffer {
 public:
  explicit Buffer(size_t n, float scale = 1) : values_(n + 64) {
    uint32_t seed = 1;
    for (float& v : values_) {
      seed = seed * 1664525u + 1013904223u;
      v = (static_cast<float>(seed >> 8) / 8388608.0f - 1) * scale;
    }
  }
  float* data() { return values_.data() + 16; }
  operator float*() { return data(); }

 private:
  std::vector<float> values_;
};

struct Entry {
  const char* name;
  double operations;  // per run
  bool relative;      // to the peak; else operations are elements
  virtual void run() = 0;
  Entry(const char* name, double operations, bool relative = true)
      : name(name), operations(operations), relative(relative) {}
  virtual ~Entry() = default;
  std::vector<double> times = {};
  int repeat = 1;
};

template <class F>
struct Run : Entry {
  F f;
  Run(const char* name, double operations, bool relative, F f) : Entry(name, operations, relative), f(std::move(f)) {}
  void run() override { f(); }
};

using Entries = std::vector<std::unique_ptr<Entry>>;

template <class F>
void add(Entries& list, const char* name, double operations, bool relative, F f) {
  list.push_back(std::make_unique<Run<F>>(name, operations, relative, std::move(f)));
}

// Twelve chains of multiply-adds without memory: what this core can do with this build's instructions.
SARDONYX_NOINLINE void peak(float* out) noexcept {
  V a = splat(0.5f), b = load(out), acc[12];
#pragma clang loop unroll(full)
  for (V& v : acc) v = b;
#pragma clang loop unroll(disable)
  for (int i = 0; i < 4000; i++) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 12; j++) acc[j] = fmadd(acc[j], a, b);
  }
  V sum = acc[0];
#pragma clang loop unroll(full)
  for (int i = 1; i < 12; i++) sum = kernels::add(sum, acc[i]);
  store(out + 8, sum);
}

void add_gemm(Entries& list, const char* name, size_t m, size_t k, size_t n) {
  auto a = std::make_shared<Buffer>(m * k), b = std::make_shared<Buffer>(k * n), c = std::make_shared<Buffer>(m * n),
       packed = std::make_shared<Buffer>(gemm_packed_a_size(m, k)),
       scratch = std::make_shared<Buffer>(gemm_scratch_size(k, n));
  gemm_pack_a_f32(m, k, {*a, k, 1}, 1, *packed);
  add(list, name, 2.0 * m * k * n, true, [=] { gemm_f32(m, k, n, *packed, {{*b, n, 1}}, *c, n, *scratch); });
}

void add_dynamic(Entries& list, const char* name, size_t m, size_t k, size_t n, bool transposed) {
  auto a = std::make_shared<Buffer>(m * k), b = std::make_shared<Buffer>(k * n), c = std::make_shared<Buffer>(m * n),
       scratch = std::make_shared<Buffer>(gemm_dynamic_scratch_size(m, k, n));
  GemmB gb{{*b, transposed ? 1 : n, transposed ? k : 1}};
  add(list, name, 2.0 * m * k * n, true, [=] { gemm_dynamic_f32(m, k, n, {*a, k, 1}, 1, gb, *c, n, *scratch); });
}

ConvShape square(size_t c, size_t m, size_t size, size_t kernel, size_t stride) {
  ConvShape s;
  s.channels = c, s.out_channels = m;
  for (int i = 1; i < 3; i++) {
    s.in[i] = size, s.kernel[i] = kernel, s.stride[i] = stride, s.pad[i] = static_cast<ptrdiff_t>(kernel / 2);
    s.out[i] = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  }
  return s;
}

double conv_operations(const ConvShape& s) { return 2.0 * s.channels * s.out_channels * s.taps() * s.out_size(); }

void add_conv(Entries& list, const char* name, const ConvShape& s) {
  size_t k = s.channels * s.taps();
  auto x = std::make_shared<Buffer>(s.channels * s.in_size()), w = std::make_shared<Buffer>(s.out_channels * k, 0.1f),
       y = std::make_shared<Buffer>(s.out_channels * s.out_size()),
       packed = std::make_shared<Buffer>(gemm_packed_a_size(s.out_channels, k)),
       padded = std::make_shared<Buffer>(conv_padded_size(s)),
       scratch = std::make_shared<Buffer>(conv_gemm_scratch_size(s));
  gemm_pack_a_f32(s.out_channels, k, {*w, k, 1}, 1, *packed);
  add(list, name, conv_operations(s), true, [=] {
    conv_pad_f32(s, *x, *padded, 0, s.channels);
    conv_gemm_f32(s, *packed, *padded, *y, 0, conv_panels(s), *scratch);
  });
}

void add_winograd(Entries& list, const char* name, const ConvShape& s) {
  const WinogradWork work = winograd_work(s, 1);
  auto x = std::make_shared<Buffer>(s.channels * s.in_size()),
       w = std::make_shared<Buffer>(s.out_channels * s.channels * s.taps(), 0.1f),
       y = std::make_shared<Buffer>(s.out_channels * s.out_size()),
       packed = std::make_shared<Buffer>(winograd_weights_size(s)), input = std::make_shared<Buffer>(work.input),
       scratch = std::make_shared<Buffer>(work.scratch);
  winograd_pack_weights(s, *w, *packed);
  add(list, name, conv_operations(s), true, [=] {
    for (size_t block = 0; block < work.blocks; block++) {
      winograd_input_f32(s, {}, *x, block, 0, work.units, *input, *scratch);
      winograd_output_f32(s, {}, *packed, *input, *y, block, 0, work.pieces, *scratch);
    }
  });
}

void add_depthwise(Entries& list, const char* name, const ConvShape& s) {
  auto x = std::make_shared<Buffer>(s.channels * s.in_size()), w = std::make_shared<Buffer>(s.channels * s.taps()),
       y = std::make_shared<Buffer>(s.channels * s.out_size()),
       scratch = std::make_shared<Buffer>(depthwise_scratch_size(s));
  add(list, name, 2.0 * s.channels * s.taps() * s.out_size(), true, [=] {
    for (size_t c = 0; c < s.channels; c++) {
      depthwise_plane_f32(s, *x + c * s.in_size(), *w + c * s.taps(), *y + c * s.out_size(), *scratch);
    }
  });
}

void add_integer(Entries& list, const char* name, size_t m, size_t k, size_t n) {
  auto a = std::make_shared<std::vector<int16_t>>(gemm_x8_packed_a_size(m, k)),
       b = std::make_shared<std::vector<int16_t>>(gemm_x8_packed_b_size(k, n));
  auto c = std::make_shared<std::vector<int32_t>>(m * n + 16);
  add(list, name, 2.0 * m * k * n, true,
      [=] { gemm_x8_i32(m, k, n, 0, m, 0, n, a->data(), b->data(), nullptr, c->data(), n); });
}

// The same in every form that is exact here.
void add_conv_x8(Entries& list, const char* pairs_name, const char* quads_name, const ConvShape& s) {
  const size_t k = s.channels * s.taps(), panels = (s.out_size() + 7) / 8;
  auto x = std::make_shared<std::vector<uint8_t>>(s.channels * s.in_size() + 64, uint8_t{3}),
       w = std::make_shared<std::vector<uint8_t>>(s.out_channels * k, uint8_t{5});
  auto y = std::make_shared<std::vector<int32_t>>(s.out_channels * s.out_size() + 16);
  const MatrixX8 rows{w->data(), k, 1, true, nullptr, false};
  auto pairs = std::make_shared<std::vector<int16_t>>(gemm_x8_packed_a_size(s.out_channels, k)),
       pairs_scratch = std::make_shared<std::vector<int16_t>>(conv_x8_scratch_size(s));
  gemm_x8_pack_a(s.out_channels, k, rows, pairs->data());
  add(list, pairs_name, conv_operations(s), true, [=] {
    conv_x8_i32(s, pairs->data(), x->data(), false, 3, nullptr, y->data(), 0, panels, pairs_scratch->data());
  });
  const FormX8 form = best_form_x8(k, s.out_channels, {w->data(), 1, k, true, nullptr, false});
  if (form == FormX8::pairs) return;
  auto quads = std::make_shared<std::vector<uint8_t>>(conv_quads_weights_size(s.out_channels, k)),
       scratch = std::make_shared<std::vector<uint8_t>>(conv_quads_scratch_size(s)),
       padded = std::make_shared<std::vector<uint8_t>>(s.channels * conv_quads_plane(s) + 64);
  conv_quads_pack_weights(form, s.out_channels, k, rows, quads->data());
  add(list, quads_name, conv_operations(s), true, [=] {
    const ImageX8 image{x->data(), false, 3};
    conv_quads_pad(s, image, 0, s.channels, padded->data());
    conv_quads_i32(form, s, quads->data(), padded->data(), image, nullptr, y->data(), 0, panels, scratch->data());
  });
}

// A square product in float32 and in 8 bits, operands packed: their ratio is what the 8 bits gain.
void add_squares(Entries& list, const char* name, const char* const* integer_names, size_t n) {
  auto a = std::make_shared<Buffer>(gemm_packed_a_size(n, n)), b = std::make_shared<Buffer>(gemm_packed_b_size(n, n)),
       c = std::make_shared<Buffer>(n * n), scratch = std::make_shared<Buffer>(gemm_scratch_size(n, n));
  add(list, name, 2.0 * n * n * n, true, [=] { gemm_f32(n, n, n, *a, {{*b, n, 1}, true}, *c, n, *scratch); });
  for (size_t f = 0; f < 4; f++) {
    const auto form = static_cast<FormX8>(f);
    if (!is_exact_x8(form)) continue;
    auto ia = std::make_shared<std::vector<uint8_t>>(matmul_x8_packed_a_size(form, n, n), uint8_t{3}),
         ib = std::make_shared<std::vector<uint8_t>>(matmul_x8_packed_b_size(form, n, n), uint8_t{5});
    auto ic = std::make_shared<std::vector<int32_t>>(n * n + 16);
    add(list, integer_names[f], 2.0 * n * n * n, true,
        [=] { matmul_x8_i32(form, n, 0, n, 0, n, ia->data(), ib->data(), ic->data(), n); });
  }
}

void add_elements(Entries& list) {
  constexpr size_t n = 1 << 14;
  auto x = std::make_shared<Buffer>(n, 4.0f), y = std::make_shared<Buffer>(n);
  add(list, "exp 16384", n, false, [=] { exp_f32(*x, *y, n); });
  add(list, "tanh 16384", n, false, [=] { tanh_f32(*x, *y, n); });
  add(list, "sigmoid 16384", n, false, [=] { sigmoid_f32(*x, *y, n); });
  add(list, "erf 16384", n, false, [=] { erf_f32(*x, *y, n); });
  add(list, "gelu 16384", n, false, [=] { gelu_f32(*x, *y, n); });
  add(list, "softmax 64x256", n, false, [=] { softmax_rows_f32(*x, *y, 64, 256); });
  ConvShape pool = square(1, 1, 112, 3, 2);
  add(list, "max pool 3x3 s2 112x112", 3136, false, [=] { max_pool_f32(pool, *x, *y); });
}

void measure(Entries& list, int rounds) {
  for (auto& e : list) {
    for (int i = 0; i < 3; i++) e->run();
    double start = now_ms();
    e->run();
    e->repeat = std::max(1, static_cast<int>(2 / std::max(now_ms() - start, 1e-3)));
  }
  for (int r = 0; r < rounds; r++) {
    for (auto& e : list) {
      double start = now_ms();
      for (int i = 0; i < e->repeat; i++) e->run();
      e->times.push_back((now_ms() - start) / e->repeat);
    }
  }
}

// The median over the rounds of the share of the peak measured in the same round.
double peak_share(const Entry& peak, const Entry& e) {
  std::vector<double> shares;
  for (size_t r = 0; r < e.times.size(); r++) {
    shares.push_back(e.operations / e.times[r] / (peak.operations / peak.times[r]));
  }
  std::nth_element(shares.begin(), shares.begin() + static_cast<ptrdiff_t>(shares.size() / 2), shares.end());
  return shares[shares.size() / 2];
}

void report(const Entries& list) {
  for (auto& e : list) {
    double best = *std::min_element(e->times.begin(), e->times.end());
    if (e->relative) {
      std::printf("%-34s %8.3f ms  %6.1f GFLOP/s  %4.0f %% of peak\n", e->name, best, e->operations / best / 1e6,
                  100 * peak_share(*list[0], *e));
    } else {
      std::printf("%-34s %8.3f ms  %6.2f ns per element\n", e->name, best, 1e6 * best / e->operations);
    }
  }
}

#define INT8_NAMES(N)                                                                         \
  {"int8 matmul " #N ", pairs", "int8 matmul " #N ", unsigned", "int8 matmul " #N ", signed", \
   "int8 matmul " #N ", 7 bits"}

void run() {
  static constexpr const char* kNames256[] = INT8_NAMES(256);
  static constexpr const char* kNames512[] = INT8_NAMES(512);
  static constexpr const char* kNames1024[] = INT8_NAMES(1024);
  Entries list;
  auto out = std::make_shared<Buffer>(16);
  add(list, "peak: multiply-add in registers", 4000.0 * 12 * 8, true, [=] { peak(*out); });
  add_gemm(list, "gemm 128x512x784", 128, 512, 784);
  add_gemm(list, "gemm 64x64x3136", 64, 64, 3136);
  add_gemm(list, "gemm 96x16x12544", 96, 16, 12544);
  add_gemm(list, "gemm 960x160x49", 960, 160, 49);
  add_gemm(list, "gemm 512x2048x49", 512, 2048, 49);
  add_dynamic(list, "matmul 196x64x196, B transposed", 196, 64, 196, true);
  add_dynamic(list, "matmul 40x120x480", 40, 120, 480, false);
  add_dynamic(list, "gemv 1x2048x1000, B transposed", 1, 2048, 1000, true);
  add_conv(list, "conv 3x3 s2 3->32 224", square(3, 32, 224, 3, 2));
  add_conv(list, "conv 7x7 s2 3->64 224", square(3, 64, 224, 7, 2));
  add_conv(list, "conv 3x3 64->64 56", square(64, 64, 56, 3, 1));
  add_conv(list, "conv 3x3 128->128 14", square(128, 128, 14, 3, 1));
  add_winograd(list, "winograd 64->64 56", square(64, 64, 56, 3, 1));
  add_winograd(list, "winograd 128->128 28", square(128, 128, 28, 3, 1));
  add_winograd(list, "winograd 256->256 14", square(256, 256, 14, 3, 1));
  add_depthwise(list, "depthwise 3x3 32 112", square(32, 32, 112, 3, 1));
  add_depthwise(list, "depthwise 3x3 s2 96 112", square(96, 96, 112, 3, 2));
  add_depthwise(list, "depthwise 3x3 384 14", square(384, 384, 14, 3, 1));
  add_depthwise(list, "depthwise 5x5 240 28", square(240, 240, 28, 5, 1));
  add_integer(list, "int8 gemm 128x512x784", 128, 512, 784);
  add_conv_x8(list, "int8 conv 3x3 64->64 56, pairs", "int8 conv 3x3 64->64 56, quads", square(64, 64, 56, 3, 1));
  add_conv_x8(list, "int8 conv 3x3 16->16 256, pairs", "int8 conv 3x3 16->16 256, quads", square(16, 16, 256, 3, 1));
  add_squares(list, "gemm 256", kNames256, 256);
  add_squares(list, "gemm 512", kNames512, 512);
  add_squares(list, "gemm 1024", kNames1024, 1024);
  add_elements(list);
  measure(list, 15);
  report(list);
}

}  // namespace
}  // namespace sardonyx::kernels

int main() {
  sardonyx::kernels::run();
  return 0;
}
